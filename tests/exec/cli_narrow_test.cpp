#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "tools/run/npy.h"

// Arrays with narrow elements on the command line: files, targets, `--precision`.
using namespace stencilgen;
using namespace stencilgen::test;
using nlohmann::json;

namespace {

constexpr const char* kSharpen = R"(
parameter M=6, N=9;
iterator j, i;
uint8 picture[M,N], sharp[M,N];
copyin picture;
boundary picture = clamp;
stencil sharpen (out, in) {
  out[j][i] = 5*in[j][i] - in[j-1][i] - in[j+1][i] - in[j][i-1] - in[j][i+1];
}
sharpen (sharp, picture);
copyout sharp;
)";

constexpr const char* kNarrowHeat = R"(
parameter M=30, N=40, T=5;
iterator j, i;
double u[M,N], a;
copyin u, a;
stencil heat (u, a) {
  u[j][i] += a*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1] - 4.0*u[j][i]);
}
iterate T { heat (u, a); }
copyout u;
)";

TEST_CASE("pictures of bytes come from files and go there") {
  const Workplace work;
  work.Write("sharpen.idsl", kSharpen);
  std::vector<std::int32_t> picture(54), expected(54);
  for (int k = 0; k < 54; ++k) picture[static_cast<std::size_t>(k)] = 37 * k % 256;
  const auto at = [&](int j, int i) {
    return picture[static_cast<std::size_t>(std::min(std::max(j, 0), 5) * 9 +
                                            std::min(std::max(i, 0), 8))];
  };
  for (int k = 0; k < 54; ++k) {
    const int j = k / 9, i = k % 9;
    const int value = 5 * at(j, i) - at(j - 1, i) - at(j + 1, i) - at(j, i - 1) - at(j, i + 1);
    expected[static_cast<std::size_t>(k)] = std::min(std::max(value, 0), 255);
  }
  work.Write("in.npy", driver::EncodeNpy(picture, {6, 9}, ElementFormat::UInt8));
  CHECK(Contains(work.Read("in.npy"), "'|u1'"));
  for (const std::string target : {"cpp", "cuda --emulate"}) {
    const CliResult run = work.Run(
        "run sharpen.idsl --in picture=in.npy --out sharp=out.npy --verify --json --target " +
        target);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const json report = json::parse(run.out);
    CHECK(report["verified"] == true);
    CHECK(report["arrays"]["sharp"]["type"] == "uint8");
    const auto read =
        driver::ReadNpy(work.Path("out.npy"), ScalarType::Int, {6, 9}, ElementFormat::UInt8);
    REQUIRE(std::holds_alternative<graph::Values>(read));
    CHECK(std::get<graph::Values>(read) == graph::Values(expected));
  }
  work.Write("wide.npy", driver::EncodeNpy(picture, {6, 9}));
  const CliResult wide = work.Run("run sharpen.idsl --in picture=wide.npy");
  CHECK(wide.status == 2);
  CHECK(Contains(wide.err, "it holds int and the array is uint8"));
  CHECK(Contains(wide.err, "a.astype('|u1')"));
}

TEST_CASE("halves in vectors, at sizes that fill none and that leave some") {
  const Workplace work;
  const std::string text = kNarrowHeat;
  for (const std::string type : {"half", "bfloat16"}) {
    const std::size_t at = text.find("double u[M,N], a");
    const std::string with = type + " u[M,N]; float a";
    work.Write("heat.idsl", std::string(text).replace(at, 16, with));
    for (const std::string sizes : {"M=1,N=1", "M=3,N=4", "M=5,N=33", "M=17,N=70", "M=40,N=131"}) {
      INFO(type << " " << sizes);
      const CliResult run =
          work.Run("run heat.idsl --target cpp --scalar a=0.2 --verify --json -D " + sizes);
      INFO(run.err);
      REQUIRE(run.status == 0);
      CHECK(json::parse(run.out)["verified"] == true);
    }
  }
}

TEST_CASE("--precision tries other types, and says what they cost") {
  const Workplace work;
  work.Write("heat.idsl", kNarrowHeat);
  const auto error = [&](const std::string& types, const std::string& options) {
    const CliResult run =
        work.Run("run heat.idsl --scalar a=0.2 --verify --json --precision " + types + options);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const json report = json::parse(run.out);
    CHECK(report["verified"] == true);
    return report["arrays"]["u"]["precision_rel_rms"].get<double>();
  };
  for (const std::string target : {" --target cpp", " --emulate"}) {
    const double half = error("u=half", target);
    CHECK(half > 1e-5);
    CHECK(half < 1e-3);
    const double single = error("u=float", target);
    CHECK(single > 1e-9);
    CHECK(single < 1e-6);
    CHECK(error("u=bfloat16,a=float", target) > half);
  }
  const CliResult text = work.Run("run heat.idsl --scalar a=0.2 --verify --precision u=half");
  CHECK(Contains(text.out, "precision  u differs from the program's own types by"));
}

TEST_CASE("files have the program's own types under --precision") {
  const Workplace work;
  work.Write("heat.idsl", kNarrowHeat);
  std::vector<double> u(1200, 0.1);
  work.Write("u.npy", driver::EncodeNpy(u, {30, 40}));
  const CliResult run = work.Run(
      "run heat.idsl --scalar a=0.2 --in u=u.npy --out u=v.npy --precision u=half --verify");
  INFO(run.err);
  CHECK(run.status == 0);
  const auto read =
      driver::ReadNpy(work.Path("v.npy"), ScalarType::Float, {30, 40}, ElementFormat::Half);
  REQUIRE(std::holds_alternative<graph::Values>(read));
}

TEST_CASE("mistakes in --precision") {
  const Workplace work;
  work.Write("heat.idsl", kNarrowHeat);
  const auto says = [&](const std::string& types, int status, const std::string& text) {
    const CliResult run = work.Run("run heat.idsl --precision " + types);
    CAPTURE(types, run.err);
    CHECK(run.status == status);
    CHECK(Contains(run.err, text));
  };
  says("u=quarter", 2, "`quarter` is no type");
  says("u=half,u=float", 2, "`u` is given twice");
  says("v=half", 2, "declares no array or scalar `v`");
  says("a=half", 1, "'a' is a scalar: only arrays are half");
}

}  // namespace
