#pragma once

#include <vector>

#include "passes/reorder.h"
#include "plan/plan.h"
#include "support/fp_mode.h"
#include "support/source.h"

namespace stencilgen::lower {

/// How a plan becomes code.
struct Options {
  FpMode fp = FpMode::Fast;
  passes::ReorderOptions reorder =
      {};  ///< of straight-line code; Requires: FpMode::Fast but for None
  /// CUDA: the orders of kernels one by one, by kernel; empty: reorder.how for each.
  std::vector<passes::Reorder> kernel_orders = {};
  bool distribute = false;  ///< any factor over sums before reordering, not only where that is free
  int registers = 0;        ///< at most so many a thread (CUDA 12.4 or later); 0: as nvcc sees fit
  const SourceFile* source = nullptr;  ///< for comments with source lines; may be null
};

/// How the kernel's instructions are ordered.
passes::ReorderOptions OrderOf(const Options& options, plan::KernelId kernel);

}  // namespace stencilgen::lower
