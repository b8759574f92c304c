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

/// Of a kernel that is there with either index (kernel/code.h), under that mangled name: the one
/// for arrays that need 64-bit positions. Few do, and it says nothing of the other one.
bool HasLongPositions(const std::string& mangled);

/// The most of each over all kernels of a report, but for those with long positions. With an error
/// where it names no kernel.
CompiledKernel ReadPtxasOutput(const std::string& output);

/// The most of each over all kernels of that name in the source, but for those with long positions:
/// templates may have several. With an error where there is none.
CompiledKernel FindInReport(const std::vector<ReportedKernel>& report, const std::string& name);

}  // namespace stencilgen::driver
