#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "driver/host_library.h"
#include "graph/interpret.h"
#include "support/fp_mode.h"
#include "tools/measure/visits.h"
#include "tools/run/execute.h"
#include "tools/run/run_inputs.h"

namespace stencilgen::driver {

/// What libraries are called with.
struct VisitInputs {
  std::string name;  ///< of the host function
  Executor executor = Executor::Cpp;
  FpMode fp = FpMode::Fast;
  const graph::Graph* graph = nullptr;
  RunInputs timed;                   ///< of the size that counts
  RunInputs checked;                 ///< small and awkward
  graph::InterpretResult reference;  ///< of `checked`
};

/// One call for: a comparison with the reference, or some calls whose median time counts.
struct VisitRequest {
  std::filesystem::path library;
  bool check = false;
  int warmups = 1;
  int repeats = 1;
  double limit = 60;  ///< seconds after which it is given up
};

Backend BackendOf(Executor executor);

/// Visits one library after the other in a process of its own, which a crash or an endless loop
/// does not outlive; the rest then goes on in another. `stopped` ends it at once. One result a
/// request.
std::vector<measure::Visit> RunVisits(const VisitInputs& inputs,
                                      const std::vector<VisitRequest>& requests,
                                      const std::function<bool()>& stopped);

}  // namespace stencilgen::driver
