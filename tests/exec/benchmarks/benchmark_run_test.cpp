// benchmarks/run from its command line to its results.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "driver/tuning_db.h"
#include "frontend/read_program.h"
#include "suite/programs.h"
#include "support/catch.h"

using namespace stencilgen;
using nlohmann::json;

namespace {

/// Tiny arrays, short samples.
const std::vector<std::string> kTiny = {"--megabytes", "1",  "--sample",    "0.0005",
                                        "--repeats",   "2",  "--no-rivals", "--quick",
                                        "--target",    "cpp"};

std::vector<std::string> Command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kTiny.begin(), kTiny.end());
  arguments.insert(arguments.begin(), BENCHMARK_SUITE);
  return arguments;
}

json ReadJson(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file, nullptr, false);
}

}  // namespace

TEST_CASE("a quick run measures and checks every version") {
  const driver::TemporaryDirectory directory;
  const auto file = directory.path() / "results.json";
  const driver::ProcessResult run = driver::RunProcess(
      Command({"--filter", "j2d5pt", "--type", "float", "--json", file.string()}));
  INFO(run.output);
  REQUIRE(run.status == 0);
  const json document = ReadJson(file);
  CHECK(document.at("schema") == 1);
  CHECK(document.at("kind") == "stencilgen-benchmarks");
  CHECK(document.at("compilers").at("cpp").contains("version"));
  CHECK(document.at("machine").at("cpu").at("cores") >= 1);
  CHECK(document.at("machine").at("cpu").at("copy_bytes_per_second") > 1e8);
  CHECK(document.contains("revision"));
  CHECK(document.contains("finished"));
  REQUIRE(document.at("results").size() == 1);
  const json& result = document["results"][0];
  CHECK(result.at("program") == "j2d5pt");
  CHECK(result.at("type") == "float");
  CHECK(result.at("points") ==
        result["sizes"]["M"].get<double>() * result["sizes"]["N"].get<double>());
  CHECK(result.at("bytes") == 8 * result["points"].get<double>());
  CHECK(result.at("flops") == 10 * result["points"].get<double>());
  REQUIRE(result.at("versions").size() == 3);
  for (const json& version : result["versions"]) {
    if (version.contains("same_as")) continue;
    CHECK(version.at("correct") == true);
    CHECK(version.at("seconds").size() == 2);
    CHECK(version.at("low") <= version.at("median"));
    CHECK(version.at("median") <= version.at("high"));
    CHECK(version.at("steps").get<int>() % 2 == 0);
  }
  CHECK(result["versions"][0]["name"] == "plain");
  CHECK(result["versions"][2]["name"] == "default");
}

TEST_CASE("a bad command line is refused, and writes nothing") {
  const driver::TemporaryDirectory directory;
  const std::string file = (directory.path() / "results.json").string();
  for (const std::vector<std::string>& bad :
       std::vector<std::vector<std::string>>{{"--frobnicate"},
                                             {"--suite", "E"},
                                             {"--type", "half"},
                                             {"--target", "fpga"},
                                             {"--minutes", "-1"},
                                             {"--page", "results.pdf"},
                                             {"--json", "no/such/folder/results.json"},
                                             {"left over"}}) {
    std::vector<std::string> arguments = {BENCHMARK_SUITE, "--json", file};
    if (bad[0] == "--json") arguments.resize(1);
    arguments.insert(arguments.end(), bad.begin(), bad.end());
    const driver::ProcessResult run = driver::RunProcess(arguments);
    INFO(bad[0] << ": " << run.output);
    CHECK(run.status == 2);
    CHECK(run.output.size() > 10);
  }
  const driver::ProcessResult nothing =
      driver::RunProcess({BENCHMARK_SUITE, "--json", file, "--filter", "nosuch*"});
  CHECK(nothing.status == 1);
  CHECK(nothing.output.find("no program is called nosuch*") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a killed run leaves results that the next one goes on with") {
  const driver::TemporaryDirectory directory;
  const auto file = directory.path() / "results.json";
  const std::vector<std::string> command =
      Command({"--filter", "j2d[59]pt", "--json", file.string()});
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) == 0);
  // Between two results; the file is whole at any time.
  json document;
  for (int n = 0; n < 6000; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!std::filesystem::exists(file)) continue;
    document = ReadJson(file);
    REQUIRE_FALSE(document.is_discarded());
    if (!document["results"].empty()) break;
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  document = ReadJson(file);
  REQUIRE_FALSE(document.is_discarded());
  REQUIRE_FALSE(document["results"].empty());

  std::vector<std::string> again = command;
  again.emplace_back("--resume");
  const driver::ProcessResult run = driver::RunProcess(again);
  INFO(run.output);
  REQUIRE(run.status == 0);
  const json resumed = ReadJson(file);
  REQUIRE(resumed["results"].size() == 2);
  CHECK(resumed["results"][0] == document["results"][0]);
  CHECK(resumed["results"][1]["versions"].size() == 3);

  // Of another revision, or nothing that could be gone on with.
  json other = resumed;
  other["revision"] = {{"commit", "0123"}, {"dirty", false}};
  std::ofstream(file) << other;
  CHECK(driver::RunProcess(again).status == 1);
  CHECK(ReadJson(file) == other);
  std::ofstream(file) << "{\"schema\":";
  const driver::ProcessResult broken = driver::RunProcess(again);
  CHECK(broken.status == 1);
  CHECK(broken.output.find("holds no results") != std::string::npos);
}

TEST_CASE("what there is no time for is said to be so") {
  const driver::TemporaryDirectory directory;
  const auto file = directory.path() / "results.json";
  const driver::ProcessResult run =
      driver::RunProcess(Command({"--filter", "j2d5pt", "--minutes", "0.0001", "--check", "--type",
                                  "double,float", "--json", file.string()}));
  REQUIRE(run.status == 0);
  const json document = ReadJson(file);
  CHECK(document["results"].back()["problem"] == "not measured: out of time");
}

TEST_CASE("a compiler that is killed has another try, and then the row says how it ended") {
  const driver::TemporaryDirectory directory;
  const auto file = directory.path() / "results.json";
  const auto compiler = directory.path() / "compiler";
  const auto run = [&](const std::string& condition) {
    std::ofstream(compiler) << "#!/bin/sh\ncase \"$*\" in *_plain.cpp*) " << condition
                            << " ;; esac\nexec g++ \"$@\"\n";
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    std::vector<std::string> command =
        Command({"--filter", "j2d5pt", "--type", "double", "--json", file.string()});
    command.insert(command.begin(), {"env", "CXX=" + compiler.string()});
    return driver::RunProcess(command);
  };
  const auto plain = [&] { return ReadJson(file).at("results").at(0).at("versions").at(0); };

  const std::string once = (directory.path() / "once").string();
  const driver::ProcessResult passing =
      run("[ -e '" + once + "' ] || { touch '" + once + "'; kill -KILL $$; }");
  INFO(passing.output);
  CHECK(passing.status == 0);
  CHECK(passing.output.find("once more, since it does not compile: the compiler ended with signal "
                            "9 (Killed)") != std::string::npos);
  CHECK(plain().at("correct") == true);
  CHECK(plain().contains("median"));

  const driver::ProcessResult failing = run("echo no space left >&2; exit 4");
  INFO(failing.output);
  CHECK(failing.status == 1);
  CHECK(plain().at("problem") ==
        "does not compile: the compiler ended with status 4\nno space left\n");
  CHECK(ReadJson(file).at("results").at(0).at("versions").at(1).contains("median"));
}

TEST_CASE("what was tuned is measured beside the default") {
  const driver::TemporaryDirectory directory;
  const auto file = directory.path() / "results.json";
  const auto database = directory.path() / "tuning.json";
  const auto run = [&](const std::string& db) {
    return driver::RunProcess(Command(
        {"--filter", "j2d5pt", "--type", "double", "--tuning-db", db, "--json", file.string()}));
  };
  REQUIRE(run("none").status == 0);
  const json before = ReadJson(file).at("results").at(0);
  REQUIRE(before.at("versions").size() == 3);

  driver::TuningEntry entry;
  const SourceFile source("j2d5pt.idsl", testing::BenchmarkNamed("j2d5pt").text);
  DiagnosticSink sink;
  const driver::ProgramIdentity identity = driver::IdentityOf(*ReadProgram(source, sink));
  entry.key = {identity.hash, identity.type,     "cpp", "", driver::CpuName(), {}, {},
               "g++",         STENCILGEN_VERSION};
  for (const auto& [name, value] : before.at("sizes").items()) entry.key.sizes[name] = value;
  entry.key.sizes["T"] = 4;
  entry.options = {{"--threads", "1"}};
  REQUIRE_FALSE(driver::StoreTuningEntry(database, entry));
  const driver::ProcessResult tuned = run(database.string());
  INFO(tuned.output);
  REQUIRE(tuned.status == 0);
  CHECK(tuned.output.find("tuned") != std::string::npos);
  const json version = ReadJson(file).at("results").at(0).at("versions").at(3);
  CHECK(version.at("name") == "tuned");
  CHECK(version.at("how") == "--threads 1");
  CHECK(version.at("correct") == true);
  CHECK(version.at("seconds").size() == 2);

  // The default was best, or it is of other sizes, or of another machine.
  entry.options = {};
  REQUIRE_FALSE(driver::StoreTuningEntry(database, entry));
  REQUIRE(run(database.string()).status == 0);
  CHECK(ReadJson(file).at("results").at(0).at("versions").at(3).at("same_as") == "default");
  for (const char* what : {"sizes", "device"}) {
    std::filesystem::remove(database);
    driver::TuningEntry other = entry;
    if (what == std::string("sizes")) other.key.sizes["M"] += 1;
    if (what == std::string("device")) other.key.device = "an abacus";
    REQUIRE_FALSE(driver::StoreTuningEntry(database, other));
    REQUIRE(run(database.string()).status == 0);
    CHECK(ReadJson(file).at("results").at(0).at("versions").size() == 3);
  }

  // A broken one is an error before anything is measured, and nothing is lost.
  const json kept = ReadJson(file);
  std::ofstream(database) << "{ oops";
  const driver::ProcessResult broken = run(database.string());
  INFO(broken.output);
  CHECK(broken.status == 1);
  CHECK(broken.output.find("the tuning database cannot be used") != std::string::npos);
  CHECK(ReadJson(file) == kept);
  CHECK(run("no/such.json").status == 2);
}
