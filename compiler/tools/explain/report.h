#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/choose_schedule.h"
#include "driver/pipeline.h"
#include "graph/graph.h"
#include "machine/cpu.h"
#include "machine/gpu.h"
#include "support/source.h"

namespace stencilgen::driver {

/// What a report is about. All references must outlive it.
struct Explained {
  const SourceFile& source;
  const graph::Graph& graph;  ///< before any plan
  const ChosenPlan& chosen;
  const PipelineOptions& options;  ///< that the plan was chosen with
  const machine::Gpu& gpu;         ///< predictions are for it where the target is CUDA
  const machine::Cpu& cpu;         ///< and for it where the target is C++
  std::string command;             ///< as typed
  std::vector<std::string> notes;  ///< what the user should know besides
};

/// Everything that `stencilgen explain` knows of a plan, as one JSON object: the program with its
/// graph, every kernel with its tile and its time, the device's limits, and what was not chosen.
/// `explain --json` prints it, `explain --page` draws it. A time that is infinite, because
/// something cannot run, is null.
nlohmann::ordered_json MakeReport(const Explained& explained);

/// The object as a line of text in UTF-8; bytes of the program that are not UTF-8 are replaced.
std::string ReportText(const nlohmann::ordered_json& report);

}  // namespace stencilgen::driver
