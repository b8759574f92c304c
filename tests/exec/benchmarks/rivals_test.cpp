// Programs in Devito, and what becomes of a run where Devito is missing or broken.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "suite/devito.h"
#include "suite/devito_code.h"
#include "suite/measure.h"
#include "support/catch.h"

using namespace stencilgen;
using namespace stencilgen::suite;

namespace {

/// The program for Devito, or why there is none.
Json Translated(const std::string& name) {
  const Versions versions =
      MakeVersions(MakeProgram(testing::BenchmarkNamed(name), false, {}), driver::Target::Cpp);
  std::string problem;
  const auto program = DevitoProgram(versions.graph, problem);
  CHECK(program.has_value() == problem.empty());
  return program ? *program : Json(problem);
}

/// A run of j2d5pt with this script for a Python that has Devito.
struct RunWith {
  explicit RunWith(const std::string& script, const std::string& option = "") {
    const auto python = directory.path() / "python3";
    std::ofstream(python) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    const auto file = directory.path() / "results.json";
    std::vector<std::string> command = {"env", "-u", "DEVITO_PYTHON",
                                        "HALIDE_ROOT=/no/such/folder"};
    command.push_back(
        option.empty() ? "DEVITO_PYTHON=" + python.string()
                       : fmt::format("PATH={}:{}", directory.path().string(), std::getenv("PATH")));
    command.insert(command.end(), {BENCHMARK_SUITE, "--quick", "--filter", "j2d5pt", "--target",
                                   "cpp", "--megabytes", "1", "--sample", "0.0005", "--repeats",
                                   "2", "--json", file.string()});
    if (option == "--rivals") command.push_back(option);
    result = driver::RunProcess(command);
    INFO(result.output);
    REQUIRE(std::filesystem::exists(file));
    std::ifstream stream(file);
    versions = Json::parse(stream).at("results").at(0).at("versions");
  }

  driver::TemporaryDirectory directory;
  driver::ProcessResult result;
  Json versions;
};

}  // namespace

TEST_CASE("programs are written in Devito from their graphs") {
  const Json jacobi = Translated("j2d5pt");
  INFO(jacobi.dump(1));
  CHECK(jacobi.at("domains") == Json::parse("[[[1, 1], [1, 1]]]"));
  CHECK(jacobi.at("reach") == 1);
  CHECK(jacobi.at("turns") == "T");
  CHECK(jacobi.at("grid") == Json::parse(R"(["M", "N"])"));
  REQUIRE(jacobi.at("lines").size() == 1);
  CHECK(jacobi.at("lines")[0].at("target") == "a_u[t + 1, j0, i0]");
  CHECK(jacobi.at("lines")[0].at("value").get<std::string>().find("5.0 * a_u[t, j0 - 1, i0]") !=
        std::string::npos);
  // Two levels that change places: the older one is where the new one goes.
  const Json cheby = Translated("cheby");
  INFO(cheby.dump(1));
  int levels = 0;
  for (const Json& function : cheby.at("functions")) levels += function.at("levels").get<int>();
  CHECK(levels == 4);
  CHECK(Translated("fdtd2d").at("lines").size() == 3);
  CHECK(Translated("hypterm").at("turns").is_null());
  for (const auto& [name, problem] : std::map<std::string, std::string>{
           {"heat2d-periodic", "a read elsewhere than at a fixed distance"},
           {"acoustic", "integers"},
           {"unsharp", "conditions"},
           {"vcycle-restriction", "a read elsewhere than at a fixed distance"}}) {
    CHECK(Translated(name) == problem);
  }
}

TEST_CASE("without Devito nothing is said, unless one asks") {
  const RunWith silent("exit 1\n", "--quick");
  INFO(silent.result.output);
  CHECK(silent.result.status == 0);
  CHECK(silent.versions.size() == 3);
  CHECK(silent.result.output.find("evito") == std::string::npos);
  const RunWith asked("exit 1\n", "--rivals");
  CHECK(asked.result.status == 0);
  CHECK(asked.result.output.find("Devito is not installed") != std::string::npos);
}

TEST_CASE("a run goes on where Devito is broken") {
  const std::string ready = "echo '{\"ready\": \"0.0\"}'\nread request\n";
  for (const auto& [script, problem] : std::map<std::string, std::string>{
           {"echo no module named devito >&2; exit 3\n",
            "Devito: it ended with status 3: no module named devito"},
           {ready + "kill -KILL $$\n", "Devito: signal 9 ended it"},
           {ready + "echo '{\"error\": \"cannot compile\"}'\nread request\n",
            "Devito: cannot compile"},
           {ready + "echo some banner; echo '{}'\nread request\necho '{\"error\": \"oops\"}'\n",
            "oops"},
           {ready + "echo '{}'\nread request\nexit 0\n", "it ended with status 0"},
           {ready + "echo '{}'\nread request\necho '{\"seconds\": 0.1}'\n",
            "u: relative RMS error"}}) {
    const RunWith run(script);
    INFO(script << run.result.output << run.versions.dump(1));
    CHECK(run.result.status == 0);
    REQUIRE(run.versions.size() == 4);
    CHECK(run.versions[3].at("name") == "devito");
    CHECK(run.versions[3].at("correct") == false);
    CHECK_FALSE(run.versions[3].contains("median"));
    CHECK(run.versions[3].at("problem").get<std::string>().find(problem) != std::string::npos);
    CHECK(run.versions[0].contains("median"));
    CHECK(run.versions[1].contains("median"));
  }
}

TEST_CASE("Devito computes what the programs say") {
  std::string note;
  const auto devito = Devito::Find(false, note);
  if (devito == nullptr) {
    WARN("no Devito");
    return;
  }
  for (const char* name : {"j2d5pt", "cheby", "denoise", "fdtd2d", "2d25pt"}) {
    for (const bool single : {false, true}) {
      DYNAMIC_SECTION(name << (single ? " float" : " double")) {
        const Program program = MakeProgram(testing::BenchmarkNamed(name), single, {});
        Versions versions = MakeVersions(program, driver::Target::Cpp);
        versions.all.clear();
        devito->AddTo(&versions, program);
        REQUIRE(versions.all.size() == 1);
        REQUIRE(versions.all[0].problem == "");
        CHECK(CheckVersion(versions.all[0], versions, program) == "");
      }
    }
  }
}
