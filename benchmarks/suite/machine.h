#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace stencilgen::suite {

using Json = nlohmann::ordered_json;

/// What the numbers depend on: processor, caches, memory, load, GPU.
Json DescribeMachine();

/// Bytes of the largest cache; 32 MiB where the system does not tell.
double LastLevelCache();

/// What this machine reaches: bytes/s of a copy (read plus written) of arrays of so many bytes, and
/// flop/s of multiply-adds that stay in registers, in both precisions. Compiled with the compiler
/// that compiles the programs.
struct Peaks {
  double copy = 0;         ///< through the caches, as loops store
  double copy_direct = 0;  ///< by memcpy, which may store past them
  double flops_double = 0;
  double flops_float = 0;
  std::string error;
};
Peaks MeasurePeaks(double bytes, bool quick);

/// Name of the GPU and bytes/s of a copy on it; without where there is none, or no nvcc.
struct Gpu {
  std::string name;
  std::string arch;  ///< `sm_90`
  double copy = 0;
  std::string error;
};
Gpu FindGpu();

}  // namespace stencilgen::suite
