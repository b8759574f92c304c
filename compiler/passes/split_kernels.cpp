#include "passes/split_kernels.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "graph/dependences.h"
#include "passes/copy_body.h"
#include "passes/cut_statement.h"
#include "passes/eliminate_dead.h"
#include "passes/inline_results.h"
#include "passes/store_lets.h"
#include "support/count_text.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

class Splitter {
 public:
  Splitter(Graph graph, int parts, const CrossingRule& rule)
      : graph_(std::move(graph)), parts_(static_cast<std::size_t>(parts)), rule_(rule) {}

  Fission Run() && {
    for (const OperatorRun& run : FindRuns()) CutLong(run);
    // What is recomputed may leave operators dead, and the others to be balanced anew.
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds && Inline(); ++round) {
    }
    std::vector<Stretch> stretches = FindStretches();
    for (Stretch& stretch : stretches) {
      for (CrossingValue& crossing : StoreLets(graph_, stretch, rule_)) Note(std::move(crossing));
    }
    return {std::move(graph_), {std::move(stretches), std::move(crossings_), std::move(refusals_)}};
  }

 private:
  /// Operators on arrays that follow each other.
  struct OperatorRun {
    RegionId region;
    std::vector<NodeId> nodes;
  };

  const Operator& At(NodeId node) const { return std::get<Operator>(graph_.nodes[node]); }

  std::vector<OperatorRun> FindRuns() const {
    std::vector<OperatorRun> runs;
    for (const RegionId region : graph_.regions.Ids()) {
      bool open = false;
      for (const NodeId node : graph_.regions[region].nodes) {
        const auto* op = std::get_if<Operator>(&graph_.nodes[node]);
        const bool array = op != nullptr && !op->target.empty() && !op->reduction;
        if (array && !open) runs.push_back({region, {}});
        if (array) runs.back().nodes.push_back(node);
        open = array;
      }
    }
    return runs;
  }

  std::int64_t WorkOf(NodeId node) const { return FlopsPerPoint(graph_, At(node)) + 1; }

  /// Cuts statements where there are fewer than parts.
  void CutLong(const OperatorRun& run) {
    if (run.nodes.size() >= parts_) return;
    std::int64_t all = 0;
    for (const NodeId node : run.nodes) all += WorkOf(node);
    std::size_t count = run.nodes.size();
    for (std::size_t k = 0; k < run.nodes.size(); ++k) {
      // As many pieces as its share of the work is of the parts.
      const std::int64_t work = WorkOf(run.nodes[k]);
      const auto share = static_cast<std::int64_t>(parts_) * work;
      const auto pieces = static_cast<int>((share + all - 1) / all);
      for (const VersionId version : CutStatement(graph_, run.region, run.nodes[k], pieces)) {
        const std::string& name = graph_.arrays[graph_.versions[version].array].name;
        kept_.insert(name);
        const Operator& piece = At(graph_.versions[version].node);
        crossings_.push_back({BaseName(graph_.arrays[graph_.versions[version].array]), true, 2,
                              FlopsPerPoint(graph_, piece)});
        ++count;
      }
    }
    if (count >= parts_) return;
    refusals_.push_back(
        fmt::format("{} has {} of {} flops: {} at most", At(run.nodes.front()).stencil,
                    CountText(run.nodes.size(), "statement"),
                    all - static_cast<std::int64_t>(run.nodes.size()), CountText(count, "part")));
  }

  /// Runs of statements that accumulate into one array, as lists of places.
  std::vector<std::size_t> FindUnits(const std::vector<NodeId>& nodes) const {
    std::vector<std::size_t> first;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const bool goes_on = k > 0 && At(nodes[k]).background == At(nodes[k - 1]).result &&
                           At(nodes[k]).domain == At(nodes[k - 1]).domain &&
                           Accumulates(graph_, At(nodes[k]));
      if (!goes_on) first.push_back(k);
    }
    if (first.size() >= parts_) return first;
    first.resize(nodes.size());
    std::iota(first.begin(), first.end(), std::size_t{0});
    return first;
  }

  std::vector<Stretch> FindStretches() const {
    std::vector<Stretch> stretches;
    for (const OperatorRun& run : FindRuns()) {
      std::vector<std::size_t> units = FindUnits(run.nodes);
      units.push_back(run.nodes.size());
      std::vector<std::int64_t> weights;
      for (std::size_t u = 0; u + 1 < units.size(); ++u) {
        weights.push_back(0);
        for (std::size_t k = units[u]; k < units[u + 1]; ++k) {
          weights.back() += WorkOf(run.nodes[k]);
        }
      }
      std::vector<std::size_t> cuts = CutEvenly(weights, static_cast<int>(parts_));
      cuts.push_back(weights.size());
      Stretch stretch{run.region, {}};
      for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
        const auto place = [&](std::size_t cut) {
          return run.nodes.begin() + static_cast<std::ptrdiff_t>(units[cut]);
        };
        stretch.parts.emplace_back(place(cuts[c]), place(cuts[c + 1]));
      }
      stretches.push_back(std::move(stretch));
    }
    return stretches;
  }

  /// True where some result is recomputed from now on.
  bool Inline() {
    bool any = false;
    for (const Stretch& stretch : FindStretches()) {
      for (CrossingValue& crossing : InlineResults(graph_, stretch, rule_, kept_)) {
        any = any || !crossing.stored;
        Note(std::move(crossing));
      }
    }
    if (any) graph_ = EliminateDead(std::move(graph_));
    return any;
  }

  /// Later rounds know better what becomes of a value.
  void Note(CrossingValue crossing) {
    for (CrossingValue& known : crossings_) {
      if (known.name != crossing.name) continue;
      known = std::move(crossing);
      return;
    }
    crossings_.push_back(std::move(crossing));
  }

  Graph graph_;
  const std::size_t parts_;
  const CrossingRule& rule_;
  std::set<std::string> kept_;  ///< arrays that CutStatement has made
  std::vector<CrossingValue> crossings_;
  std::vector<std::string> refusals_;
};

}  // namespace

std::vector<std::size_t> CutEvenly(const std::vector<std::int64_t>& weights, int parts) {
  if (weights.empty()) return {};
  const auto wanted = std::min(weights.size(), static_cast<std::size_t>(parts));
  // Runs of at most so much each, as full as they get.
  const auto fill = [&](std::int64_t most) {
    std::vector<std::size_t> first = {0};
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (sum + weights[k] > most && k > first.back()) {
        first.push_back(k);
        sum = 0;
      }
      sum += weights[k];
    }
    return first;
  };
  std::int64_t low = *std::max_element(weights.begin(), weights.end());
  std::int64_t high = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (fill(middle).size() <= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  std::vector<std::size_t> first = fill(low);
  // Full runs may be fewer than wanted: the heaviest with more than one is halved.
  while (first.size() < wanted) {
    std::size_t heaviest = 0, cut = 0;
    std::int64_t most = -1;
    for (std::size_t r = 0; r < first.size(); ++r) {
      const std::size_t end = r + 1 < first.size() ? first[r + 1] : weights.size();
      if (end - first[r] < 2) continue;
      std::int64_t sum = 0;
      for (std::size_t k = first[r]; k < end; ++k) sum += weights[k];
      if (sum <= most) continue;
      most = sum;
      heaviest = r;
      cut = first[r] + 1;
      std::int64_t before = weights[first[r]];
      while (cut + 1 < end && 2 * before + weights[cut] <= sum) before += weights[cut++];
    }
    first.insert(first.begin() + static_cast<std::ptrdiff_t>(heaviest) + 1, cut);
  }
  return first;
}

Fission SplitKernels(Graph graph, int parts, const CrossingRule& rule) {
  return Splitter(std::move(graph), parts, rule).Run();
}

}  // namespace stencilgen::passes
