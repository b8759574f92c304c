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

/// What is there to continue.
std::string Journals(const Workplace& work) {
  std::string names;
  if (!work.Exists("db")) return names;
  for (const auto& entry : std::filesystem::directory_iterator(work.Path("db"))) {
    const std::string name = entry.path().filename().string();
    if (name.find(".journal") != std::string::npos || name.find(".work") != std::string::npos)
      names += name + "\n";
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
  CHECK(Contains(err(compile + "--tuning-db new.json"), "there is no tuning database `new.json`"));
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
        "cd '{}' && timeout -s KILL {} '{}' {} --budget 0.05 2>err >out", work.Path("."),
        0.3 + 0.7 * kill + 0.001 * random.Below(500), STENCILGEN_BINARY, kTune);
    const int status = driver::RunProcess({"sh", "-c", command}).status;
    continued = continued || Contains(work.Read("err"), "continues a tune");
    if (status == 0) break;
    INFO(work.Read("err"));
    CHECK(status == 137);
    if (work.Exists("db/t.json")) CHECK(json::accept(work.Read("db/t.json")));
  }
  const CliResult last = work.Run(kTune + "--budget 0.05 --json");
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

TEST_CASE("rounding that grows with the steps is told from wrong code") {
  const Workplace work;
  work.Write("chaos.idsl",
             "parameter N=200, T=19;\niterator i;\ndouble u[N];\ncopyin u;\n"
             "stencil s (u) { u[i] = sin(9.0*u[i] + 0.1*u[i]*u[i]); }\niterate T { s (u); "
             "}\ncopyout u;\n");
  const std::string tune = "tune chaos.idsl --target cpp --tuning-db t.json --budget 0.02 ";
  const CliResult grown = work.Run(tune);
  INFO(grown.err);
  CHECK(grown.status == 1);
  CHECK(Contains(grown.err, "tune with fewer of them"));
  CHECK_FALSE(work.Exists("t.json"));
  CHECK(work.Run(tune + "-D T=2").status == 0);
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
  CHECK(Journals(work).empty());
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

TEST_CASE("a folder for another machine is measured there and read back here", "[offline]") {
  const Workplace work;
  work.Write("p.idsl", kProgram);
  // nvcc's command line, for the emulator: the place of a machine with a GPU.
  work.Write("nvcc", fmt::format(R"(#!/bin/sh
case "$*" in
  --version) echo "emulator, release 0"; exit 0 ;;
  *main.cpp*) exec g++ -O1 -Wall -Wextra -Werror "$@" ;;
esac
while [ $# -gt 0 ]; do case "$1" in -o) out="$2"; shift ;; *.cu) src="$1" ;; esac; shift; done
exec g++ -std=c++17 -O0 -shared -fPIC -DSTENCILGEN_EMULATOR -I{0} -I{0}/stencilgen/emulator \
  -o "$out" -x c++ "$src" -x none -lboost_context
)",
                                 STENCILGEN_RUNTIME_INCLUDE));
  const std::string given = "--blockdim x=32,y=4 --unroll i=1 --shared-mem false --reorder none ";
  const CliResult written =
      work.Run("tune p.idsl --offline there -D M=30,N=40 --budget 0.02 --arch sm_80 " + given);
  INFO(written.err << written.out);
  REQUIRE(written.status == 0);
  CHECK(Contains(written.out, "for sm_80"));
  CHECK(Contains(written.out, "--offline-results"));
  for (const char* file : {"Makefile", "tools/tune/offline/main.cpp", "plan.txt", "pack.json",
                           "check.bin", "src/candidate_000.cu", "src/candidate_001.cu"}) {
    INFO(file);
    CHECK(work.Exists(std::string("there/") + file));
  }
  // One whose results are wrong, and one that does not build, are out.
  const json pack = json::parse(work.Read("there/pack.json"));
  const std::size_t count = pack["candidates"].size();
  REQUIRE(count >= 3);
  REQUIRE(count <= 12);
  std::string wrong = work.Read("there/src/candidate_001.cu");
  const std::size_t factor = wrong.rfind("0.2");
  REQUIRE(factor != std::string::npos);
  work.Write("there/src/candidate_001.cu", wrong.replace(factor, 3, "0.3"));
  work.Write("there/src/candidate_002.cu", "#error no\n");
  const driver::ProcessResult made = driver::RunProcess(
      {"sh", "-c",
       fmt::format("cd '{}' && chmod +x ../nvcc && make -s -j2 tune NVCC=../nvcc 2>&1",
                   work.Path("there"))});
  INFO(made.output);
  CHECK(made.status == 0);
  CHECK(Contains(made.output, fmt::format("{} of {} candidates agree", count - 2, count)));
  json results = json::parse(work.Read("there/results.json"));
  CHECK(Contains(results["candidates"][1]["failure"], "`u` differs from the reference"));
  CHECK(results["candidates"][2]["failure"] == "it does not build");
  CHECK(results["compiler"] == "emulator, release 0");
  CHECK(results["candidates"][0]["ms"].get<double>() > 0);
  for (const json& pair : results["pairs"]) CHECK(pair.size() == 3);

  const std::string read = "tune p.idsl --offline-results there/results.json --tuning-db t.json ";
  const CliResult back = work.Run(read);
  INFO(back.err << back.out);
  CHECK(back.status == 0);
  CHECK(Contains(back.out, "p: tuned for cuda on "));
  CHECK(json::parse(work.Read("t.json"))["entries"][0]["key"]["sizes"]["M"] == 30);

  // With a result that is clear, the entry is used by what has the same options.
  results["best"] = count - 1;
  results["candidates"][count - 1] = {{"ms", 1.0}};
  results["pairs"] = json::array();
  for (int k = 0; k < 8; ++k) results["pairs"].push_back({3.0, 2.0});
  results["device"] = "A GPU";
  work.Write("there/results.json", results.dump());
  CHECK(Contains(work.Run(read).out, "1.5 times as fast (median of 8 pairs)"));
  const CliResult used =
      work.Run("p.idsl -o - -D M=30,N=40 --arch sm_80 --tuning-db t.json " + given);
  CHECK(used.status == 0);
  CHECK(Contains(used.err, "tuned for M = 30, N = 40, T = 2 on A GPU"));
  CHECK(work.Run("p.idsl -o - -D M=30,N=40 --tuning-db t.json").err.empty());
  // Without --arch it is for the one GPU that the program was tuned for, where there is one.
  const std::string open = "p.idsl -o - -D M=30,N=40 --explain --tuning-db t.json " + given;
  const CliResult only = work.Run(open);
  CHECK(only.status == 0);
  CHECK(Contains(only.err, "tuned for M = 30, N = 40, T = 2 on A GPU"));
  CHECK(Contains(only.err, "; the code is for sm_80"));
  CHECK(Contains(only.err, "A100"));
  json several = json::parse(work.Read("t.json"));
  json another = several["entries"].back();
  another["key"]["arch"] = "sm_86";
  several["entries"].push_back(another);
  work.Write("t.json", several.dump());
  CHECK_FALSE(Contains(work.Run(open).err, "tuned for"));
  several["entries"].back()["key"]["arch"] = "sm_90";
  work.Write("t.json", several.dump());
  CHECK(Contains(work.Run(open).err, "tuned for"));
  CHECK_FALSE(Contains(work.Run(open).err, "the code is for"));

  // Times that scatter decide nothing: what is known stays.
  const json known = json::parse(work.Read("t.json"))["entries"];
  json scattered = results;
  scattered["pairs"] = json::array();
  for (const double other : {2.0, 4.0, 1.5, 6.0, 3.0, 2.5}) {
    scattered["pairs"].push_back({3.0, other, 1.25});
  }
  work.Write("scattered.json", scattered.dump());
  const CliResult undecided =
      work.Run("tune p.idsl --offline-results scattered.json --tuning-db t.json ");
  INFO(undecided.err << undecided.out);
  CHECK(undecided.status == 0);
  CHECK(Contains(undecided.out,
                 "undecided  times cannot be compared: the default took 3 to 3 ms, while other "
                 "processes kept 1.2 processors busy"));
  CHECK(json::parse(work.Read("t.json"))["entries"].size() == known.size());
  CHECK(Contains(work.Run(open).err, "tuned for"));

  // Broken ones, and those of something else.
  const auto fails = [&](const std::string& text, const std::string& what) {
    work.Write("bad.json", text);
    const CliResult result =
        work.Run("tune p.idsl --offline-results bad.json --tuning-db new.json");
    INFO(text.substr(0, 200) << "\n" << result.err);
    CHECK(result.status == 1);
    CHECK(Contains(result.err, what));
    CHECK_FALSE(work.Exists("new.json"));
  };
  fails("{\n oops", "bad.json:2:2: this is not JSON");
  fails("{}", "bad.json: it is no result");
  fails("[]", "bad.json: it is no result");
  for (const auto& [name, value] : results.items()) {
    json less = results;
    less.erase(name);
    if (name == "arch") continue;
    fails(less.dump(), "bad.json: ");
  }
  json other = results;
  other["pack"]["key"]["program"] = "another";
  fails(other.dump(), "it is of another program");
  other = results;
  other["best"] = 100;
  fails(other.dump(), "it is no result");
  other = results;
  other["pairs"][0][1] = 0;
  fails(other.dump(), "it is no result");
  other = results;
  other["pack"]["candidates"][0] = {{"--out-file", "x"}};
  fails(other.dump(), "is no option of a schedule");
  CHECK(work.Run("tune p.idsl --offline there").status == 2);
  CHECK(work.Run("tune p.idsl --offline new --target cpp").status == 2);
  CHECK(work.Run("tune p.idsl --offline new --tile i=4").status == 2);
  CHECK(work.Run("tune p.idsl --offline /dev/null/x").status == 1);
  CHECK_FALSE(work.Exists("new"));
}
