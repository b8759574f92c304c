#include "plan/band_ends.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "graph/nodes.h"

namespace stencilgen::plan {

namespace {

/// How far from its point a launch reads what the loop writes, and writes.
struct Reach {
  std::int64_t reads = 0, writes = 0;
};

/// Along the n-th iterator of the band; nothing where that is not near the point.
std::optional<Reach> ReachOf(const Plan& plan, const BandLaunch& launch, int iterator) {
  Reach reach;
  bool writes_here = false;
  for (const PlacedAccess& access : launch.accesses) {
    const auto at = std::find(access.iterators.begin(), access.iterators.end(), iterator);
    if (at == access.iterators.end()) return std::nullopt;
    const auto& [least, most] =
        access.offsets[static_cast<std::size_t>(at - access.iterators.begin())];
    writes_here = writes_here || access.writes;
    if (!access.writes) reach.reads = std::max({reach.reads, std::abs(least), std::abs(most)});
  }
  for (const graph::NodeId node : plan.kernels[launch.kernel].ops) {
    // What the launch records in arrays of its own may lie elsewhere.
    bool follows = writes_here;
    for (const graph::Index& index : graph::OperatorOf(plan.graph, node).target) {
      if (index.iterator != iterator) continue;
      if (index.coefficient != 1 || !index.offset.IsConstant()) return std::nullopt;
      reach.writes = std::max(reach.writes, std::abs(index.offset.constant));
      follows = true;
    }
    if (!follows) return std::nullopt;
  }
  return reach;
}

/// Some array that the launch reads wraps around along the iterator: what is read at one end lies
/// at the other.
bool WrapsAround(const Plan& plan, KernelId kernel, int iterator) {
  for (const graph::NodeId node : plan.kernels[kernel].ops) {
    for (const graph::ExprId id :
         graph::Accesses(plan.graph, graph::OperatorOf(plan.graph, node))) {
      const auto& access = std::get<graph::Access>(plan.graph.exprs[id].node);
      for (std::size_t d = 0; d < access.boundary.size(); ++d) {
        if (access.indices[d].iterator != iterator) continue;
        if (access.boundary[d].kind == graph::BoundaryKind::Wrap) return true;
      }
    }
  }
  return false;
}

/// By launch; empty where some launch has no reach.
std::vector<Reach> ReachesAlong(const Plan& plan, const BandAccesses& accesses, std::size_t n) {
  std::vector<Reach> reaches;
  for (const BandLaunch& launch : accesses.launches()) {
    const int iterator = accesses.iterators()[n];
    const auto reach = ReachOf(plan, launch, iterator);
    if (!reach || WrapsAround(plan, launch.kernel, iterator)) return {};
    reaches.push_back(*reach);
  }
  return reaches;
}

std::optional<BandEnds> EndsAlong(const Plan& plan, const BandAccesses& accesses, std::size_t n,
                                  const graph::WantedPlaces& wanted) {
  const std::vector<Reach> reaches = ReachesAlong(plan, accesses, n);
  if (reaches.empty()) return std::nullopt;
  BandEnds ends;
  ends.iterator = wanted.iterator;
  ends.first = wanted.first;
  ends.end = wanted.end;
  ends.after.resize(reaches.size());
  // Along any chain of launches, each but the first is one that comes after it.
  for (std::size_t m = reaches.size(); m-- > 0;) {
    ends.after[m] = ends.turn + reaches[m].writes;
    ends.turn += reaches[m].reads + reaches[m].writes;
  }
  return ends;
}

bool Computes(const Step& step) {
  return std::holds_alternative<Launch>(step) || std::holds_alternative<Repeat>(step) ||
         std::holds_alternative<AssignScalar>(step);
}

}  // namespace

Plan AddBandEnds(Plan plan) {
  const auto last = std::find_if(plan.steps.rbegin(), plan.steps.rend(), Computes);
  if (plan.graph.wanted.empty() || last == plan.steps.rend()) return plan;
  auto* repeat = std::get_if<Repeat>(&*last);
  if (repeat == nullptr || !repeat->band) return plan;
  if (graph::LoopOf(plan.graph, repeat->loop).stop) return plan;
  BandAccesses accesses(plan, *repeat);
  if (!accesses.Collect().empty()) return plan;
  const std::vector<int>& iterators = accesses.iterators();
  std::vector<BandEnds> found;
  for (const graph::WantedPlaces& wanted : plan.graph.wanted) {
    const auto at = std::find(iterators.begin(), iterators.end(), wanted.iterator);
    if (at == iterators.end()) continue;
    const auto n = static_cast<std::size_t>(at - iterators.begin());
    if (auto ends = EndsAlong(plan, accesses, n, wanted)) found.push_back(*std::move(ends));
  }
  repeat->band->ends = std::move(found);
  return plan;
}

std::vector<std::string> VerifyBandEnds(const Plan& plan, const TimeBand& band,
                                        const BandAccesses& accesses) {
  std::vector<std::string> problems;
  for (const BandEnds& ends : band.ends) {
    const std::vector<int>& iterators = accesses.iterators();
    const auto at = std::find(iterators.begin(), iterators.end(), ends.iterator);
    const auto n = static_cast<std::size_t>(at - iterators.begin());
    const std::vector<Reach> reaches =
        at == iterators.end() ? std::vector<Reach>() : ReachesAlong(plan, accesses, n);
    if (reaches.size() != ends.after.size()) {
      problems.emplace_back("ends of a band along an iterator that has none");
      continue;
    }
    bool near = false;
    for (std::size_t a = 0; a < reaches.size(); ++a) {
      near = near || ends.after[a] < reaches[a].writes;
      for (std::size_t b = 0; b < reaches.size(); ++b) {
        // What a computes, b reads in the same turn or in the next one.
        const std::int64_t margin = ends.after[a] - ends.after[b] + (b > a ? 0 : ends.turn);
        near = near || margin < reaches[a].writes + reaches[b].reads;
      }
    }
    if (near) problems.emplace_back("a band ends before what later turns need");
  }
  return problems;
}

}  // namespace stencilgen::plan
