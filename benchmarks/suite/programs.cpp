#include "suite/programs.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>
#include <fnmatch.h>

namespace stencilgen::suite {
namespace {

double PointsOf(const std::map<std::string, std::int64_t>& sizes) {
  double points = 1;
  for (const auto& [name, size] : sizes) points *= static_cast<double>(size);
  return points;
}

}  // namespace

double Program::Points() const {
  return PointsOf(sizes);
}

double Program::Bytes() const {
  return Points() * (single ? 4 : 8) * (benchmark.arrays_read + benchmark.arrays_written);
}

double Program::Flops() const {
  return Points() * benchmark.flops_per_point;
}

Program MakeProgram(const testing::Benchmark& benchmark, bool single,
                    const std::map<std::string, std::int64_t>& sizes) {
  Program program;
  program.benchmark = benchmark;
  program.single = single;
  program.text = single ? benchmark.SinglePrecisionText() : benchmark.text;
  for (const auto& [name, value] : benchmark.full) {
    if (name == "T") {
      program.iterates = true;
      continue;
    }
    const auto given = sizes.find(name);
    program.sizes[name] = given != sizes.end() ? given->second : value;
  }
  for (const auto& [name, value] : sizes) {
    program.text = std::regex_replace(program.text, std::regex(fmt::format("\\b{}=\\d+", name)),
                                      fmt::format("{}={}", name, value));
  }
  return program;
}

std::map<std::string, std::int64_t> SizesWithin(const testing::Benchmark& benchmark, bool single,
                                                double bytes) {
  std::map<std::string, std::int64_t> sizes = benchmark.full;
  sizes.erase("T");
  const double point = (single ? 4.0 : 8.0) * (benchmark.arrays_read + benchmark.arrays_written);
  constexpr std::int64_t kLeast = 16;
  while (PointsOf(sizes) * point > bytes) {
    // L, M, N: the outermost of the longest comes first.
    const auto longest =
        std::max_element(sizes.begin(), sizes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (longest->second <= kLeast) break;
    longest->second /= 2;
  }
  return sizes;
}

std::vector<Program> ChoosePrograms(const Options& options, double bytes) {
  std::vector<Program> programs;
  const std::vector<testing::Benchmark> benchmarks = testing::Benchmarks();
  for (const char suite : options.suites) {
    for (const bool single : options.single) {
      for (const testing::Benchmark& benchmark : benchmarks) {
        if (benchmark.suite != suite ||
            fnmatch(options.filter.c_str(), benchmark.name.c_str(), 0) != 0) {
          continue;
        }
        programs.push_back(MakeProgram(benchmark, single, SizesWithin(benchmark, single, bytes)));
      }
    }
  }
  return programs;
}

}  // namespace stencilgen::suite
