#pragma once

#include <string>
#include <vector>

#include "suite/machine.h"
#include "suite/versions.h"

namespace stencilgen::suite {

/// Why the version's results at the program's small sizes are not the interpreter's; empty where
/// they are.
std::string CheckVersion(const Version& version, const Versions& versions, const Program& program);

struct Effort {
  double sample = 0.1;  ///< seconds, at least
  int repeats = 7;
  double budget = 30;  ///< seconds for all samples; fewer are taken where they would take longer
  bool cuda = false;   ///< times by events on the GPU
};

/// Seconds of a step, one a sample; empty where the version failed.
struct Samples {
  std::vector<double> seconds;
  int steps = 0;  ///< of a sample
  std::string problem;
};

/// Samples of each version that runs, taken in turns.
std::vector<Samples> Measure(const Versions& versions, const Program& program,
                             const Effort& effort);

}  // namespace stencilgen::suite
