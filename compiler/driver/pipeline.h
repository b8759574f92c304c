#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choose/nest_options.h"
#include "driver/code_options.h"
#include "driver/priced_candidates.h"
#include "graph/graph.h"
#include "graph/program.h"
#include "kernel/module.h"
#include "machine/target.h"
#include "passes/crossing.h"
#include "passes/share_values.h"
#include "plan/fusion.h"
#include "plan/plan.h"
#include "plan/turn_graph.h"
#include "support/diagnostics.h"
#include "support/source.h"

/// All stages from a program to its code, in order: pipeline.cpp is the list, and nothing else runs
/// passes over graphs or plans.
namespace stencilgen::driver {

enum class Target { Cuda, Cpp };

/// Where a program leaves the list of stages: what `--emit` names.
enum class Stage { Ast, Interface, Graph, Dot, Fused, Plan, Kernel, Cuda, Cpp };

/// True in debug builds, and where the environment has STENCILGEN_VERIFY, as that of tests.
bool VerifiesByDefault();

/// The parts of a schedule that the command line fixes.
struct GivenOptions {
  std::array<bool, 3> block = {false, false, false};  ///< along x, y, z
  bool stream = false, fusion = false, shared_memory = false, shuffle = false;
  bool prefetch = false, barriers = false, halo = false, form = false, time_tile = false,
       reorder = false, stages = false, shape = false;
};

/// Kernel fission (passes/split_kernels.h).
struct SplitOptions {
  int parts = 0;  ///< of each stretch of statements; 0: as many as are cheapest
  passes::Crossing crossing = passes::Crossing::Cheaper;  ///< where it is not chosen
};

struct PipelineOptions {
  // Of default form, but compiled once, in pipeline.cpp: they are large.
  PipelineOptions();
  PipelineOptions(const PipelineOptions&);
  PipelineOptions(PipelineOptions&&) noexcept;
  PipelineOptions& operator=(const PipelineOptions&);
  PipelineOptions& operator=(PipelineOptions&&) noexcept;
  ~PipelineOptions();

  std::string program_name = "program";       ///< a C identifier; the host function's name
  std::map<std::string, std::int64_t> fixed;  ///< `-D NAME=VALUE`
  std::map<std::string, ElementType> types;   ///< `--precision NAME=TYPE`
  plan::Schedule schedule;
  /// Along x, y, z: schedule.unroll was asked for and wins over the program's own `unroll`.
  std::array<bool, 3> unroll_given = {false, false, false};
  int time_tile = 1;                                 ///< steps of a loop that are planned together
  passes::Sharing sharing = passes::Sharing::Never;  ///< of values that several points compute
  /// What is not given is chosen (CUDA alone). Without, `schedule` and `time_tile` are meant as
  /// they are.
  bool choose = false;
  GivenOptions given;
  std::string arch;  ///< of the GPU to choose for; empty or unknown: the usual one
  std::optional<machine::Gpu> device;  ///< to choose for, where it is described; wins over `arch`
  std::optional<machine::Cpu> cpu;     ///< the same for C++ code; empty: machine::DefaultCpu()
  /// A constraint more for greedy fusion of the chosen schedule, and who prepares it; empty: none.
  plan::FusionCheck fusion_check;
  plan::FusionForesight fusion_foresight;
  /// CodegenOptions::kernel_orders for `--reorder auto` on CUDA; empty: by their static scores.
  std::function<std::vector<passes::Reorder>(const plan::Plan&, const CodegenOptions&)>
      choose_orders;
  /// Bytes that a thread of each kernel spills in its best order, stores and loads; empty: a plan
  /// is not split because it spills (SplitWhereSpilling).
  std::function<std::vector<int>(const plan::Plan&, const CodegenOptions&)> count_spills;
  std::optional<SplitOptions> split;  ///< instead of fusion
  /// Shared by all choices for one program and device; null: each prices its candidates itself.
  std::shared_ptr<PricedCandidates> priced;
  bool verify = VerifiesByDefault();  ///< checks what each stage makes, or ends the process
  /// Sees the graph after each stage that makes one; empty: nobody does.
  std::function<void(std::string_view stage, const graph::Graph&)> observe;
  Target target = Target::Cuda;
  plan::GraphUse graphs = plan::GraphUse::Auto;  ///< CUDA: of turns of loops
  choose::NestOptions nests;  ///< C++: what is given of loop nests; fusion, vectors, order and
                              ///< CPU are set from the other members
  CodegenOptions codegen;     ///< `function` is set from program_name, `source` from the file
};

struct ChosenPlan;

/// A program that went down the list of stages.
struct Lowered {
  std::optional<std::string> printed;  ///< what `--emit` shows; then the rest is empty
  plan::Plan plan;
  CodegenOptions codegen;  ///< what the plan was lowered with
  kernel::Module module;
};

/// Takes the program through all stages, or to the one that `--emit` names; printing the module is
/// left to who knows where its text goes. `source`: the program's file. `report` hears of the plan
/// that was chosen, before options of code are decided, which may take long. Empty exactly when
/// errors were reported.
std::optional<Lowered> Lower(const graph::Program& program, const SourceFile& source,
                             const PipelineOptions& options, std::optional<Stage> emit,
                             DiagnosticSink& sink,
                             const std::function<void(const ChosenPlan&)>& report = {});

/// The first part of the list: read, check, build and simplify the graph. Empty exactly
/// when errors were reported.
std::optional<graph::Graph> CompileToGraph(const SourceFile& source, const PipelineOptions& options,
                                           DiagnosticSink& sink);

/// The same from a program that has been read.
std::optional<graph::Graph> CompileToGraph(const graph::Program& program,
                                           const PipelineOptions& options, DiagnosticSink& sink);

/// The second part: schedules the graph for the target. Requires: it comes from
/// CompileToGraph with these options.
plan::Plan CompileToPlan(graph::Graph graph, const PipelineOptions& options);
/// The same, with what was chosen.
ChosenPlan CompileToChosenPlan(graph::Graph graph, const PipelineOptions& options);

/// What code is emitted with: `options.codegen`, and what the plan and the target decide.
CodegenOptions CodeOptions(const plan::Plan& plan, const SourceFile& source,
                           const PipelineOptions& options);

/// Where code of the target runs.
kernel::Target DeviceOf(Target target);

/// The third part: the plan as code. `codegen`: CodeOptions.
kernel::Module LowerPlan(const plan::Plan& plan, const PipelineOptions& options,
                         const CodegenOptions& codegen);

struct Compiled {
  plan::Plan plan;
  kernel::Module module;
  std::string text;    ///< the `.cu` or `.cpp`
  std::string header;  ///< its C/C++ header
};
/// The rest of the way from a plan, to a file of its own. `source` is the program's.
Compiled EmitCode(plan::Plan plan, const SourceFile& source, const PipelineOptions& options);

/// The whole way from source to text.
std::optional<Compiled> Compile(const SourceFile& source, const PipelineOptions& options,
                                DiagnosticSink& sink);

}  // namespace stencilgen::driver
