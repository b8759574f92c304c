#include "suite/environment.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "driver/host_library.h"
#include "driver/subprocess.h"

namespace stencilgen::suite {
namespace {

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Of a command that may hold a launcher or flags besides the compiler.
std::string VersionOf(const std::string& command) {
  std::istringstream words(command);
  std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
  arguments.emplace_back("--version");
  return FirstLine(driver::RunProcess(arguments).output);
}

std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

}  // namespace

Json DescribeRevision() {
  const auto git = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", STENCILGEN_SOURCE_DIR});
    return driver::RunProcess(arguments);
  };
  if (driver::FindProgram("git").empty()) return nullptr;
  const driver::ProcessResult commit = git({"rev-parse", "HEAD"});
  if (commit.status != 0) return nullptr;
  const driver::ProcessResult changes = git({"status", "--porcelain"});
  return {{"commit", FirstLine(commit.output)}, {"dirty", !changes.output.empty()}};
}

Json DescribeCompilers() {
  Json compilers = Json::object();
  const std::string cpp = driver::FindCompiler(driver::Backend::Cpp);
  if (!cpp.empty()) {
    compilers["cpp"] = {{"command", cpp},
                        {"version", VersionOf(cpp)},
                        {"flags",
                         "-std=c++17 -O3 -march=native -fopenmp -ffp-contract=fast "
                         "-fassociative-math -fno-signed-zeros -fno-trapping-math "
                         "-fno-math-errno"},
                        {"plain_flags", "-std=c++17 -O3 -march=native -fopenmp -ffast-math"}};
  }
  const std::string nvcc = driver::FindCompiler(driver::Backend::Cuda);
  if (!nvcc.empty()) {
    compilers["nvcc"] = {{"command", nvcc},
                         {"version", LastLine(driver::RunProcess({nvcc, "--version"}).output)},
                         {"flags", "-std=c++17 -O3"}};
  }
  return compilers;
}

std::string Now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Json MeasureCompiler() {
  Json all = Json::array();
  const std::filesystem::path folder = std::filesystem::path(STENCILGEN_BINARY_DIR) / "benchmarks";
  for (const std::string name : {"compile_speed", "fusion_speed", "reorder_speed"}) {
    const std::filesystem::path program = folder / name / name;
    if (!std::filesystem::exists(program)) continue;
    const auto begin = std::chrono::steady_clock::now();
    const driver::ProcessResult result = driver::RunProcess({program.string()});
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    all.push_back({{"name", name},
                   {"status", result.status},
                   {"seconds", time.count()},
                   {"output", result.output}});
  }
  return all;
}

Json DescribeTests() {
  // Lines of a name, how often it ran and the mean of its seconds, up to a line of dashes.
  std::ifstream costs(std::filesystem::path(STENCILGEN_BINARY_DIR) / "Testing" / "Temporary" /
                      "CTestCostData.txt");
  Json tests = Json::array();
  for (std::string line; std::getline(costs, line) && line.rfind("---", 0) != 0;) {
    std::istringstream words(line);
    std::string name;
    int runs = 0;
    double seconds = 0;
    if (words >> name >> runs >> seconds && runs > 0) {
      tests.push_back({{"name", name}, {"seconds", seconds}});
    }
  }
  return tests.empty() ? Json() : tests;
}

}  // namespace stencilgen::suite
