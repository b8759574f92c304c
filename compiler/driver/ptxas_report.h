#pragma once

#include <string>
#include <vector>

namespace stencilgen::driver {

/// What ptxas says of a kernel, or of several the most of each. Bytes are bytes of a thread, but
/// for shared memory, which is a block's.
struct CompiledKernel {
  int registers = 0;
  int spill_stores = 0, spill_loads = 0;
  int stack = 0;
  int shared = 0;     ///< static
  std::string error;  ///< why there is no answer; empty where there is one

  int Spilled() const { return spill_stores > spill_loads ? spill_stores : spill_loads; }
};

/// A kernel of a report, under its mangled name.
struct ReportedKernel {
  std::string name;
  CompiledKernel kernel;
};

/// The kernels in the output of `nvcc -Xptxas -v`, in its order.
std::vector<ReportedKernel> ReadPtxasReport(const std::string& output);

/// The most of each over all kernels of a report. With an error where it names no kernel.
CompiledKernel ReadPtxasOutput(const std::string& output);

/// The most of each over all kernels of that name in the source: templates may have several.
/// With an error where there is none.
CompiledKernel FindInReport(const std::vector<ReportedKernel>& report, const std::string& name);

}  // namespace stencilgen::driver
