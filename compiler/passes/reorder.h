#pragma once

#include <cstdint>

#include "kernel/body.h"
#include "passes/body_cost.h"
#include "passes/latencies.h"

namespace stencilgen::passes {

/// Which scheduler orders the instructions of a body.
enum class Reorder : std::uint8_t {
  None,
  Trees,  ///< [S] chapter 4, by live values
  Lars,   ///< [S] chapter 5, by live values
  Auto,   ///< the better of all, by what a device's registers hold
  /// What tables compare with: the points of a thread one after the other as straight-line code, in
  /// the order of the program.
  Unrolled,
  LarsRows,          ///< LARS from the program's orders alone, by what a device's registers hold
  LarsCoefficients,  ///< LARS, by live values and coefficients, all of which are labels then
};

/// True where bodies are lowered and ordered.
constexpr bool Reorders(Reorder how) {
  return how != Reorder::None && how != Reorder::Unrolled;
}

struct ReorderOptions {
  Reorder how = Reorder::None;
  Latencies latencies = kGpuLatencies;
  int max_permutations = 20000;  ///< see TreesOptions
  int window = 2;                ///< see LarsOptions
  RegisterRules registers = kGpuRegisters;
  int shadow_limit = 0;  ///< shadows (AddShadows) where no more values are live then; 0: none
};

/// Reorders for few live values. Of several results, the one with the smallest BodyCost.
/// Requires: kernel::Verify finds nothing.
/// Ensures: MAXLIVE is not above the input's; the input where nothing is to be reordered.
kernel::Body ReorderBody(kernel::Body body, const ReorderOptions& options);

}  // namespace stencilgen::passes
