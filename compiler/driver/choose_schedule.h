#pragma once

#include <string>
#include <vector>

#include "choose/choose_nests.h"
#include "driver/pipeline.h"
#include "graph/graph.h"
#include "machine/gpu.h"
#include "passes/split_kernels.h"
#include "plan/cost.h"
#include "plan/fusion.h"
#include "plan/plan.h"

namespace stencilgen::driver {

/// A schedule that the chooser has priced.
struct Candidate {
  plan::Schedule schedule;
  int time_tile = 1;
  double seconds = 0;  ///< of one run of the program
  int split = 0;       ///< parts of each stretch of statements; 0: as the schedule's fusion says
  passes::Crossing crossing = passes::Crossing::Cheaper;  ///< with `split`
  double launches = 0;                                    ///< of kernels in one run
  int broken = 0;  ///< kernels more than `--split N` asks for
};

/// A candidate's plan, and how its statements came together.
struct PlannedCandidate {
  plan::Plan plan;
  plan::FusionResult fusion = {};      ///< of greedy fusion; else without regions
  passes::FissionReport fission = {};  ///< of a split program; node ids are the plan's graph's
};

/// Makes plans of candidates of one program: the stages of the pipeline between its graph and a
/// plan, which pipeline.cpp has.
class CandidatePlanner {
 public:
  virtual ~CandidatePlanner() = default;
  /// `settings`: of greedy fusion.
  virtual PlannedCandidate Plan(const Candidate& candidate,
                                const plan::FusionSettings& settings) = 0;
  /// What a split candidate does with the values that cross. Requires: candidate.split > 0.
  virtual const passes::FissionReport& Split(const Candidate& candidate) = 0;
};

/// A plan, and why it is this one.
struct ChosenPlan {
  plan::Plan plan;
  Candidate chosen;
  /// The best of those that were not taken, at most two, each of another kind.
  std::vector<Candidate> others;
  std::vector<Candidate> ranked;  ///< all that were priced, the best first; empty without choice
  int tried = 1;                  ///< schedules that were priced
  int register_limit = 0;         ///< of a thread, where the options set one
  plan::FusionResult fusion;      ///< how greedy fusion came to the kernels; else without regions
  passes::FissionReport fission;  ///< of a split program; node ids are the plan's graph's
  std::vector<choose::NestReport> nests;  ///< C++: by kernel; else empty
  std::vector<std::string> shared;        ///< arrays of values that several points need
  double unshared = 0;                    ///< seconds without these, where a GPU is chosen for
  std::vector<std::string> notes;         ///< what the options ask for and did not get
  /// Values of the parameters that the price is for, and the names of those that have none.
  graph::ParameterValues sizes;
  std::vector<std::string> assumed;
};

/// The device that a plan is chosen for. Requires: the options outlive it.
const machine::Gpu& DeviceOf(const PipelineOptions& options);

/// The plan of the options' schedule where that is all given; else the one with the least estimated
/// time among those that keep to what is given. Sizes are those of `-D`, else the parameters'
/// defaults, else usual ones for programs of that many dimensions. Never a plan with a worse
/// estimate than one kernel a statement without tiles, where the options allow that.
/// Requires: graph::Verify(graph) is empty; the planner is for the graph and these options.
ChosenPlan ChoosePlan(const graph::Graph& graph, const PipelineOptions& options,
                      CandidatePlanner& planner);

/// The candidate in a few words: its block, points, stream and time tile.
std::string ToString(const Candidate& candidate, const graph::Graph& graph);

}  // namespace stencilgen::driver
