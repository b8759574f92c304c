// `stencilgen tune` from the outside: on tiny budgets, killed, with broken files and full disks.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "driver/subprocess.h"
#include "support/prng.h"

using namespace stencilgen;
using namespace stencilgen::test;
using nlohmann::json;

namespace {

const char* const kProgram = R"(
parameter M=150, N=130, T=2;
iterator j, i;
float u[M,N], v[M,N];
copyin u, v;
stencil s (A, B) {
  B[j][i] = 0.2*(A[j][i] + A[j-1][i] + A[j+1][i] + A[j][i-1] + A[j][i+1]);
}
iterate T { s (u, v); swap u, v; }
copyout u;
)";

const std::string kTune = "tune p.idsl --target cpp --tuning-db db/t.json ";

std::string Journals(const Workplace& work) {
  std::string names;
  if (!work.Exists("db")) return names;
  for (const auto& entry : std::filesystem::directory_iterator(work.Path("db"))) {
    const std::string name = entry.path().filename().string();
    if (name.find(".journal") != std::string::npos) names += name + "\n";
  }
  return names;
}

/// Puts an entry's options into the database, as if they had been found.
void Find(const Workplace& work, const json& options) {
  json database = json::parse(work.Read("db/t.json"));
  database["entries"][0]["options"] = options;
  database["entries"][0]["gain"] = 1.5;
  work.Write("db/t.json", database.dump());
}

}  // namespace

TEST_CASE("a tune keeps what it finds, and compiling uses it") {
  const Workplace work;
  work.Write("p.idsl", kProgram);
  const CliResult tuned = work.Run(kTune + "--budget 0.06 --json");
  INFO(tuned.err << tuned.out);
  REQUIRE(tuned.status == 0);
  const json report = json::parse(tuned.out);
  CHECK(report["default_ms"].get<double>() > 0);
  CHECK(report["tuned_ms"].get<double>() <= report["default_ms"].get<double>());
  CHECK(report["failed"] == 0);
  CHECK(report["key"]["sizes"] == json({{"M", 150}, {"N", 130}, {"T", 2}}));
  CHECK(report["key"]["type"] == "float");
  CHECK(Journals(work).empty());
  const json database = json::parse(work.Read("db/t.json"));
  REQUIRE(database["entries"].size() == 1);
  CHECK(database["entries"][0]["options"] == report["options"]);

  // Whatever it was: with a result that has options they are those that could be typed.
  Find(work, {{"--tile", "i=40"}, {"--threads", "2"}});
  const std::string compile = "p.idsl --target cpp -o - ";
  const CliResult used = work.Run(compile + "--tuning-db db/t.json");
  CHECK(used.status == 0);
  CHECK(Contains(used.err, "note: tuned for M = 150, N = 130, T = 2"));
  CHECK(Contains(used.err, "--tuning-db none"));
  CHECK(Contains(used.out, "tuning database: --threads 2 --tile i=40 (1.5 times"));
  CHECK(Contains(used.out, "--threads 2 --tile i=40\n"));
  const CliResult typed = work.Run(compile + "--tile i=40 --threads 2");
  const auto code = [](const std::string& text) { return text.substr(text.find("\n// Compile")); };
  CHECK(code(used.out) == code(typed.out));
  // Through the environment too; by hand wins; other sizes and `none` are not concerned.
  const auto err = [&](const std::string& arguments) {
    const CliResult result = work.Run(arguments, "/dev/null", "STENCILGEN_TUNING_DB=db/t.json");
    CHECK(result.status == 0);
    return result.err;
  };
  CHECK(Contains(err(compile), "note: tuned"));
  CHECK(err(compile + "--unroll j=2").empty());
  CHECK(err(compile + "-D M=151").empty());
  CHECK(err(compile + "--tuning-db none").empty());
  CHECK(err("p.idsl -o -").empty());
  CHECK(Contains(err("run p.idsl --target cpp --verify"), "note: tuned"));
  // A block of a C++ file with the same program.
  work.Write("app.cpp", std::string("void f(float* u, float* v, int M, int N, int T) {\n"
                                    "#pragma dsl begin\n") +
                            kProgram + "#pragma dsl end\n}\n");
  CHECK(Contains(err("app.cpp -o app.gen.cpp"), "note: tuned"));
}

TEST_CASE("a tune that is killed goes on where it was, and nothing is half written") {
  const Workplace work;
  work.Write("p.idsl", kProgram);
  testing::Prng random(std::filesystem::file_size(work.Path("p.idsl")));
  bool continued = false;
  for (int kill = 0; kill < 4; ++kill) {
    const std::string command = fmt::format(
        "cd '{}' && timeout -s KILL {} '{}' {} --budget 0.08 2>err >out", work.Path("."),
        0.4 + 0.9 * kill + 0.001 * random.Below(500), STENCILGEN_BINARY, kTune);
    const int status = driver::RunProcess({"sh", "-c", command}).status;
    continued = continued || Contains(work.Read("err"), "continues a tune");
    if (status == 0) break;
    CHECK(status == 137);
    if (work.Exists("db/t.json")) CHECK(json::accept(work.Read("db/t.json")));
  }
  const CliResult last = work.Run(kTune + "--budget 0.08 --json");
  INFO(last.err);
  CHECK(last.status == 0);
  continued = continued || Contains(last.err, "continues a tune");
  CHECK(continued);
  CHECK(json::parse(work.Read("db/t.json"))["entries"].size() == 1);
  CHECK(Journals(work).empty());
  CHECK(json::parse(last.out)["failed"] == 0);
}

TEST_CASE("what a disk has no room for is an error, and the same command goes on") {
  const Workplace work;
  work.Write("p.idsl", kProgram);
  // No file of more than a block of 512 bytes: the first line of a journal fits, few others do.
  const std::string command = fmt::format(
      "cd '{}' && {{ ulimit -f 1; '{}' {} --budget 0.05; }} "
      "2>&1",
      work.Path("."), STENCILGEN_BINARY, kTune);
  const driver::ProcessResult full = driver::RunProcess({"bash", "-c", command});
  INFO(full.output);
  CHECK(full.status == 1);
  CHECK(Contains(full.output, "error: "));
  CHECK_FALSE(work.Exists("db/t.json"));
  const CliResult after = work.Run(kTune + "--budget 0.02");
  INFO(after.err);
  CHECK(after.status == 0);
  CHECK(work.Exists("db/t.json"));
}

TEST_CASE("a database that cannot be read or written is an error before anything is measured") {
  const Workplace work;
  work.Write("p.idsl", kProgram);
  const auto fails = [&](const std::string& arguments, const std::string& what) {
    const CliResult result = work.Run(arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status != 0);
    CHECK(Contains(result.err, what));
    CHECK(result.out.empty());
  };
  work.Write("broken.json", "{\n  \"entries\": oops\n}\n");
  const std::string tune = "tune p.idsl --target cpp --budget 0.02 ";
  fails(tune + "--tuning-db broken.json", "broken.json:2:14: this is not JSON");
  fails("p.idsl --target cpp -o - --tuning-db broken.json", "broken.json:2:14: this is not JSON");
  fails("run p.idsl --target cpp --tuning-db broken.json", "broken.json:2:14: this is not JSON");
  CHECK(work.Read("broken.json") == "{\n  \"entries\": oops\n}\n");
  fails(tune + "--tuning-db /dev/full", "no file");
  fails(tune + "--tuning-db none", "no place");
  fails(tune + "--tuning-db /dev/null/t.json", "/dev/null");
  fails(tune + "--tuning-db p.idsl/t.json", "p.idsl");
}

TEST_CASE("a tune says what it misses") {
  const Workplace work;
  work.Write("p.idsl", kProgram);
  const CliResult compiler = work.Run(kTune, "/dev/null", "PATH=/nowhere CXX=");
  CHECK(compiler.status == 1);
  CHECK(Contains(compiler.err, "needs a C++ compiler"));
  CHECK(work.Entries() == 1);
  const CliResult broken = work.Run(kTune + "--budget 0.02", "/dev/null", "CXX=false");
  INFO(broken.err);
  CHECK(broken.status == 1);
  CHECK(Contains(broken.err, "the default options do not work: it does not compile"));
  const CliResult misspelt = work.Run("tune p.idsl --budgt 3");
  CHECK(misspelt.status == 2);
  CHECK(Contains(misspelt.err, "did you mean `--budget`?"));
  for (const std::string bad : {"0", "-1", "x", "nan", "1e99", ""}) {
    CHECK(work.Run("tune p.idsl --budget '" + bad + "'").status == 2);
  }
  CHECK(work.Run("tune p.idsl -j 0").status == 2);
  CHECK(work.Run("tune p.idsl -o x.cu").status == 2);
  CHECK(work.Run("p.idsl --budget 3").status == 2);
  CHECK(work.Run("tune p.idsl --target cpp --stream j").status == 2);
  CHECK(work.Run("tune p.idsl --target cpp -D Q=1").status == 2);
  CHECK(work.Run("tune nothing.idsl").status == 2);
  CHECK(work.Run("tune p.idsl --offline a --offline-results b").status == 2);
}

TEST_CASE("without a GPU tuning CUDA code names the way that needs none here") {
  const Workplace work;
  work.Write("p.idsl", kProgram);
  const CliResult result = work.Run("tune p.idsl --target cuda --tuning-db t.json", "/dev/null",
                                    "CUDA_VISIBLE_DEVICES=");
  CHECK(result.status == 1);
  CHECK(Contains(result.err, "--target cuda needs"));
  CHECK(Contains(result.err, "--offline"));
}
