#include "plan/fuse_greedy.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "graph/paths.h"
#include "plan/build_tile.h"
#include "plan/cost.h"
#include "plan/fuse_model.h"
#include "plan/order_clusters.h"

namespace stencilgen::plan {
namespace {

using graph::NodeId;
using graph::Operator;

/// A pair of clusters, by the numbers of their first operators. Stale once one of them has grown.
struct Pair {
  FusionTuple tuple;
  int a = 0, b = 0;
  int age_a = 0, age_b = 0;
};

/// A heap's order: the most profitable on top, of equal ones the first in the program.
struct LessProfitable {
  FusionObjective objective;
  bool operator()(const Pair& x, const Pair& y) const {
    if (MoreProfitable(y.tuple, x.tuple, objective)) return true;
    if (MoreProfitable(x.tuple, y.tuple, objective)) return false;
    return std::pair(x.a, x.b) > std::pair(y.a, y.b);
  }
};

class RegionFuser {
 public:
  RegionFuser(const graph::Graph& graph, graph::RegionId region, const Schedule& schedule,
              const FusionSettings& settings)
      : graph_(graph),
        split_(graph),
        schedule_(schedule),
        settings_(settings),
        model_(graph, region, schedule, settings),
        paths_(FindPaths(graph, region, FindDependences(graph, region))),
        queue_(LessProfitable{schedule.objective}) {
    result_.region = region;
    result_.operators = graph.regions[region].nodes;
  }

  RegionFusion Run() {
    const bool possible = !settings_.tiles || schedule_.shared_memory || schedule_.shuffle;
    for (int place = 0; place < static_cast<int>(model_.size()); ++place) {
      clusters_.emplace_back();
      age_.push_back(0);
      refusals_.push_back(0);
      seconds_.push_back(0);
      if (!possible || !model_.MayFuse(place)) continue;
      clusters_.back() = model_.Single(place);
      seconds_.back() = model_.Seconds(clusters_.back());
    }
    if (settings_.tiles) SplitByPlanes();
    for (int a = 0; a < static_cast<int>(clusters_.size()); ++a) {
      for (int b = a + 1; b < static_cast<int>(clusters_.size()); ++b) Consider(a, b);
    }
    while (TakeStep()) {
    }
    std::vector<std::vector<NodeId>> fused;
    for (const FusionCluster& cluster : clusters_) {
      if (cluster.ops.size() > 1) fused.push_back(model_.Nodes(cluster));
    }
    result_.clusters = OrderClusters(graph_, result_.region, fused);
    return std::move(result_);
  }

 private:
  /// Pairs that would save nothing are many; so many of them are tried in vain, in all.
  static constexpr int kMostInVain = 256;
  /// A cluster that so many others did not fit is full.
  static constexpr int kMostRefusals = 24;
  static constexpr std::size_t kLoggedRefusals = 32;

  /// How sums divide along the stream, for tiles that scatter them.
  void SplitByPlanes() {
    for (int place = 0; place < static_cast<int>(clusters_.size()); ++place) {
      if (!IsCluster(place)) continue;
      const NodeId node = result_.operators[static_cast<std::size_t>(place)];
      const auto& op = std::get<Operator>(split_.nodes[node]);
      if (auto scatter = FindScatter(split_, op, schedule_)) {
        scatters_.emplace(node, *std::move(scatter));
      }
    }
  }

  bool IsCluster(int k) const { return !At(k).ops.empty(); }
  const FusionCluster& At(int k) const { return clusters_[static_cast<std::size_t>(k)]; }
  int& Age(int k) { return age_[static_cast<std::size_t>(k)]; }
  int& Refusals(int k) { return refusals_[static_cast<std::size_t>(k)]; }
  /// Single operators are not: they may go with many.
  bool IsFull(int k) { return At(k).ops.size() > 1 && Refusals(k) >= kMostRefusals; }
  double SecondsOf(int k) const { return seconds_[static_cast<std::size_t>(k)]; }
  bool Separated(int a, int b) const {
    return paths_.SeparatedByOthers(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }

  /// Queues the pair where fusing it would be convex.
  void Consider(int a, int b) {
    if (a == b || !IsCluster(a) || !IsCluster(b) || !model_.SameShape(a, b)) return;
    if (Separated(a, b)) return;
    if (a > b) std::swap(a, b);
    queue_.push({model_.Tuple(At(a), At(b)), a, b, Age(a), Age(b)});
  }

  bool IsStale(const Pair& pair) {
    return pair.age_a != Age(pair.a) || pair.age_b != Age(pair.b) || Separated(pair.a, pair.b);
  }
  FusionCandidate CandidateOf(const Pair& pair) const {
    return {At(pair.a).ops, At(pair.b).ops, pair.tuple};
  }
  std::optional<Pair> Next() {
    while (!queue_.empty()) {
      const Pair pair = queue_.top();
      queue_.pop();
      if (!IsStale(pair)) return pair;
    }
    return std::nullopt;
  }

  /// Takes the most profitable pair that nothing speaks against. False where there is none.
  bool TakeStep() {
    FusionStep step;
    bool foretold = false;
    while (const auto pair = Next()) {
      FusionCandidate candidate = CandidateOf(*pair);
      if (step.candidates.size() < settings_.logged_candidates) {
        step.candidates.push_back(candidate);
      } else {
        ++step.more;
      }
      const bool idle = pair->tuple.data_movement == 0;
      if (idle && in_vain_ >= kMostInVain) continue;
      if (IsFull(pair->a) || IsFull(pair->b)) continue;
      const FusionCluster fused = model_.Join(At(pair->a), At(pair->b));
      Built built = Examine(*pair, fused);
      if (!built.refusal) {
        if (!foretold) Foretell(*pair);
        foretold = true;
        built.refusal = AskCaller(built, fused);
      }
      auto& refusal = built.refusal;
      if (!refusal) {
        Take(*pair, fused, std::move(candidate), step);
        return true;
      }
      if (idle) ++in_vain_;
      ++Refusals(pair->a);
      ++Refusals(pair->b);
      if (step.refused.size() < kLoggedRefusals) {
        step.refused.push_back({std::move(candidate), *std::move(refusal)});
      }
    }
    if (!step.candidates.empty()) result_.steps.push_back(std::move(step));
    return false;
  }

  void Take(const Pair& pair, const FusionCluster& fused, FusionCandidate candidate,
            FusionStep& step) {
    std::vector<Pair> shown;
    while (step.candidates.size() < settings_.logged_candidates) {
      const auto next = Next();
      if (!next) break;
      step.candidates.push_back(CandidateOf(*next));
      shown.push_back(*next);
    }
    for (const Pair& each : shown) queue_.push(each);
    step.more += queue_.size() - shown.size();
    step.taken = std::move(candidate);
    step.seconds_apart = SecondsOf(pair.a) + SecondsOf(pair.b);
    step.seconds_fused = model_.Seconds(fused);
    seconds_[static_cast<std::size_t>(pair.a)] = step.seconds_fused;
    result_.steps.push_back(std::move(step));
    clusters_[static_cast<std::size_t>(pair.a)] = fused;
    clusters_[static_cast<std::size_t>(pair.b)] = {};
    ++Age(pair.a);
    ++Age(pair.b);
    Refusals(pair.a) = 0;
    paths_.Merge(static_cast<std::size_t>(pair.a), static_cast<std::size_t>(pair.b));
    for (int other = 0; other < static_cast<int>(clusters_.size()); ++other) {
      Consider(pair.a, other);
    }
  }

  /// The constraints that need no tile, cheap ones first.
  std::optional<FusionRefusal> Check(const Pair& pair, const FusionCluster& fused) const {
    if (fused.ops.size() > static_cast<std::size_t>(schedule_.most_operators)) {
      return FusionRefusal{FusionConstraint::Size,
                           fmt::format("it has {} operators, a kernel may have {}",
                                       fused.ops.size(), schedule_.most_operators)};
    }
    if (auto refusal = model_.CheckResources(fused)) return refusal;
    if (auto refusal = CheckRecomputation(pair, fused)) return refusal;
    return CheckSpilled(fused);
  }

  std::optional<FusionRefusal> CheckRecomputation(const Pair& pair,
                                                  const FusionCluster& fused) const {
    constexpr double kRounding = 1 + 1e-9;
    const double apart = SecondsOf(pair.a) + SecondsOf(pair.b);
    const auto volumes = model_.Volumes(fused);
    if (!volumes) {
      return FusionRefusal{FusionConstraint::Recomputation,
                           "a block has no room for points to store beside its halos"};
    }
    const double together = model_.Seconds(fused);
    if (together <= apart * kRounding) return std::nullopt;
    return FusionRefusal{
        FusionConstraint::Recomputation,
        fmt::format("with {:.1f} % of its points computed twice it takes {:.4g} us, the two apart "
                    "{:.4g} us",
                    100 * volumes->redundant / std::max(volumes->computed, 1.0), together * 1e6,
                    apart * 1e6)};
  }

  /// What contains operators that spilled together spills as well ([S] 3.5.9).
  std::optional<FusionRefusal> CheckSpilled(const FusionCluster& fused) const {
    for (const std::vector<int>& spilled : spilled_) {
      if (!std::includes(fused.ops.begin(), fused.ops.end(), spilled.begin(), spilled.end())) {
        continue;
      }
      return FusionRefusal{
          FusionConstraint::Spills,
          fmt::format("{} of its operators spilled together before", spilled.size())};
    }
    return std::nullopt;
  }

  /// The kernel of a cluster, or why there is none.
  struct Built {
    std::vector<NodeId> ops;
    std::vector<graph::VersionId> stored;
    std::optional<Tile> tile;
    std::optional<FusionRefusal> refusal;
  };
  Built Build(const FusionCluster& fused) const {
    Built built{model_.Nodes(fused), model_.Stored(fused), std::nullopt, std::nullopt};
    if (!settings_.tiles) return built;
    auto tile = BuildTile(split_, built.ops, built.stored, scatters_, schedule_);
    if (const auto* refusal = std::get_if<TileRefusal>(&tile)) {
      built.refusal = FusionRefusal{FusionConstraint::Tile, refusal->reason};
    } else {
      built.tile = std::get<Tile>(std::move(tile));
      // Who compiles the kernel knows better.
      if (!settings_.check) built.refusal = CheckEstimate(*built.tile);
    }
    return built;
  }
  /// The same, if no cheaper constraint speaks against it.
  Built Examine(const Pair& pair, const FusionCluster& fused) const {
    if (auto refusal = Check(pair, fused)) return {{}, {}, std::nullopt, std::move(refusal)};
    return Build(fused);
  }
  FusionProposal ProposalOf(const Built& built) const {
    return {split_, built.ops, built.stored, built.tile ? &*built.tile : nullptr, schedule_};
  }

  std::optional<FusionRefusal> AskCaller(const Built& built, const FusionCluster& fused) {
    if (!settings_.check) return std::nullopt;
    auto refusal = settings_.check(ProposalOf(built));
    if (refusal && refusal->constraint == FusionConstraint::Spills) spilled_.push_back(fused.ops);
    return refusal;
  }

  /// Tells the caller of the pair and of those that follow it.
  void Foretell(const Pair& pair) {
    if (!settings_.foresight) return;
    std::vector<Pair> shown;
    std::vector<Built> built;
    for (std::optional<Pair> next = pair; next && built.size() < settings_.foreseen;) {
      const FusionCluster fused = model_.Join(At(next->a), At(next->b));
      Built examined = Examine(*next, fused);
      if (!examined.refusal) built.push_back(std::move(examined));
      constexpr std::size_t kMostSeen = 16;
      next = shown.size() < kMostSeen ? Next() : std::nullopt;
      if (next) shown.push_back(*next);
    }
    for (const Pair& each : shown) queue_.push(each);
    std::vector<FusionProposal> proposals;
    for (const Built& each : built) proposals.push_back(ProposalOf(each));
    settings_.foresight(proposals);
  }

  /// Registers as plan/cost.h estimates them: a plan above that costs more than any other.
  std::optional<FusionRefusal> CheckEstimate(const Tile& tile) const {
    const machine::Gpu& device =
        settings_.device == nullptr ? machine::DefaultGpu() : *settings_.device;
    const int needed = MostLikelyRegisters(EstimateRegisters(split_, tile));
    const int most = MostRegisters(device, tile.Threads(), settings_.register_limit);
    if (needed <= most) return std::nullopt;
    return FusionRefusal{
        FusionConstraint::Registers,
        fmt::format("its kernel may need {} registers a thread, {} threads have {}", needed,
                    tile.Threads(), most)};
  }

  const graph::Graph& graph_;
  graph::Graph split_;  ///< the same, with the parts of the sums that tiles may scatter
  const Schedule& schedule_;
  const FusionSettings& settings_;
  const FusionModel model_;
  graph::Paths paths_;
  std::priority_queue<Pair, std::vector<Pair>, LessProfitable> queue_;
  std::vector<FusionCluster> clusters_;  ///< by first operator; empty where it is in another
  std::vector<int> age_;
  std::vector<int> refusals_;    ///< since the cluster has changed
  std::vector<double> seconds_;  ///< T_max
  std::vector<std::vector<int>> spilled_;
  std::map<NodeId, Scatter> scatters_;
  int in_vain_ = 0;
  RegionFusion result_;
};

/// The root and the bodies of loops, in graph order.
void ListRegions(const graph::Graph& graph, graph::RegionId region,
                 std::vector<graph::RegionId>& regions) {
  regions.push_back(region);
  for (NodeId node : graph.regions[region].nodes) {
    if (const auto* loop = std::get_if<graph::Loop>(&graph.nodes[node])) {
      ListRegions(graph, loop->body, regions);
    }
  }
}

}  // namespace

FusionResult FuseGreedy(const graph::Graph& graph, const Schedule& schedule,
                        const FusionSettings& settings) {
  std::vector<graph::RegionId> regions;
  ListRegions(graph, graph.root, regions);
  FusionResult result;
  for (graph::RegionId region : regions) {
    result.regions.push_back(RegionFuser(graph, region, schedule, settings).Run());
  }
  return result;
}

}  // namespace stencilgen::plan
