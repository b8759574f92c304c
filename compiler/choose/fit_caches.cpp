#include "choose/fit_caches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "choose/nest_traffic.h"
#include "graph/nodes.h"
#include "graph/walk.h"
#include "kernel/lower_body.h"
#include "plan/operator_facts.h"
#include "plan/sweep_in_place.h"
#include "plan/time_band.h"

namespace stencilgen::choose {
namespace {

using Operators = std::vector<const graph::Operator*>;

/// What vectors must gain over a plain nest whose results go past the caches. Measured on two cores
/// of an AMD EPYC: stars and boxes of up to 27 points, of which they should gain 1.4 to 2, lose by
/// them; one of 125 points, of which they should gain 2.7, gains.
constexpr double kVectorsGain = 2.2;
/// Longer bodies wait for arithmetic, and need not be there twice.
constexpr std::size_t kMostInstructions = 300;
/// Shorter rows have too few whole lines.
constexpr double kLeastRow = 48;

class CacheFitter {
 public:
  CacheFitter(const plan::Plan& plan, const NestOptions& options)
      : plan_(plan), options_(options), in_band_(plan::KernelsInBands(plan)) {}

  /// The kernel's nest, and whether it is another one.
  bool Fit(plan::KernelId id, plan::LoopNest& nest, NestReport& report) const {
    const plan::Kernel& kernel = plan_.kernels[id];
    const Operators ops = OperatorsOf(kernel);
    const std::size_t iterators = ops.front()->iterators.size();
    const bool elsewhere = in_band_.count(id) > 0 ||
                           plan::FindReduction(plan_.graph, kernel.ops) != nullptr || kernel.matrix;
    if (elsewhere || iterators < 2 || !IsLarge(ops)) return false;
    const plan::LoopNest before = nest;
    const bool lines = WritesLines(ops);
    if (nest.vectors && lines && options_.choose_points &&
        report.plain < kVectorsGain * report.core) {
      nest = plan::PlainNest(iterators);
      nest.tile = before.tile;
      nest.threads = before.threads;
      report.core = report.plain;
      report.plain = 0;
      report.reason = "more rows at once would come slower from memory";
    }
    if (TilesAreOpen()) SetTileByCache(plan_.graph, ops, nest);
    const bool points =
        std::any_of(nest.points.begin(), nest.points.end(), [](int each) { return each > 1; });
    nest.past_caches = lines && !nest.vectors && !points;
    if (nest.tile == before.tile && nest.vectors == before.vectors && !nest.past_caches) {
      return false;
    }
    report.cycles = std::max(report.core, report.memory);
    PriceNest(plan_.graph, ops, nest, options_, report);
    return true;
  }

  /// The nest of a sweep in place in strips, of which caches hold the planes that are read and
  /// those that wait.
  void FitHeld(const plan::Kernel& kernel, plan::LoopNest& nest, NestReport& report) const {
    const Operators ops = OperatorsOf(kernel);
    if (!IsLarge(ops)) return;
    nest.past_caches = false;
    SetStrips(ops, *kernel.held, nest);
    PriceNest(plan_.graph, ops, nest, options_, report);
  }
  /// The same for the single turn of a loop in tiles of turns.
  void FitSingle(const plan::TimeBand& band, plan::SingleTurn& single) const {
    const Operators ops = OperatorsOf(plan_.kernels[band.launches.front()]);
    if (IsLarge(ops)) SetStrips(ops, single.held, single.nest);
  }

 private:
  void SetStrips(const Operators& ops, const plan::HeldPlanes& held, plan::LoopNest& nest) const {
    if (!TilesAreOpen()) return;
    nest.tile.assign(nest.tile.size(), 0);
    if (plan::FindRowsHeld(plan_, *ops.front(), held)) SetTileByCache(plan_.graph, ops, nest);
    const auto element = static_cast<int>(ElementBytes(plan_.buffers[held.buffer]));
    nest.row_bytes += element * static_cast<int>(held.below + 1);
    // Strips have costs of their own: the last level of caches is as good as the core's.
    nest.planes = 1;
  }
  bool TilesAreOpen() const {
    return std::all_of(options_.tile.begin(), options_.tile.end(),
                       [](int points) { return points == 0; });
  }
  Operators OperatorsOf(const plan::Kernel& kernel) const {
    Operators ops;
    for (const graph::NodeId node : kernel.ops) {
      ops.push_back(&graph::OperatorOf(plan_.graph, node));
    }
    return ops;
  }
  bool SizesAreKnown() const { return options_.sizes.size() == plan_.graph.parameters.size(); }

  std::set<plan::BufferId> ReadBy(const Operators& ops) const {
    std::set<plan::BufferId> read;
    for (const graph::Operator* op : ops) {
      for (const graph::ExprId id : graph::Accesses(plan_.graph, *op)) {
        const auto& access = std::get<graph::Access>(plan_.graph.exprs[id].node);
        if (!access.indices.empty()) read.insert(plan_.buffer_of[access.version.index]);
      }
    }
    return read;
  }

  /// True where all arrays together leave the caches from one sweep to the next, as far as is
  /// known.
  bool IsLarge(const Operators& ops) const {
    if (!SizesAreKnown() || options_.cpu.caches.empty()) return true;
    std::set<plan::BufferId> used = ReadBy(ops);
    for (const graph::Operator* op : ops) used.insert(plan_.buffer_of[op->result.index]);
    double bytes = 0;
    for (const plan::BufferId id : used) {
      if (!id.Valid()) continue;
      auto size = static_cast<double>(ElementBytes(plan_.buffers[id]));
      for (const graph::LinearForm& extent : plan_.buffers[id].extents) {
        size *= static_cast<double>(graph::Evaluate(extent, options_.sizes));
      }
      bytes += size;
    }
    return bytes > static_cast<double>(options_.cpu.caches.back().bytes);
  }

  /// True where results are rows of arrays that the nest does not read, all at the same places.
  bool WritesLines(const Operators& ops) const {
    const std::set<plan::BufferId> read = ReadBy(ops);
    const graph::Operator* first = nullptr;
    for (const graph::Operator* op : ops) {
      const plan::BufferId buffer = plan_.buffer_of[op->result.index];
      if (!buffer.Valid()) continue;
      if (read.count(buffer) > 0 || !WritesRows(*op)) return false;
      if (first == nullptr) first = op;
      const plan::Buffer& one = plan_.buffers[plan_.buffer_of[first->result.index]];
      const plan::Buffer& other = plan_.buffers[buffer];
      if (op->target != first->target || one.extents != other.extents ||
          !SameElements(one, other)) {
        return false;
      }
    }
    if (first == nullptr) return false;
    const plan::Buffer& results = plan_.buffers[plan_.buffer_of[first->result.index]];
    if (results.format != ElementFormat::Plain) return false;
    if (results.type == ScalarType::Bool) return false;  // a line would be of 64 points
    if (SizesAreKnown() && ExtentsOf(*first, options_.sizes).back() < kLeastRow) return false;
    const std::vector<std::vector<std::int64_t>> point(first->iterators.size(), {0});
    return kernel::LowerBody(plan_.graph, ops, kernel::StatementsAt(ops.size(), point))
               .instructions.size() <= kMostInstructions;
  }
  static bool WritesRows(const graph::Operator& op) {
    return !op.target.empty() && op.target.back().iterator == op.iterators.back() &&
           op.target.back().coefficient == 1;
  }

  const plan::Plan& plan_;
  const NestOptions& options_;
  std::set<plan::KernelId> in_band_;
};

void FitSingleTurns(const CacheFitter& fitter, std::vector<plan::Step>& steps) {
  for (plan::Step& step : steps) {
    auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat == nullptr) continue;
    FitSingleTurns(fitter, repeat->body);
    if (repeat->band && repeat->band->single)
      fitter.FitSingle(*repeat->band, *repeat->band->single);
  }
}

}  // namespace

plan::Plan FitCaches(plan::Plan plan, const NestOptions& options,
                     std::vector<NestReport>& reports) {
  if (!options.fit_caches) return plan;
  std::vector<std::pair<plan::KernelId, plan::LoopNest>> changed;
  const CacheFitter fitter(plan, options);
  for (const plan::KernelId id : plan.kernels.Ids()) {
    plan::LoopNest nest = *plan.kernels[id].nest;
    if (fitter.Fit(id, nest, reports[id.index])) changed.emplace_back(id, std::move(nest));
  }
  for (auto& [id, nest] : changed) plan.kernels[id].nest = std::move(nest);
  return plan;
}

plan::Plan FitHeldPlanes(plan::Plan plan, const NestOptions& options,
                         std::vector<NestReport>& reports) {
  if (!options.fit_caches) return plan;
  const CacheFitter fitter(plan, options);
  for (const plan::KernelId id : plan.kernels.Ids()) {
    plan::Kernel& kernel = plan.kernels[id];
    if (kernel.held) fitter.FitHeld(kernel, *kernel.nest, reports[id.index]);
  }
  FitSingleTurns(fitter, plan.steps);
  return plan;
}

}  // namespace stencilgen::choose
