#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/option_set.h"
#include "driver/options.h"
#include "graph/program.h"

namespace stencilgen::driver {

/// What a tuned plan is for: results of one key compete, results of different keys do not.
struct TuningKey {
  std::string program;  ///< hash of what the program means, whatever its sizes
  std::string type;     ///< of the elements: `double`, `float`, `mixed`
  std::string target;   ///< `cuda`, `cpp`
  std::string arch;     ///< `sm_90`; empty for cpp
  std::string device;   ///< model of the GPU, or of the CPU with its threads
  /// Values of the parameters.
  std::map<std::string, std::int64_t> sizes;
  OptionSet given;       ///< options that were given by hand
  std::string compiler;  ///< first line of `g++ --version`, or nvcc's release
  std::string version;   ///< of stencilgen

  friend bool operator==(const TuningKey&, const TuningKey&) = default;
};

/// One line from which keys that differ differ: the name of files.
std::string ToString(const TuningKey& key);

/// `M = 8192, N = 8192`
std::string SizesText(const std::map<std::string, std::int64_t>& sizes);

/// The parts of a key that a program has by itself.
struct ProgramIdentity {
  std::string hash, type;
  std::vector<std::string> extents;              ///< parameters that sizes of arrays depend on
  std::map<std::string, std::int64_t> defaults;  ///< of parameters that have one
};
/// The graph's text without names of functions and values of parameters: comments and layout do not
/// count. Empty hash where the program has errors.
ProgramIdentity IdentityOf(const graph::Program& program);

/// `AMD EPYC 7763`; `unknown CPU` where the system does not say.
std::string CpuModel();

/// `AMD EPYC 7763, 16 threads`: the CPU, and how many threads OpenMP takes.
std::string CpuName();

/// The first line of what the C++ compiler, or nvcc, says of its version; empty without one.
std::string CompilerVersion(Target target);

}  // namespace stencilgen::driver
