#include "support/suite.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace stencilgen::testing {
namespace {

namespace fs = std::filesystem;
using Sizes = std::map<std::string, std::int64_t>;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> SortedFolders(const fs::path& path) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (fs::exists(entry.path() / (entry.path().filename().string() + ".idsl"))) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// Sizes smaller than the stencil, around a block, prime, and the default block exactly.
std::vector<Sizes> AwkwardSizes(const std::string& name) {
  if (name == "advect1d") {
    return {
        {{"N", 1}, {"T", 3}}, {{"N", 2}, {"T", 1}}, {{"N", 33}, {"T", 5}}, {{"N", 257}, {"T", 2}}};
  }
  if (name == "heat3d") {
    return {{{"L", 1}, {"M", 1}, {"N", 1}, {"T", 2}},
            {{"L", 3}, {"M", 3}, {"N", 3}, {"T", 3}},
            {{"L", 7}, {"M", 11}, {"N", 33}, {"T", 2}},
            {{"L", 2}, {"M", 9}, {"N", 31}, {"T", 4}}};
  }
  if (name == "multigrid") {
    return {{{"M", 1}, {"N", 1}, {"T", 2}, {"C", 1}},
            {{"M", 2}, {"N", 3}, {"T", 2}, {"C", 3}},
            {{"M", 5}, {"N", 4}, {"T", 3}, {"C", 2}}};
  }
  if (name == "restriction") {
    return {{{"M", 1}, {"N", 1}, {"MC", 1}, {"NC", 1}, {"T", 1}},
            {{"M", 17}, {"N", 65}, {"MC", 9}, {"NC", 33}, {"T", 1}},
            {{"M", 16}, {"N", 30}, {"MC", 9}, {"NC", 33}, {"T", 1}}};
  }
  if (name == "shot") {
    const auto sizes = [](int m, int n, int t, int source, int shot, int receiver) {
      return Sizes{{"M", m},           {"N", n},       {"T", t},
                   {"SOURCE", source}, {"SHOT", shot}, {"RECEIVER", receiver}};
    };
    return {sizes(6, 9, 3, 2, 4, 1), sizes(2, 2, 3, 1, 1, 1), sizes(23, 67, 5, 20, 60, 4),
            sizes(8, 32, 2, 3, 31, 7)};
  }
  if (name == "survey") {
    // Before the first picture, with some, and with turns behind the last one.
    const auto sizes = [](int m, int n, int t, int source, int shot) {
      return Sizes{{"M", m}, {"N", n}, {"T", t}, {"SOURCE", source}, {"SHOT", shot}};
    };
    return {sizes(5, 7, 3, 2, 4), sizes(2, 2, 11, 1, 1), sizes(23, 67, 24, 20, 60),
            sizes(8, 32, 2, 3, 31)};
  }
  return {{{"M", 1}, {"N", 1}, {"T", 3}},  {{"M", 2}, {"N", 3}, {"T", 1}},
          {{"M", 1}, {"N", 37}, {"T", 2}}, {{"M", 23}, {"N", 67}, {"T", 3}},
          {{"M", 8}, {"N", 32}, {"T", 2}}, {{"M", 5}, {"N", 31}, {"T", 4}}};
}

}  // namespace

std::string Benchmark::Identifier() const {
  std::string identifier = name;
  std::replace(identifier.begin(), identifier.end(), '-', '_');
  const bool digit = std::isdigit(static_cast<unsigned char>(identifier.front())) != 0;
  return digit ? "s" + identifier : identifier;
}

std::string Benchmark::SinglePrecisionText() const {
  return std::regex_replace(text, std::regex("\\bdouble\\b"), "float");
}

std::vector<TestProgram> Examples() {
  std::vector<TestProgram> programs;
  for (const fs::path& folder : SortedFolders(fs::path(STENCILGEN_SOURCE_DIR) / "examples")) {
    TestProgram program;
    program.name = folder.filename().string();
    program.text = ReadText(folder / (program.name + ".idsl"));
    program.sizes = AwkwardSizes(program.name);
    // Of cells with other numbers none lives on, and no result depends on more than the first step.
    if (program.name == "life") program.lowest_input = 0;
    programs.push_back(std::move(program));
  }
  return programs;
}

bool HasSeveralGrids(const TestProgram& example) {
  return example.name == "multigrid" || example.name == "restriction";
}

std::vector<Benchmark> Benchmarks() {
  std::vector<Benchmark> benchmarks;
  const fs::path root = fs::path(STENCILGEN_SOURCE_DIR) / "benchmarks" / "stencils";
  for (const fs::path& folder : SortedFolders(root)) {
    const auto json = nlohmann::json::parse(ReadText(folder / "bench.json"));
    Benchmark benchmark;
    benchmark.name = folder.filename().string();
    benchmark.text = ReadText(folder / (benchmark.name + ".idsl"));
    benchmark.suite = json.at("suite").get<std::string>().front();
    benchmark.full = json.at("sizes").get<Sizes>();
    for (const auto& [name, value] : json.at("steps").get<Sizes>()) benchmark.full[name] = value;
    benchmark.small = json.at("small").get<Sizes>();
    benchmark.lowest_input = json.value("lowest_input", -1.0);
    benchmark.scalars = json.value("scalars", std::map<std::string, double>());
    benchmark.flops_per_point = json.at("flops_per_point").get<int>();
    benchmark.arrays_read = json.at("arrays_read").get<int>();
    benchmark.arrays_written = json.at("arrays_written").get<int>();
    benchmarks.push_back(std::move(benchmark));
  }
  return benchmarks;
}

Benchmark BenchmarkNamed(const std::string& name) {
  for (Benchmark& benchmark : Benchmarks()) {
    if (benchmark.name == name) return std::move(benchmark);
  }
  throw std::invalid_argument("no such benchmark: " + name);
}

}  // namespace stencilgen::testing
