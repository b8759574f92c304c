#include "driver/choose_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "driver/priced_candidates.h"
#include "driver/schedule_candidates.h"
#include "driver/split_plans.h"
#include "driver/text_hash.h"
#include "graph/nodes.h"
#include "graph/print.h"
#include "plan/fuse_model.h"
#include "support/check.h"
#include "support/parallel.h"

namespace stencilgen::driver {
namespace {

using plan::Schedule;

/// What two candidates of one kind have in common, for the list of those that lost.
std::tuple<int, bool, bool> KindOf(const Candidate& candidate) {
  const Schedule& schedule = candidate.schedule;
  const bool tiled = schedule.shared_memory || schedule.shuffle;
  return {candidate.time_tile, tiled, schedule.stream.has_value()};
}

class Chooser {
 public:
  Chooser(const graph::Graph& graph, const PipelineOptions& options, CandidatePlanner& planner)
      : graph_(graph), options_(options), device_(DeviceOf(options)), planner_(planner) {
    SetSizes();
    result_.register_limit = options.codegen.registers;
  }

  ChosenPlan Run() {
    if (!options_.choose) {
      Candidate only{options_.schedule, options_.time_tile, 0};
      if (options_.split) {
        only.split = std::max(1, options_.split->parts);
        only.crossing = options_.split->crossing;
      }
      SetPlan(only);
      return std::move(result_);
    }
    const CandidateLists lists = ListCandidates(graph_, options_);
    for (const Candidate& candidate : lists.plain) Try(candidate);
    if (options_.split) {
      TrySplits(lists);
    } else {
      for (const std::vector<Candidate>& deeper : lists.tiled) TryDeeper(deeper);
    }
    Refine();
    STENCILGEN_CHECK(best_ >= 0);
    result_.chosen = tried_[static_cast<std::size_t>(best_)];
    result_.tried = static_cast<int>(tried_.size());
    ListOthers();
    // What the check allows is only known for a whole plan, and may take long to find.
    if (options_.fusion_check) {
      SetPlan(result_.chosen);
    } else if (!has_plan_) {
      Keep(PlanAndPrice(result_.chosen));
    }
    KeepRegisters();
    return std::move(result_);
  }

 private:
  void SetSizes() {
    constexpr std::int64_t kManyTurns = 100;
    result_.sizes = plan::UsualSizes(graph_);
    const std::set<graph::ParameterId> sizes = SizeParameters();
    for (graph::ParameterId id : graph::SizesOf(graph_)) {
      const graph::Parameter& parameter = graph_.parameters[id];
      if (!parameter.fixed && !parameter.default_value) result_.assumed.push_back(parameter.name);
      // Who asks for time tiles has loops of many turns, whatever the default for a first try is.
      const bool counts = !parameter.fixed && sizes.count(id) == 0;
      if (counts && options_.given.time_tile && options_.time_tile > 1) {
        std::int64_t& value = result_.sizes[id.index];
        value = std::max(value, kManyTurns * options_.time_tile);
      }
    }
  }
  /// The parameters that extents depend on.
  std::set<graph::ParameterId> SizeParameters() const {
    std::set<graph::ParameterId> sizes;
    for (const graph::Array& array : graph_.arrays) {
      for (const graph::LinearForm& extent : array.extents) {
        for (const auto& [id, factor] : extent.terms) sizes.insert(id);
      }
    }
    return sizes;
  }

  void Keep(PlannedCandidate planned) {
    result_.plan = std::move(planned.plan);
    result_.fusion = std::move(planned.fusion);
    result_.fission = std::move(planned.fission);
  }
  /// The plan of the candidate, with the options' check.
  void SetPlan(Candidate candidate) {
    Keep(PlanFor(candidate, options_.fusion_check, options_.fusion_foresight));
    const plan::PlanWork work = plan::FindWork(result_.plan);
    candidate.seconds = FitChunks(result_.plan, work, Price(result_.plan, work)).seconds;
    result_.chosen = candidate;
  }
  /// Kernels say which blocks the price counts on, where registers are scarce.
  void KeepRegisters() {
    for (const plan::KernelCost& kernel : Price(result_.plan).kernels) {
      result_.plan.kernels[kernel.kernel].resident = kernel.resident;
    }
  }
  PlannedCandidate PlanFor(const Candidate& candidate, const plan::FusionCheck& check = {},
                           const plan::FusionForesight& foresight = {}) {
    plan::FusionSettings settings;
    settings.device = &device_;
    settings.sizes = result_.sizes;
    settings.register_limit = result_.register_limit;
    settings.check = check;
    settings.foresight = foresight;
    settings.foreseen = Cores();
    return planner_.Plan(candidate, settings);
  }
  plan::PlanCost Price(const plan::Plan& plan) const { return Price(plan, plan::FindWork(plan)); }
  plan::PlanCost Price(const plan::Plan& plan, const plan::PlanWork& work) const {
    return plan::EstimateCost(plan, device_, result_.sizes, result_.register_limit, work);
  }

  /// What candidates are compared by.
  static double Rank(const Candidate& candidate) {
    return candidate.seconds * std::pow(kBrokenPenalty, candidate.broken);
  }

  /// Between prices that are nearly the same many fewer kernels are better: they move less.
  static bool IsBetter(const Candidate& candidate, const Candidate& best) {
    constexpr double kSame = 0.01;
    constexpr double kMany = 4;
    const double rank = Rank(candidate);
    const bool same = std::isfinite(rank) && std::abs(rank - Rank(best)) < kSame * rank;
    if (same && candidate.launches * kMany < best.launches) return true;
    if (same && best.launches * kMany < candidate.launches) return false;
    return rank < Rank(best);
  }

  /// Prices the candidate, unless it has been priced. Returns the rank.
  double Try(Candidate candidate) {
    std::optional<PlannedCandidate> planned = FindPrice(candidate);
    tried_.push_back(candidate);
    if (best_ < 0 || IsBetter(candidate, tried_[static_cast<std::size_t>(best_)])) {
      best_ = static_cast<int>(tried_.size()) - 1;
      has_plan_ = planned.has_value();
      if (planned) Keep(*std::move(planned));
    }
    return Rank(candidate);
  }
  /// The candidate's plan, with the chunks that the host would choose, and what it takes.
  PlannedCandidate PlanAndPrice(Candidate& candidate) {
    PlannedCandidate planned = PlanFor(candidate);
    plan::Plan& plan = planned.plan;
    // Chunks change nothing in what a thread does for a point.
    const plan::PlanWork work = plan::FindWork(plan);
    const plan::PlanCost cost = FitChunks(plan, work, Price(plan, work));
    candidate.seconds = cost.seconds;
    if (OverlapsMuch(cost, plan)) candidate.seconds *= kOverlapPenalty;
    // Who asks for so many kernels wants no more, where that can be had.
    candidate.broken = CountsParts() ? CountBroken(plan, planned.fission) : 0;
    candidate.launches = 0;
    for (const plan::KernelCost& kernel : cost.kernels) candidate.launches += kernel.launches;
    return planned;
  }
  bool CountsParts() const { return options_.split && options_.split->parts > 0; }

  CandidateKey KeyOf(const Candidate& candidate) {
    if (graph_text_.empty()) graph_text_ = TextHash(graph::Print(graph_));
    return {graph_text_,     result_.sizes,      candidate.schedule, candidate.time_tile,
            candidate.split, candidate.crossing, CountsParts()};
  }
  /// Gives the candidate its price. Returns the plan where it had not been priced before.
  std::optional<PlannedCandidate> FindPrice(Candidate& candidate) {
    if (!options_.priced) return PlanAndPrice(candidate);
    CandidateKey key = KeyOf(candidate);
    if (const auto price = options_.priced->Find(key)) {
      candidate.seconds = price->seconds;
      candidate.launches = price->launches;
      candidate.broken = price->broken;
      return std::nullopt;
    }
    PlannedCandidate planned = PlanAndPrice(candidate);
    options_.priced->Keep(std::move(key),
                          {candidate.seconds, candidate.launches, candidate.broken});
    return planned;
  }

  /// One shape with more and more time steps, until that does not pay or fit, or changes nothing. A
  /// number that does not divide the loop's turns is no sign of it.
  void TryDeeper(const std::vector<Candidate>& candidates) {
    constexpr double kWorse = 1.1;
    constexpr double kSame = 1e-3;
    constexpr int kEnough = 2;
    double best = std::numeric_limits<double>::infinity();
    double last = best;
    int worse = 0;
    for (const Candidate& candidate : candidates) {
      const double seconds = Try(candidate);
      const bool same = std::abs(seconds - last) < kSame * seconds;
      worse = seconds > kWorse * best || same ? worse + 1 : 0;
      if (worse == kEnough || !std::isfinite(seconds)) break;
      best = std::min(best, seconds);
      last = seconds;
    }
  }

  /// More and more parts, until that does not pay; for each the three rules for what crosses.
  void TrySplits(const CandidateLists& lists) {
    constexpr int kEnough = 4;
    const int given = options_.split->parts;
    const int most = given > 0 ? given : MostParts(graph_);
    double best = std::numeric_limits<double>::infinity();
    int worse = 0;
    for (int parts = std::max(1, given); parts <= most && worse < kEnough; ++parts) {
      double here = std::numeric_limits<double>::infinity();
      for (const passes::Crossing crossing : kCrossings) {
        const bool known = std::any_of(
            kCrossings.begin(), std::find(kCrossings.begin(), kCrossings.end(), crossing),
            [&](passes::Crossing before) {
              const int steps = options_.given.time_tile ? options_.time_tile : 1;
              return AreAlike(planner_.Split({{}, steps, 0, parts, before}),
                              planner_.Split({{}, steps, 0, parts, crossing}));
            });
        if (known) continue;
        for (const std::vector<Candidate>& list : lists.tiled) {
          for (Candidate candidate : list) {
            candidate.split = parts;
            candidate.crossing = crossing;
            here = std::min(here, Try(candidate));
          }
        }
      }
      worse = here < best ? 0 : worse + 1;
      best = std::min(best, here);
    }
  }

  /// The best few again, which are no hexagons: split, along another dimension, and with what
  /// matters less.
  void Refine() {
    if (options_.given.shape && options_.schedule.shape == plan::TurnTiles::Hexagon) return;
    if (!options_.split && !options_.given.fusion &&
        graph_.nodes.size() <= std::size_t{kMostSplit}) {
      for (const Candidate& candidate : BestTried()) Split(candidate.schedule);
    }
    for (const Candidate& candidate : BestTried()) {
      for (const Candidate& turned : AlongOthers(candidate, graph_, options_)) Try(turned);
    }
    // When planes come changes more than what the best shapes differ by.
    constexpr std::size_t kVaried = 10;
    for (const Candidate& candidate : BestTried(kVaried)) {
      for (const Candidate& variant : Variants(candidate, options_)) Try(variant);
    }
  }
  /// The best few of different shapes, the best few of them with greedy fusion, the best of one
  /// time step, without fusion, and with shuffles: few warps of many points may gain most by planes
  /// that come early.
  std::vector<Candidate> BestTried(std::size_t count = 3) const {
    std::vector<Candidate> sorted = tried_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Candidate& a, const Candidate& b) { return Rank(a) < Rank(b); });
    std::vector<Candidate> best, grouped;
    bool single = false;
    bool apart = false;
    bool shuffled = false;
    for (const Candidate& candidate : sorted) {
      const bool whole = candidate.time_tile == 1 && candidate.split == 0;
      const bool unfused = whole && candidate.schedule.fusion == plan::Fusion::None;
      const bool greedy = whole && candidate.schedule.fusion == plan::Fusion::Greedy;
      const auto few = [&](const std::vector<Candidate>& candidates) {
        return candidates.size() < count &&
               std::none_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
                 return HaveOneShape(other.schedule, candidate.schedule);
               });
      };
      const bool groups = greedy && few(grouped);
      if (groups) grouped.push_back(candidate);
      if (groups || few(best) || (whole && !single) || (unfused && !apart) ||
          (candidate.schedule.shuffle && !shuffled)) {
        best.push_back(candidate);
      }
      single = single || whole;
      apart = apart || unfused;
      shuffled = shuffled || candidate.schedule.shuffle;
    }
    return best;
  }
  static bool HaveOneShape(const Schedule& a, const Schedule& b) {
    const auto along = [](const Schedule& each) {
      return each.stream ? each.stream->iterator : -1;
    };
    return a.block == b.block && a.unroll == b.unroll && a.halo == b.halo &&
           a.shuffle == b.shuffle && along(a) == along(b);
  }

  /// One shape with the statements cut into parts, more and more until that does not pay.
  void Split(const Schedule& schedule) {
    constexpr int kEnough = 3;
    const bool tiled = schedule.shared_memory || schedule.shuffle;
    if (!tiled) return;
    Candidate candidate{schedule, 1, 0};
    candidate.schedule.fusion = plan::Fusion::Max;
    candidate.schedule.most_operators = options_.schedule.most_operators;
    if (options_.given.time_tile) candidate.time_tile = options_.time_tile;
    double best = std::numeric_limits<double>::infinity();
    int worse = 0;
    const int most = MostParts(graph_);
    for (candidate.split = 2; candidate.split <= most && worse < kEnough; ++candidate.split) {
      const double seconds = Try(candidate);
      worse = seconds < best ? 0 : worse + 1;
      best = std::min(best, seconds);
    }
  }

  /// Chunks that the host will choose, as it would on the device at these sizes, and what they
  /// cost. Returns the plan's price then.
  plan::PlanCost FitChunks(plan::Plan& plan, const plan::PlanWork& work,
                           plan::PlanCost cost) const {
    bool changed = false;
    for (const plan::KernelCost& priced : cost.kernels) {
      plan::Kernel& kernel = plan.kernels[priced.kernel];
      if (!kernel.schedule.stream || kernel.schedule.stream->shortest == 0) continue;
      kernel.chunks = priced.chunks;
      const plan::Traffic& traffic = priced.traffic;
      if (traffic.blocks == 0 || priced.occupancy.blocks == 0) continue;
      const std::int64_t overlap = kernel.tile ? traffic.chunks * priced.chunks.overlap : 0;
      const std::int64_t chunk = FitChunk(traffic.steps - overlap, traffic.blocks / traffic.chunks,
                                          {device_.sms, priced.occupancy.blocks}, priced.chunks);
      kernel.schedule.stream->chunk = chunk;
      if (kernel.tile) kernel.tile->chunk = chunk;
      changed = true;
    }
    return changed ? Price(plan, work) : std::move(cost);
  }

  /// True where tiles load much more than what they store needs: estimates of what caches do with
  /// it are weak, so that such a plan must promise more.
  static bool OverlapsMuch(const plan::PlanCost& cost, const plan::Plan& plan) {
    constexpr double kMuch = 1.35;  // with chunks of whole waves, not the cheapest ones alone
    double moved = 0;
    double needed = 0;
    for (const plan::KernelCost& kernel : cost.kernels) {
      if (!plan.kernels[kernel.kernel].tile) continue;
      const plan::Traffic& traffic = kernel.traffic;
      moved += kernel.launches *
               static_cast<double>(traffic.load_bytes - traffic.direct_bytes + traffic.store_bytes);
      needed += kernel.launches * traffic.compulsory_bytes;
    }
    return moved > kMuch * needed;
  }

  void ListOthers() {
    constexpr std::size_t kShown = 2;
    std::vector<Candidate> sorted = tried_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Candidate& a, const Candidate& b) { return Rank(a) < Rank(b); });
    std::set<std::tuple<int, bool, bool>> kinds = {KindOf(result_.chosen)};
    for (const Candidate& candidate : sorted) {
      if (result_.others.size() == kShown || !std::isfinite(candidate.seconds)) break;
      if (kinds.insert(KindOf(candidate)).second) result_.others.push_back(candidate);
    }
    result_.ranked = std::move(sorted);
  }

  static constexpr double kOverlapPenalty = 1.5;
  static constexpr double kBrokenPenalty = 4;

  const graph::Graph& graph_;
  const PipelineOptions& options_;
  const machine::Gpu& device_;
  CandidatePlanner& planner_;
  std::vector<Candidate> tried_;
  int best_ = -1;          ///< of tried_
  bool has_plan_ = false;  ///< result_ has the plan of the best
  std::string graph_text_;
  ChosenPlan result_;
};

}  // namespace

const machine::Gpu& DeviceOf(const PipelineOptions& options) {
  if (options.device) return *options.device;
  const machine::Gpu* known = machine::FindGpu(options.arch);
  return known != nullptr ? *known : machine::DefaultGpu(machine::LanguageOf(options.arch));
}

ChosenPlan ChoosePlan(const graph::Graph& graph, const PipelineOptions& options,
                      CandidatePlanner& planner) {
  return Chooser(graph, options, planner).Run();
}

std::string ToString(const Candidate& candidate, const graph::Graph& graph) {
  const Schedule& schedule = candidate.schedule;
  const bool hexagons = schedule.shape == plan::TurnTiles::Hexagon;
  const bool tiled = schedule.shared_memory || schedule.shuffle;
  std::string text = hexagons ? "hexagons" : tiled ? "tiles" : "no tiles";
  if (candidate.split > 1) text += fmt::format(" of {} parts", candidate.split);
  if (candidate.time_tile > 1) text += fmt::format(" of {} time steps", candidate.time_tile);
  if (schedule.stages > 1) text += fmt::format(" in each of {} stages", schedule.stages);
  text +=
      fmt::format(", {}x{}x{} threads", schedule.block[0], schedule.block[1], schedule.block[2]);
  const int points = schedule.unroll[0] * schedule.unroll[1] * schedule.unroll[2];
  if (points > 1) text += fmt::format(" of {} points", points);
  if (schedule.stream) {
    text += fmt::format(", along {}",
                        graph.iterators[static_cast<std::size_t>(schedule.stream->iterator)]);
    if (schedule.stream->chunk > 0) text += fmt::format(" by {}", schedule.stream->chunk);
  }
  if (schedule.shuffle) text += ", shuffles";
  if (tiled && schedule.halo == plan::HaloBy::Loads) text += ", halos by loads";
  return text;
}

}  // namespace stencilgen::driver
