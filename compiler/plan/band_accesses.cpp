#include "plan/band_accesses.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "graph/overwrite.h"
#include "plan/looks.h"
#include "plan/operator_facts.h"

namespace stencilgen::plan {
namespace {

constexpr int kMostPeriod = 6;

/// Of accesses that differ in their offsets, dependences go by the smallest and the largest.
void Merge(PlacedAccess placed, std::vector<PlacedAccess>& accesses) {
  const auto same = std::find_if(accesses.begin(), accesses.end(), [&](const PlacedAccess& each) {
    return each.buffer == placed.buffer && each.writes == placed.writes &&
           each.iterators == placed.iterators;
  });
  if (same == accesses.end()) return accesses.push_back(std::move(placed));
  for (std::size_t d = 0; d < placed.offsets.size(); ++d) {
    same->offsets[d].first = std::min(same->offsets[d].first, placed.offsets[d].first);
    same->offsets[d].second = std::max(same->offsets[d].second, placed.offsets[d].second);
  }
}

}  // namespace

std::string BandAccesses::Collect() {
  if (!repeat_.scalar_moves.empty()) return "scalars change from turn to turn";
  // Turns of a band count from 0.
  const bool goes_on = repeat_.turns.remainder;
  if (goes_on && graph::LoopOf(plan_.graph, repeat_.loop).turn.Valid()) {
    return "its turns go on where those of time tiles end";
  }
  if (std::string problem = FindKernels(); !problem.empty()) return problem;
  FindIterators();
  if (iterators_.empty()) return "statements have no iterators";
  for (const KernelId kernel : kernels_) {
    if (std::string problem = Add(kernel); !problem.empty()) return problem;
  }
  FindPeriod();
  if (period_ > kMostPeriod) return "arrays rotate in too long a cycle";
  if (std::string problem = CheckWraps(); !problem.empty()) return problem;
  return CheckShapes();
}

/// The launches of turns that a tile may have; and what they write.
std::string BandAccesses::FindKernels() {
  Looks looks;
  if (repeat_.loop.Valid()) {
    const graph::Loop& loop = graph::LoopOf(plan_.graph, repeat_.loop);
    if (loop.stop && loop.stop->every == graph::LinearForm::Constant(1)) {
      return "a condition may end it after any of them";
    }
    if (loop.stop && loop.turn.Valid()) return "its turns go on where a condition is looked at";
    looks = FindLooks(plan_, repeat_);
  }
  for (const Step& step : repeat_.body) {
    const auto* assign = std::get_if<AssignScalar>(&step);
    if (assign != nullptr && looks.scalars.count(assign->op) > 0) continue;
    if (const auto* copy = std::get_if<CopyOutside>(&step)) {
      return fmt::format("what {} does not compute of {} is copied in each of them",
                         graph::OperatorOf(plan_.graph, copy->op).stencil,
                         plan_.buffers[copy->src].name);
    }
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) return "not every step of a turn is a loop nest";
    if (looks.kernels.count(launch->kernel) > 0) continue;
    if (plan_.kernels[launch->kernel].matrix) return "a kernel has rows and columns of arrays";
    if (FindReduction(plan_.graph, plan_.kernels[launch->kernel].ops) != nullptr) {
      return "a reduction takes all points";
    }
    for (const graph::VersionId version : StoredVersions(plan_, plan_.kernels[launch->kernel])) {
      written_.insert(plan_.buffer_of[version.index]);
    }
    kernels_.push_back(launch->kernel);
  }
  return kernels_.empty() ? "nothing is computed" : "";
}

std::vector<BandDependence> BandAccesses::Along(std::size_t n) const {
  std::vector<BandDependence> found;
  for (std::size_t later = 0; later < launches_.size(); ++later) {
    for (std::size_t earlier = 0; earlier < launches_.size(); ++earlier) {
      for (int turns = earlier < later ? 0 : 1; turns <= period_; ++turns) {
        AddAlong(n, {earlier, later, turns}, found);
      }
    }
  }
  return found;
}

const std::vector<int>& BandAccesses::IteratorsOf(KernelId kernel) const {
  return graph::OperatorOf(plan_.graph, plan_.kernels[kernel].ops.front()).iterators;
}

template <typename Visit>
void BandAccesses::VisitAccesses(KernelId kernel, const Visit& visit) const {
  for (const graph::NodeId node : plan_.kernels[kernel].ops) {
    const graph::Operator& op = graph::OperatorOf(plan_.graph, node);
    for (const graph::ExprId id : graph::Accesses(plan_.graph, op)) {
      const auto& access = std::get<graph::Access>(plan_.graph.exprs[id].node);
      visit(access.version, access.indices, false);
    }
    visit(op.result, op.target, true);
  }
}

/// The iterators, and which dimensions of memory that changes they walk.
void BandAccesses::FindIterators() {
  for (const KernelId kernel : kernels_) {
    const std::vector<int>& own = IteratorsOf(kernel);
    if (own.size() > iterators_.size()) iterators_ = own;
  }
  for (const KernelId kernel : kernels_) {
    if (IteratorsOf(kernel) != iterators_) continue;
    VisitAccesses(kernel, [&](graph::VersionId version, const std::vector<graph::Index>& indices,
                              bool /*writes*/) {
      const BufferId buffer = plan_.buffer_of[version.index];
      if (!buffer.Valid() || walks_.count(buffer) > 0) return;
      std::vector<int>& walks = walks_[buffer];
      for (const graph::Index& index : indices) walks.push_back(index.iterator);
    });
  }
}

/// The iterator that walks a dimension of the buffer's memory in launches that have all; -1 where
/// none is known to.
int BandAccesses::WalkerOf(BufferId buffer, std::size_t dimension) const {
  for (const auto& [walked, iterators] : walks_) {
    if (ShareMemory(buffer, walked)) return iterators[dimension];
  }
  return -1;
}

/// True where nobody but the kernel uses the buffer in the loop, which writes an element of it at
/// each point: turns at one point follow each other, so that nothing else can be wrong.
bool BandAccesses::IsOwn(BufferId buffer, KernelId kernel) const {
  bool own = true;
  for (const KernelId other : kernels_) {
    VisitAccesses(other, [&](graph::VersionId version, const std::vector<graph::Index>& indices,
                             bool writes) {
      const BufferId used = plan_.buffer_of[version.index];
      if (!used.Valid() || !ShareMemory(buffer, used)) return;
      const std::vector<int>& iterators = IteratorsOf(kernel);
      own = own && other == kernel && writes && used == buffer &&
            std::all_of(iterators.begin(), iterators.end(), [&](int iterator) {
              return std::any_of(indices.begin(), indices.end(), [&](const graph::Index& index) {
                return index.iterator == iterator && graph::IsPlain(index);
              });
            });
    });
  }
  return own;
}

std::string BandAccesses::Add(KernelId kernel) {
  BandLaunch launch{kernel, BandPlaces(iterators_.size()), {}};
  for (const graph::NodeId node : plan_.kernels[kernel].ops) {
    const graph::Operator& op = graph::OperatorOf(plan_.graph, node);
    for (const graph::ExprId id : graph::Accesses(plan_.graph, op)) {
      const auto& access = std::get<graph::Access>(plan_.graph.exprs[id].node);
      std::string problem =
          AddAccess(access.version, access.indices, access.boundary, false, launch);
      if (!problem.empty()) return problem;
    }
    std::string problem = AddAccess(op.result, op.target, {}, true, launch);
    if (!problem.empty()) return problem;
  }
  for (std::size_t n = 0; n < iterators_.size(); ++n) {
    const std::vector<int>& own = IteratorsOf(kernel);
    const bool walks = std::find(own.begin(), own.end(), iterators_[n]) != own.end();
    if (walks == launch.places[n].has_value()) return "statements' iterators differ";
  }
  launches_.push_back(std::move(launch));
  return "";
}

/// Places the kernel along an iterator that it does not walk.
bool BandAccesses::Place(int iterator, const graph::LinearForm& place, BandLaunch& launch) const {
  const auto at = std::find(iterators_.begin(), iterators_.end(), iterator);
  if (at == iterators_.end() || graph::HasTurn(place)) return false;
  auto& known = launch.places[static_cast<std::size_t>(at - iterators_.begin())];
  if (!known) known = place;
  return *known == place;
}

/// Some launch of the loop may write the memory that the buffer has in some turn.
bool BandAccesses::IsWritten(BufferId buffer) const {
  return std::any_of(written_.begin(), written_.end(),
                     [&](BufferId each) { return ShareMemory(buffer, each); });
}

std::string BandAccesses::AddAccess(graph::VersionId version,
                                    const std::vector<graph::Index>& indices,
                                    const std::vector<graph::Boundary>& boundary, bool writes,
                                    BandLaunch& launch) {
  const BufferId buffer = plan_.buffer_of[version.index];
  if (!buffer.Valid() || indices.empty() || !IsWritten(buffer)) return "";
  const std::vector<int>& own = IteratorsOf(launch.kernel);
  if (writes && own.size() < iterators_.size() && IsOwn(buffer, launch.kernel)) return "";
  PlacedAccess placed{buffer, writes, {}, {}};
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const graph::Index& index = indices[d];
    const std::string& name = plan_.buffers[buffer].name;
    const auto kind = boundary.empty() ? graph::BoundaryKind::None : boundary[d].kind;
    const bool fixed = index.iterator < 0 && kind == graph::BoundaryKind::None;
    const int walker = fixed ? WalkerOf(buffer, d) : -1;
    const bool walks = std::find(own.begin(), own.end(), walker) != own.end();
    if (walker >= 0 && !walks && Place(walker, index.offset, launch)) {
      placed.iterators.push_back(walker);
      placed.offsets.emplace_back(0, 0);
      continue;
    }
    if (index.iterator < 0 || index.coefficient != 1 || !index.offset.IsConstant()) {
      if (writes && IsOwn(buffer, launch.kernel)) return "";
      return fmt::format("{} is used at places that do not move with the point", name);
    }
    if (kind == graph::BoundaryKind::Wrap) {
      const graph::Array& array = plan_.graph.arrays[plan_.graph.versions[version].array];
      std::string problem = Wrap(index.iterator, array.extents[d]);
      if (!problem.empty()) return problem;
    }
    const std::int64_t offset = index.offset.constant;
    const std::int64_t reach = std::abs(offset);
    placed.iterators.push_back(index.iterator);
    // A place beyond an end is another one inside, no further from the point.
    placed.offsets.emplace_back(kind == graph::BoundaryKind::None ? offset : -reach,
                                kind == graph::BoundaryKind::None ? offset : reach);
  }
  Merge(std::move(placed), launch.accesses);
  return "";
}

/// Along iterators beyond the second no tile ends anywhere.
std::string BandAccesses::Wrap(int iterator, const graph::LinearForm& extent) {
  for (std::size_t n = 0; n < std::min(iterators_.size(), wraps_.size()); ++n) {
    if (iterators_[n] != iterator) continue;
    if (!wraps_[n]) wraps_[n] = extent;
    if (*wraps_[n] == extent) continue;
    return fmt::format("arrays wrap around at different ends of {}",
                       plan_.graph.iterators[static_cast<std::size_t>(iterator)]);
  }
  return "";
}

/// Where arrays wrap around, nothing else is computed beyond their ends.
std::string BandAccesses::CheckWraps() const {
  for (std::size_t n = 0; n < std::min(iterators_.size(), wraps_.size()); ++n) {
    if (!wraps_[n]) continue;
    const graph::Interval whole = {{{graph::LinearForm::Constant(0), 1}}, {{*wraps_[n] - 1, 1}}};
    for (const KernelId kernel : kernels_) {
      for (const graph::NodeId node : plan_.kernels[kernel].ops) {
        const graph::Operator& op = graph::OperatorOf(plan_.graph, node);
        const auto at = std::find(op.iterators.begin(), op.iterators.end(), iterators_[n]);
        if (at == op.iterators.end()) continue;
        const auto d = static_cast<std::size_t>(at - op.iterators.begin());
        if (graph::AlwaysContains(whole, op.domain.intervals[d])) continue;
        return fmt::format("{} goes beyond the ends that arrays wrap around at",
                           plan_.graph.iterators[static_cast<std::size_t>(iterators_[n])]);
      }
    }
  }
  return "";
}

void BandAccesses::FindPeriod() {
  for (const auto& [first, second] : repeat_.rotation) {
    int length = 1;
    for (BufferId at = second; at != first; at = AfterTurns(repeat_, at, 1)) ++length;
    period_ = std::lcm(period_, length);
    if (period_ > kMostPeriod) return;
  }
}

/// All accesses of memory have its dimensions along the same iterators.
std::string BandAccesses::CheckShapes() const {
  for (const BandLaunch& a : launches_) {
    for (const PlacedAccess& x : a.accesses) {
      for (const BandLaunch& b : launches_) {
        for (const PlacedAccess& y : b.accesses) {
          if (!ShareMemory(x.buffer, y.buffer)) continue;
          const std::string& name = plan_.buffers[x.buffer].name;
          if (x.iterators != y.iterators) return fmt::format("{} is used transposed", name);
          for (const int iterator : iterators_) {
            const auto count = std::count(x.iterators.begin(), x.iterators.end(), iterator);
            if (count != 1) return fmt::format("{} has not all dimensions of the loops", name);
          }
        }
      }
    }
  }
  return "";
}

bool BandAccesses::ShareMemory(BufferId a, BufferId b) const {
  BufferId each = a;
  do {
    if (each == b) return true;
    each = AfterTurns(repeat_, each, 1);
  } while (each != a);
  return false;
}

/// Where the launch has points along the iterator.
graph::Interval BandAccesses::PointsOf(const BandLaunch& launch, int iterator) const {
  const graph::Operator& op =
      graph::OperatorOf(plan_.graph, plan_.kernels[launch.kernel].ops.front());
  const auto own = std::find(op.iterators.begin(), op.iterators.end(), iterator);
  if (own != op.iterators.end()) {
    return op.domain.intervals[static_cast<std::size_t>(own - op.iterators.begin())];
  }
  const auto at = std::find(iterators_.begin(), iterators_.end(), iterator);
  const graph::LinearForm& place =
      *launch.places[static_cast<std::size_t>(at - iterators_.begin())];
  return {{{place, 1}}, {{place, 1}}};
}

/// The places of the buffer that the launch accesses along the dimension, and maybe more.
graph::Interval BandAccesses::RegionOf(const BandLaunch& launch, const PlacedAccess& access,
                                       std::size_t dimension) const {
  graph::Interval region = PointsOf(launch, access.iterators[dimension]);
  const auto& [least, most] = access.offsets[dimension];
  for (graph::Bound& bound : region.lower) {
    bound.numerator = bound.numerator + least * bound.divisor;
  }
  for (graph::Bound& bound : region.upper) {
    bound.numerator = bound.numerator + most * bound.divisor;
  }
  return region;
}

/// No further than the launches' points are apart along the iterator.
void BandAccesses::Tighten(int iterator, BandDependence& dependence) const {
  const graph::Interval earlier = PointsOf(launches_[dependence.earlier], iterator);
  const graph::Interval later = PointsOf(launches_[dependence.later], iterator);
  const auto visit = [](const std::vector<graph::Bound>& a, const std::vector<graph::Bound>& b,
                        const auto& use) {
    for (const graph::Bound& x : a) {
      for (const graph::Bound& y : b) {
        const graph::LinearForm difference = x.numerator - y.numerator;
        if (x.divisor == 1 && y.divisor == 1 && difference.IsConstant()) use(difference.constant);
      }
    }
  };
  visit(later.lower, earlier.upper,
        [&](std::int64_t apart) { dependence.least = std::max(dependence.least, apart); });
  visit(later.upper, earlier.lower,
        [&](std::int64_t apart) { dependence.most = std::min(dependence.most, apart); });
}

/// True where the accesses have no element in common, as those of opposite edges.
bool BandAccesses::NeverMeet(const BandLaunch& a, const PlacedAccess& x, const BandLaunch& b,
                             const PlacedAccess& y) const {
  if (wraps_[0] || wraps_[1]) return false;
  for (std::size_t d = 0; d < x.iterators.size(); ++d) {
    if (graph::AlwaysApart(RegionOf(a, x, d), RegionOf(b, y, d))) return true;
  }
  return false;
}

void BandAccesses::AddAlong(std::size_t n, BandDependence base,
                            std::vector<BandDependence>& found) const {
  const int iterator = iterators_[n];
  for (const PlacedAccess& from : launches_[base.earlier].accesses) {
    for (const PlacedAccess& to : launches_[base.later].accesses) {
      if (!from.writes && !to.writes) continue;
      if (AfterTurns(repeat_, to.buffer, base.turns) != from.buffer) continue;
      if (NeverMeet(launches_[base.earlier], from, launches_[base.later], to)) continue;
      const auto at = std::find(from.iterators.begin(), from.iterators.end(), iterator);
      const auto d = static_cast<std::size_t>(at - from.iterators.begin());
      base.least = from.offsets[d].first - to.offsets[d].second;
      base.most = from.offsets[d].second - to.offsets[d].first;
      if (!wraps_[0] && !wraps_[1]) Tighten(iterator, base);
      if (base.least <= base.most) found.push_back(base);
    }
  }
}

}  // namespace stencilgen::plan
