#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "suite/options.h"
#include "support/suite.h"

namespace stencilgen::suite {

/// A benchmark in one precision at the sizes to measure.
struct Program {
  testing::Benchmark benchmark;
  bool single = false;
  std::map<std::string, std::int64_t> sizes;  ///< without the number of steps
  bool iterates = false;                      ///< has a parameter T
  std::string text;                           ///< with these sizes as defaults

  std::string type() const { return single ? "float" : "double"; }
  /// Points of one step.
  double Points() const;
  /// Bytes that a step has to move at least: every array that it must read or write, once.
  double Bytes() const;
  double Flops() const;
};

/// The program at these sizes; those that are missing are as in the literature.
Program MakeProgram(const testing::Benchmark& benchmark, bool single,
                    const std::map<std::string, std::int64_t>& sizes);

/// The sizes of the literature, the longest extent halved until the arrays of one step take no
/// more than `bytes`.
std::map<std::string, std::int64_t> SizesWithin(const testing::Benchmark& benchmark, bool single,
                                                double bytes);

/// Those that the options ask for, suite by suite. `bytes`: what their arrays may take.
std::vector<Program> ChoosePrograms(const Options& options, double bytes);

}  // namespace stencilgen::suite
