#include <cmath>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "tools/run/npy.h"

using namespace stencilgen;
using namespace stencilgen::test;
using nlohmann::json;

namespace {

json RunJson(const Workplace& work, const std::string& arguments) {
  const CliResult result = work.Run(arguments + " --json");
  INFO(arguments << "\n" << result.err);
  REQUIRE(result.status == 0);
  return json::parse(result.out);
}

const char* const kIdentity = R"(
parameter M=3, N=4;
iterator j, i;
double u[M,N], v[M,N], a;
copyin u, a;
stencil s (A, B, c) { B[j][i] = c*A[j][i]; }
s (u, v, a);
copyout v;
)";

const char* const kLife = R"(
parameter M=13, N=11, T=4;
iterator j, i;
int u[M,N], v[M,N];
copyin u, v;
stencil life (A, B) {
  int n = A[j-1][i-1] + A[j-1][i] + A[j-1][i+1] + A[j][i-1] + A[j][i+1] + A[j+1][i-1] +
          A[j+1][i] + A[j+1][i+1];
  B[j][i] = n == 3 || (n == 2 && A[j][i] == 1) ? 1 : 0;
}
iterate T { life (u, v); swap u, v; }
copyout u;
)";

}  // namespace

TEST_CASE("a run on the CPU says that it has no use for an option of CUDA code") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult quiet = work.Run("run smooth.idsl --blockdim x=8 --emulate");
  CHECK(quiet.status == 0);
  CHECK_FALSE(Contains(quiet.err, "note:"));
  CHECK(work.Run("run smooth.idsl --target cpp --stream j").status == 2);
  const CliResult automatic = work.Run("run smooth.idsl --blockdim x=8 --json");
  const bool on_cpu = !Contains(automatic.out, "\"target\":\"cuda\"");
  CHECK(Contains(automatic.err, "note: --blockdim") == on_cpu);
}

TEST_CASE("a run of CUDA code explains what was chosen") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult result =
      work.Run("run smooth.idsl --emulate --verify --explain --time-tile 2 --json");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(Contains(result.err, " computes smooth"));
  CHECK(Contains(result.err, ": block "));
  CHECK(json::parse(result.out)["verified"] == true);
}

TEST_CASE("a verified run says where the reference itself is not finite") {
  const Workplace work;
  work.Write("grow.idsl", R"(
parameter N=8, T=200;
iterator i;
double u[N];
copyin u;
stencil grow (u) { u[i] = i < 3 ? 1000.0*u[i] : u[i]; }
iterate T { grow (u); }
copyout u;
)");
  const CliResult text = work.Run("run grow.idsl --target cpp --verify");
  CHECK(text.status == 0);
  CHECK(Contains(text.out,
                 "the reference itself is not finite at 3 of 8 elements: --in and --scalar give "
                 "other inputs"));
  const json report = RunJson(work, "run grow.idsl --target cpp --verify");
  CHECK(report["arrays"]["u"]["reference_not_finite"] == 3);
  const CliResult finite = work.Run("run grow.idsl --target cpp --verify -D T=100");
  CHECK(finite.status == 0);
  CHECK_FALSE(Contains(finite.out, "the reference itself"));
}

TEST_CASE("a program runs on the C++ target and agrees with the reference") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const json report = RunJson(work, "run smooth.idsl --target cpp --verify --repeat 2");
  CHECK(report["target"] == "cpp");
  CHECK(report["verified"] == true);
  CHECK(report["max_rel_rms"].get<double>() <= 1e-12);
  CHECK(report["time_ms"].get<double>() > 0);
  CHECK(report["gpts"].get<double>() > 0);
  CHECK(report["times_ms"].size() == 2);
  CHECK(report["parameters"]["M"] == 17);
  CHECK(report["arrays"]["u"]["shape"] == json::array({17, 23}));
  CHECK(report["counters"].is_null());
}

TEST_CASE("strict arithmetic and integers are equal bit for bit") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  work.Write("life.idsl", kLife);
  for (const std::string target : {"--target cpp", "--target cuda --emulate"}) {
    CHECK(RunJson(work, "run smooth.idsl --verify --fp strict " + target)["arrays"]["u"]["equal"] ==
          true);
    CHECK(RunJson(work, "run life.idsl --verify " + target)["arrays"]["u"]["equal"] == true);
  }
}

TEST_CASE("the emulator executes the CUDA code and counts") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const json report = RunJson(work,
                              "run smooth.idsl --emulate --verify --blockdim x=8,y=3 "
                              "--fusion none --shared-mem false --time-tile 1");
  CHECK(report["target"] == "cuda-emulated");
  CHECK(report["verified"] == true);
  const json& counters = report["counters"];
  // Six calls on 15 x 21 interior points. How often a kernel loads u[j][i], which the source names
  // twice, is its own affair.
  CHECK(counters["launches"] == 6);
  CHECK(counters["global_store_bytes"] == 6 * 15 * 21 * 8);
  CHECK(counters["global_load_bytes"] >= 5 * 6 * 15 * 21 * 8);
  CHECK(counters["global_load_bytes"] <= 6 * 6 * 15 * 21 * 8);
  CHECK(counters["flops"] == 6 * 15 * 21 * 7);
  CHECK(counters["barriers"] == 0);
  CHECK(counters["shared_loads"] == 0);
}

TEST_CASE("without a compiler the interpreter executes, and says so") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult result =
      work.Run("run smooth.idsl --target cpp --verify", "/dev/null", "PATH=/nowhere CXX=");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(Contains(result.out, "target interpreter"));
  const CliResult emulated =
      work.Run("run smooth.idsl --emulate", "/dev/null", "PATH=/nowhere CXX=");
  CHECK(emulated.status == 1);
  CHECK(Contains(emulated.err, "needs a C++ compiler"));
}

TEST_CASE("arrays and scalars come from files and the command line") {
  const Workplace work;
  work.Write("identity.idsl", kIdentity);
  std::vector<double> u(12);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i) - 3.5;
  work.Write("u.npy", driver::EncodeNpy(u, {3, 4}));
  const json report = RunJson(work, "run identity.idsl --in u=u.npy --scalar a=2 --out v=v.npy");
  CHECK(report["written"] == json::array({"v.npy"}));
  CHECK(report["arrays"]["v"]["min"] == -7.0);
  CHECK(report["arrays"]["v"]["max"] == 15.0);
  auto read = driver::ReadNpy(work.Path("v.npy"), ScalarType::Double, {3, 4});
  REQUIRE(std::holds_alternative<graph::Values>(read));
  for (double& value : u) value *= 2;
  CHECK(std::get<graph::Values>(read) == graph::Values(u));

  const CliResult shape = work.Run("run identity.idsl --in u=u.npy -D M=5");
  CHECK(shape.status == 2);
  CHECK(Contains(shape.err, "(3, 4)"));
  CHECK(Contains(shape.err, "(5, 4)"));
  work.Write("garbage.npy", "not an array");
  CHECK(work.Run("run identity.idsl --in u=garbage.npy").status == 2);
  CHECK(work.Run("run identity.idsl --out v=no/v.npy").status == 1);
}

TEST_CASE("what is copied out but not in keeps the caller's values where none are written") {
  const Workplace work;
  work.Write("inner.idsl", R"(
parameter N=8, T=3;
iterator i;
double u[N], v[N], w[N], x[N];
copyin u;
stencil mean (A, B) { B[i] = 0.5*(A[i-1] + A[i+1]); }
mean (u, v);
iterate T { mean (v, w); swap v, w; }
mean (u, x);
copyout v, w;
)");
  const std::vector<double> start = {10, 11, 12, 13, 14, 15, 16, 17};
  work.Write("start.npy", driver::EncodeNpy(start, {8}));
  for (const std::string target : {"cpp", "cuda --emulate"}) {
    const json report = RunJson(work,
                                "run inner.idsl --in v=start.npy --in w=start.npy --out v=v.npy "
                                "--out w=w.npy --verify --fp strict --target " +
                                    target);
    CHECK(report["verified"] == true);
    for (const std::string name : {"v", "w"}) {
      CHECK(report["arrays"][name]["compared"] == 8);
      auto read = driver::ReadNpy(work.Path(name + ".npy"), ScalarType::Double, {8});
      REQUIRE(std::holds_alternative<graph::Values>(read));
      const auto& values = std::get<std::vector<double>>(std::get<graph::Values>(read));
      CHECK(values.front() == 10);
      CHECK(values.back() == 17);
      CHECK(values[4] != 14);
    }
  }
  const CliResult scratch = work.Run("run inner.idsl --in x=start.npy");
  CHECK(scratch.status == 2);
  CHECK(Contains(scratch.err, "array `x` is neither copied in nor out"));
}

TEST_CASE("a picture is drawn") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult result = work.Run("run smooth.idsl --plot u.png");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(Contains(result.out, "u.png"));
  CHECK(work.Read("u.png").substr(0, 8) == "\x89PNG\r\n\x1a\n");
}

TEST_CASE("the same seed gives the same results") {
  const Workplace work;
  work.Write("identity.idsl", kIdentity);
  const std::string run = "run identity.idsl --target cpp --repeat 1 ";
  const auto mean = [&](const std::string& more) {
    return RunJson(work, run + more)["arrays"]["v"]["mean"].get<double>();
  };
  CHECK(mean("--seed 3") == mean("--seed 3"));
  CHECK(mean("--seed 3") != mean("--seed 4"));
}

TEST_CASE("text for people") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const CliResult result = work.Run("run smooth.idsl --target cpp --verify -D N=31");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(Contains(result.out, "smooth: target cpp, fp fast, M = 17, N = 31, T = 3"));
  CHECK(Contains(result.out, "GPts/s"));
  CHECK(Contains(result.out, "verified"));
}

TEST_CASE("a parameter without a value is named") {
  const Workplace work;
  work.Write("p.idsl",
             "parameter M, N; iterator j, i; double u[M,N]; copyin u;\n"
             "stencil s (A) { A[j][i] = 2.0*A[j][i]; } s (u); copyout u;\n");
  const CliResult result = work.Run("run p.idsl");
  CHECK(result.status == 2);
  CHECK(Contains(result.err, "`M` and `N`"));
  CHECK(work.Run("run p.idsl -D M=3,N=5 --verify").status == 0);
}

TEST_CASE("a run of CUDA code says how fast it could be") {
  const Workplace work;
  work.Write("smooth.idsl", kSmooth);
  const json report = RunJson(work, "run smooth.idsl --emulate --time-tile 1 --shared-mem false");
  // Two calls in each of three steps: the whole of one array is read, the inside of the other
  // written; 4.3e12 bytes/s.
  const double bytes = 6 * 8 * (17.0 * 23 + 15 * 21);
  CHECK(report.at("roofline").at("bytes") == bytes);
  CHECK(report.at("roofline").at("limit") == "memory bandwidth");
  CHECK(report.at("roofline").at("time_ms").get<double>() ==
        Approx(1e3 * bytes / 4.3e12).epsilon(0.05));
  CHECK(report.at("roofline").at("fraction").is_null());
  CHECK(Contains(work.Run("run smooth.idsl --emulate").out, "roofline   "));
  CHECK(RunJson(work, "run smooth.idsl --target cpp").at("roofline").is_null());
}

TEST_CASE("rows of several arrays that are computed again are the same rows") {
  const Workplace work;
  // u and c in five rows each: first all of u, then all of c and u together.
  work.Write(
      "rows.idsl",
      "parameter M=11, N=37;\niterator j, i;\n"
      "double u[M,N], c[M,N], d[M,N], v[M,N], w[M];\ncopyin u, c, d, w;\n"
      "stencil rows (v, u, c, d, w) {\n"
      "  double s = sqrt(fabs(u[j-2][i] + 2.0*u[j-1][i-1]*u[j-1][i+1] + 3.0*u[j][i] +"
      " 4.0*u[j+1][i-1]*u[j+1][i+1] + 5.0*u[j+2][i]));\n"
      "  double t = sqrt(fabs(s*c[j-2][i-1] + c[j-1][i]*c[j][i] + c[j+1][i+1] - c[j+2][i]));\n"
      "  v[j][i] = w[j]*s*t*(d[j][i]*u[j-2][i+1] + d[j-1][i]*u[j-1][i] + d[j+1][i]*u[j+1][i] +"
      " d[j+2][i]*u[j+2][i+1] + d[j-2][i]*c[j-1][i-1]);\n}\nrows (v, u, c, d, w);\ncopyout v;\n");
  for (const char* options : {"--reorder trees", "--reorder lars --unroll j=2",
                              "--reorder auto --reorder-score static --unroll j=3,i=2"}) {
    INFO(options);
    const CliResult code = work.Run(fmt::format("rows.idsl -o - --shared-mem false {}", options));
    CHECK(std::regex_search(code.out, std::regex("\n +c\\w* = Opaque\\(")));
    const CliResult run = work.Run(fmt::format("run rows.idsl --emulate --verify {}", options));
    INFO(run.out << run.err);
    CHECK(run.status == 0);
  }
}
