#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/interpret.h"
#include "support/fp_mode.h"
#include "tools/run/execute.h"

namespace stencilgen::driver {

/// How one result compares with the reference, over the elements that have a value there.
struct Comparison {
  std::string name;
  std::size_t elements = 0;    ///< compared
  std::size_t not_finite = 0;  ///< of these, where the reference is infinite or no number
  double largest = 0;          ///< of the magnitudes of the reference that are finite
  double rel_rms = 0;          ///< root of (sum of squared differences / sum of squared reference)
  double max_abs_error = 0;
  double tolerance = 0;  ///< of rel_rms; 0 where the results must be equal
  bool equal = true;     ///< bit for bit
  bool passed = true;
  std::vector<std::int64_t> worst;  ///< index of the element that differs most
  double worst_value = 0;
  double worst_reference = 0;
};

/// Compares every output (grammar/README.md, Precision): equal for integers, and with strict
/// floating point on the CPU, or on the GPU where no library function is involved; else within a
/// relative RMS of 1e-5 where single precision is involved, 1e-12 in double.
/// Requires: both have one entry an output, of one type and size.
std::vector<Comparison> CompareOutputs(const graph::Graph& graph, const RunInputs& inputs,
                                       const std::vector<graph::Values>& outputs,
                                       const graph::InterpretResult& reference, Executor executor,
                                       FpMode fp);

/// `u[3][4]`
std::string ElementText(const std::string& array, const std::vector<std::int64_t>& index);

}  // namespace stencilgen::driver
