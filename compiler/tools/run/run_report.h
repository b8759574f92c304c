#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/fp_mode.h"
#include "tools/explain/metrics.h"
#include "tools/run/execute.h"
#include "tools/run/own_types.h"
#include "tools/run/run_ranks.h"
#include "tools/run/verify_run.h"

namespace stencilgen::driver {

/// Everything `stencilgen run` has to say about one execution.
struct RunReport {
  std::string program;
  Executor executor = Executor::Cpp;
  FpMode fp = FpMode::Fast;
  const graph::Graph* graph = nullptr;
  const RunInputs* inputs = nullptr;
  const Execution* execution = nullptr;
  Work work;
  std::optional<std::vector<Comparison>> comparisons;  ///< where --verify was given
  std::vector<TypeError> type_errors;                  ///< the same, with --precision
  std::vector<std::string> written;                    ///< files
  std::optional<RanksRun> ranks;                       ///< where --ranks was given

  bool Passed() const;
  /// One line on the first result that differs from the reference. Requires: !Passed().
  std::string Summary() const;
};

/// For people: a few lines.
std::string ReportText(const RunReport& report);

/// One JSON object on one line.
std::string ReportJson(const RunReport& report);

/// The JSON object of a run that failed.
std::string ErrorJson(const std::string& message);

}  // namespace stencilgen::driver
