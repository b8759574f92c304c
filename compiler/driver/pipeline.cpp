#include "driver/pipeline.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "choose/choose_matrix_tiles.h"
#include "choose/choose_nests.h"
#include "choose/fit_caches.h"
#include "choose/fuse_reductions.h"
#include "choose/shift_rows.h"
#include "driver/choose_schedule.h"
#include "driver/interface_json.h"
#include "driver/schedule_notes.h"
#include "driver/split_plans.h"
#include "driver/split_spilling.h"
#include "driver/target_options.h"
#include "frontend/read_program.h"
#include "graph/print.h"
#include "graph/turns.h"
#include "graph/verify.h"
#include "lower/lower.h"
#include "passes/advance_reductions.h"
#include "passes/copy_frames.h"
#include "passes/eliminate_dead.h"
#include "passes/fold_scale.h"
#include "passes/hoist_scalars.h"
#include "passes/merge_terms.h"
#include "passes/repeat_operators.h"
#include "passes/share_divisors.h"
#include "passes/simplify_boundaries.h"
#include "passes/split_components.h"
#include "passes/split_kernels.h"
#include "passes/split_looks.h"
#include "passes/split_loops.h"
#include "passes/unroll_time.h"
#include "passes/use_reciprocals.h"
#include "plan/choose_hexagon.h"
#include "plan/cost.h"
#include "plan/plan_fused.h"
#include "plan/plan_kernels.h"
#include "plan/print.h"
#include "plan/print_fusion.h"
#include "plan/sweep_in_place.h"
#include "plan/time_band.h"
#include "plan/time_pipeline.h"
#include "plan/verify.h"
#include "support/check.h"

namespace stencilgen::driver {

namespace {

void RequireNothingBroken(const char* stage, const std::vector<std::string>& broken) {
  for (const std::string& what : broken) fmt::print(stderr, "after {}: {}\n", stage, what);
  STENCILGEN_CHECK(broken.empty());
}

/// What the stage made, checked where that is on.
graph::Graph After(const char* stage, graph::Graph graph, const PipelineOptions& options) {
  if (options.verify) RequireNothingBroken(stage, graph::Verify(graph));
  if (options.observe) options.observe(stage, graph);
  return graph;
}
plan::Plan After(const char* stage, plan::Plan plan, const PipelineOptions& options) {
  if (options.verify) {
    RequireNothingBroken(stage, graph::Verify(plan.graph));
    RequireNothingBroken(stage, plan::Verify(plan));
  }
  return plan;
}

/// The stages between a program's graph and the plan of a candidate.
class Planner final : public CandidatePlanner {
 public:
  /// Requires: both outlive it.
  Planner(const graph::Graph& graph, const PipelineOptions& options)
      : graph_(graph), options_(options) {}

  PlannedCandidate Plan(const Candidate& candidate, const plan::FusionSettings& settings) override {
    if (candidate.split > 0) {
      const passes::Fission& fission = SplitGraph(candidate);
      plan::Plan plan =
          plan::PlanClusters(fission.graph, candidate.schedule, PartsOf(fission.report));
      return {After("plan parts", std::move(plan), options_), {}, fission.report};
    }
    if (candidate.schedule.shape == plan::TurnTiles::Hexagon) {
      return {InHexagons(candidate, settings)};
    }
    const graph::Graph& graph = Unrolled(candidate);
    if (candidate.schedule.fusion != plan::Fusion::Greedy) {
      plan::Plan plan =
          After("plan kernels", plan::PlanKernels(graph, candidate.schedule), options_);
      return {WithPipelines(std::move(plan), candidate)};
    }
    plan::FusedPlan fused = plan::PlanFused(graph, candidate.schedule, settings);
    plan::Plan plan = After("fuse greedily", std::move(fused.plan), options_);
    return {WithPipelines(std::move(plan), candidate), std::move(fused.fusion)};
  }

  const passes::FissionReport& Split(const Candidate& candidate) override {
    return SplitGraph(candidate).report;
  }

 private:
  plan::Plan WithPipelines(plan::Plan plan, const Candidate& candidate) const {
    if (candidate.schedule.stages == 1) return plan;
    return After("add pipelines",
                 plan::AddTimePipelines(std::move(plan), candidate.schedule.stages), options_);
  }

  /// A kernel a statement, but for loops that can have hexagons.
  plan::Plan InHexagons(const Candidate& candidate, const plan::FusionSettings& settings) {
    plan::Schedule single;
    single.warp = candidate.schedule.warp;
    single.shared_limit = candidate.schedule.shared_limit;
    plan::Plan plan = After("plan kernels", plan::PlanKernels(BetweenLooks(), single), options_);
    const plan::HexagonWish wish = {candidate.time_tile,
                                    {candidate.schedule.block[0], candidate.schedule.block[1]},
                                    candidate.schedule.shared_limit};
    return After("add hexagons",
                 plan::AddHexagons(std::move(plan), wish, *settings.device, settings.sizes),
                 options_);
  }

  const graph::Graph& Unrolled(const Candidate& candidate) {
    if (candidate.time_tile == 1 && candidate.schedule.stages == 1) return graph_;
    const auto [at, is_new] = unrolled_.try_emplace(candidate.time_tile);
    if (!is_new) return at->second;
    graph::Graph graph =
        passes::UnrollTime(BetweenLooks(), candidate.time_tile, HasMatrixTiles(options_));
    graph = After("unroll time", std::move(graph), options_);
    at->second = After("eliminate dead", passes::EliminateDead(std::move(graph)), options_);
    return at->second;
  }

  /// Loops that conditions end have the turns between two looks as loops of their own.
  const graph::Graph& BetweenLooks() {
    if (options_.target != Target::Cuda || !graph::MayEndEarly(graph_)) return graph_;
    if (!between_looks_) {
      graph::Graph graph = After("split looks", passes::SplitLooks(graph_), options_);
      between_looks_ = After("eliminate dead", passes::EliminateDead(std::move(graph)), options_);
    }
    return *between_looks_;
  }

  const passes::Fission& SplitGraph(const Candidate& candidate) {
    const auto key = std::tuple(candidate.time_tile, candidate.split, candidate.crossing);
    const auto [at, is_new] = split_.try_emplace(key);
    if (!is_new) return at->second;
    const passes::CrossingRule rule =
        CrossingRuleFor(DeviceOf(options_), graph_, candidate.crossing);
    at->second = passes::SplitKernels(Unrolled(candidate), candidate.split, rule);
    at->second.graph = After("split kernels", std::move(at->second.graph), options_);
    return at->second;
  }

  const graph::Graph& graph_;
  const PipelineOptions& options_;
  std::optional<graph::Graph> between_looks_;
  std::map<int, graph::Graph> unrolled_;
  std::map<std::tuple<int, int, passes::Crossing>, passes::Fission> split_;
};

/// The plan of a graph whose arithmetic stays as it is.
ChosenPlan PlanGraph(graph::Graph graph, const PipelineOptions& options) {
  const bool cuda = options.target == Target::Cuda;
  PipelineOptions wanted = options;
  if (!cuda) LeaveToNests(wanted);
  ApplyUnrollWishes(graph, wanted);
  const bool matrices = HasMatrixTiles(options);
  if (matrices) graph = After("split loops", passes::SplitLoops(std::move(graph)), options);
  if (!cuda && TilesTurns(options)) {
    graph = After("copy frames", passes::CopyFrames(std::move(graph)), options);
  }
  graph = After("advance reductions", passes::AdvanceReductions(std::move(graph)), options);
  Planner planner(graph, wanted);
  ChosenPlan chosen = ChoosePlan(graph, wanted, planner);
  chosen.plan = After("choose schedule", std::move(chosen.plan), options);
  if (cuda && matrices) {
    chosen.plan = choose::AddMatrixTiles(std::move(chosen.plan), DeviceOf(options), chosen.sizes,
                                         GivenTileOf(wanted));
    chosen.plan = After("add matrix tiles", std::move(chosen.plan), options);
  }
  const bool fuses = !wanted.given.fusion || wanted.schedule.fusion != plan::Fusion::None;
  if (cuda && fuses) {
    chosen.plan = After("fuse reductions", choose::FuseReductions(std::move(chosen.plan)), options);
  }
  if (!cuda) {
    choose::NestOptions given = NestOptionsOf(chosen.plan.graph, options);
    given.sizes = chosen.sizes;
    choose::ChosenNests nests = choose::ChooseNests(std::move(chosen.plan), given);
    chosen.plan = After("choose nests", std::move(nests.plan), options);
    chosen.nests = std::move(nests.reports);
    if (matrices) {
      chosen.plan =
          After("add matrix tiles",
                choose::AddMatrixTiles(std::move(chosen.plan), GivenTileOf(wanted)), options);
    }
    if (TilesTurns(options)) {
      chosen.plan = After("add time bands",
                          plan::AddTimeBands(std::move(chosen.plan),
                                             options.given.time_tile ? options.time_tile : 0),
                          options);
      chosen.plan = After("shift rows", choose::ShiftRows(std::move(chosen.plan)), options);
    }
    chosen.plan = After("fit caches",
                        choose::FitCaches(std::move(chosen.plan), given, chosen.nests), options);
    chosen.plan = After("sweep in place", plan::SweepInPlace(std::move(chosen.plan)), options);
    chosen.plan =
        After("sweep single turns", plan::SweepSingleTurns(std::move(chosen.plan)), options);
    chosen.plan =
        After("fit held planes", choose::FitHeldPlanes(std::move(chosen.plan), given, chosen.nests),
              options);
  }
  if (cuda && wanted.codegen.reorder.how == passes::Reorder::Auto && wanted.count_spills) {
    chosen = SplitWhereSpilling(std::move(chosen), graph, wanted, planner);
  }
  if (cuda) {
    chosen.plan = After("add turn graphs",
                        plan::AddTurnGraphs(std::move(chosen.plan),
                                            plan::GraphRulesFor(options.graphs, DeviceOf(options))),
                        options);
  }
  if (wanted.split) {
    chosen.notes = FindSplitNotes(chosen, *wanted.split);
  } else if (chosen.chosen.schedule.shape == plan::TurnTiles::Hexagon) {
    chosen.notes = FindLoopsWithoutHexagons(chosen);
  } else if (cuda) {
    chosen.notes = FindSplitKernels(chosen.plan, wanted);
  }
  return chosen;
}

/// Divisions a point that an array must save on a CPU to be worth its way to memory and back; in
/// tiles of several turns it stays in caches.
constexpr std::int64_t kLeastFromMemory = 4;
/// Of the predicted time without arrays for values: what it must be with them.
constexpr double kWorthSharing = 0.95;

/// True where all that the loops compute runs in tiles of several turns, and nothing is computed
/// outside of loops.
bool RunsInBands(const plan::Plan& plan) {
  return std::all_of(plan.steps.begin(), plan.steps.end(), [&](const plan::Step& step) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat != nullptr) return repeat->band.has_value();
    return !std::holds_alternative<plan::Launch>(step);
  });
}

/// The plan with arrays for values that several points compute, where each saves `least` divisions
/// a point; empty where none does.
std::optional<ChosenPlan> PlanShared(const graph::Graph& graph, const PipelineOptions& options,
                                     std::int64_t least) {
  passes::SharedValues shared = passes::ShareValues(graph, least);
  if (shared.arrays.empty()) return std::nullopt;
  ChosenPlan chosen = PlanGraph(After("share values", std::move(shared.graph), options), options);
  chosen.shared = std::move(shared.arrays);
  return chosen;
}

/// What a GPU is predicted to take for the plan.
double SecondsOf(const ChosenPlan& chosen, const PipelineOptions& options) {
  return plan::EstimateCost(chosen.plan, DeviceOf(options), chosen.sizes, chosen.register_limit)
      .seconds;
}

}  // namespace

PipelineOptions::PipelineOptions() = default;
PipelineOptions::PipelineOptions(const PipelineOptions&) = default;
PipelineOptions::PipelineOptions(PipelineOptions&&) noexcept = default;
PipelineOptions& PipelineOptions::operator=(const PipelineOptions&) = default;
PipelineOptions& PipelineOptions::operator=(PipelineOptions&&) noexcept = default;
PipelineOptions::~PipelineOptions() = default;

bool VerifiesByDefault() {
#ifdef NDEBUG
  static const bool kAsked = std::getenv("STENCILGEN_VERIFY") != nullptr;
  return kAsked;
#else
  return true;
#endif
}

std::optional<Lowered> Lower(const graph::Program& program, const SourceFile& source,
                             const PipelineOptions& options, std::optional<Stage> emit,
                             DiagnosticSink& sink,
                             const std::function<void(const ChosenPlan&)>& report) {
  const auto show = [](std::string text) { return Lowered{std::move(text), {}, {}, {}}; };
  if (emit == Stage::Ast) return show(program.print());

  std::optional<graph::Graph> graph = CompileToGraph(program, options, sink);
  if (!graph) return std::nullopt;
  if (emit == Stage::Interface) return show(InterfaceJson(*graph));
  if (emit == Stage::Graph) return show(graph::Print(*graph));

  ChosenPlan chosen = CompileToChosenPlan(*std::move(graph), options);
  if (report) report(chosen);
  if (emit == Stage::Dot) return show(plan::PrintDot(chosen.plan));
  if (emit == Stage::Fused) return show(plan::PrintFused(chosen.plan, chosen.fusion));
  if (emit == Stage::Plan) return show(plan::Print(chosen.plan));

  CodegenOptions codegen = CodeOptions(chosen.plan, source, options);
  if (emit == Stage::Kernel) {
    return show(PrintKernels(chosen.plan, codegen, DeviceOf(options.target)));
  }
  kernel::Module module = LowerPlan(chosen.plan, options, codegen);
  return Lowered{std::nullopt, std::move(chosen.plan), std::move(codegen), std::move(module)};
}

std::optional<graph::Graph> CompileToGraph(const SourceFile& source, const PipelineOptions& options,
                                           DiagnosticSink& sink) {
  const std::optional<graph::Program> program = ReadProgram(source, sink);
  if (!program) return std::nullopt;
  return CompileToGraph(*program, options, sink);
}

std::optional<graph::Graph> CompileToGraph(const graph::Program& program,
                                           const PipelineOptions& options, DiagnosticSink& sink) {
  auto built = program.build({options.program_name, options.fixed, options.types}, sink);
  if (!built) return std::nullopt;
  graph::Graph graph = After("build graph", *std::move(built), options);
  graph = After("repeat components", passes::RepeatComponents(std::move(graph)), options);
  graph = After("simplify boundaries", passes::SimplifyBoundaries(std::move(graph)), options);
  graph = After("eliminate dead", passes::EliminateDead(std::move(graph)), options);
  return graph;
}

plan::Plan CompileToPlan(graph::Graph graph, const PipelineOptions& options) {
  return CompileToChosenPlan(std::move(graph), options).plan;
}

ChosenPlan CompileToChosenPlan(graph::Graph graph, const PipelineOptions& options) {
  graph = After("hoist scalars", passes::HoistScalars(std::move(graph)), options);
  graph = After("split components", passes::SplitComponents(std::move(graph)), options);
  if (options.codegen.fp == FpMode::Fast) {
    graph = After("use reciprocals", passes::UseReciprocals(std::move(graph)), options);
    graph = After("share divisors", passes::ShareDivisors(std::move(graph)), options);
    graph = After("merge terms", passes::MergeTerms(std::move(graph)), options);
    graph = After("fold scale", passes::FoldScale(std::move(graph)), options);
  }
  if (options.sharing == passes::Sharing::Never) return PlanGraph(std::move(graph), options);
  std::optional<ChosenPlan> shared = PlanShared(graph, options, 1);
  const bool is_auto = options.sharing == passes::Sharing::Auto;
  const bool cuda = options.target == Target::Cuda;
  if (shared && is_auto && !cuda && !RunsInBands(shared->plan)) {
    shared = PlanShared(graph, options, kLeastFromMemory);
  }
  if (shared && !(is_auto && cuda)) return *std::move(shared);
  ChosenPlan apart = PlanGraph(std::move(graph), options);
  if (!shared) return apart;
  shared->unshared = SecondsOf(apart, options);
  const bool pays = SecondsOf(*shared, options) < kWorthSharing * shared->unshared;
  return pays ? *std::move(shared) : apart;
}

kernel::Target DeviceOf(Target target) {
  return target == Target::Cuda ? kernel::Target::Device : kernel::Target::Host;
}

kernel::Module LowerPlan(const plan::Plan& plan, const PipelineOptions& options,
                         const CodegenOptions& codegen) {
  kernel::Module module = lower::Lower(plan, codegen, DeviceOf(options.target));
  if (options.verify) RequireNothingBroken("lower", kernel::Verify(module));
  return module;
}

CodegenOptions CodeOptions(const plan::Plan& plan, const SourceFile& source,
                           const PipelineOptions& options) {
  CodegenOptions codegen = options.codegen;
  codegen.function = options.program_name;
  codegen.reorder = OrderOptions(options);
  codegen.source = &source;
  const bool cuda = options.target == Target::Cuda;
  if (cuda && codegen.reorder.how == passes::Reorder::Auto && options.choose_orders) {
    codegen.kernel_orders = options.choose_orders(plan, codegen);
  }
  return codegen;
}

Compiled EmitCode(plan::Plan plan, const SourceFile& source, const PipelineOptions& options) {
  const CodegenOptions codegen = CodeOptions(plan, source, options);
  Compiled compiled;
  compiled.module = LowerPlan(plan, options, codegen);
  compiled.text = codegen::EmitFile(compiled.module, codegen);
  compiled.header = codegen::EmitHeader(compiled.module, codegen);
  compiled.plan = std::move(plan);
  return compiled;
}

std::optional<Compiled> Compile(const SourceFile& source, const PipelineOptions& options,
                                DiagnosticSink& sink) {
  auto graph = CompileToGraph(source, options, sink);
  if (!graph) return std::nullopt;
  return EmitCode(CompileToPlan(*std::move(graph), options), source, options);
}

}  // namespace stencilgen::driver
