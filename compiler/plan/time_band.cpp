#include "plan/time_band.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "plan/band_accesses.h"
#include "plan/band_ends.h"
#include "plan/band_sides.h"
#include "plan/hexagon.h"
#include "support/check.h"

namespace stencilgen::plan {
namespace {

void AddTo(Plan& plan, std::vector<Step>& steps, int turns) {
  for (Step& step : steps) {
    auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    AddTo(plan, repeat->body, turns);
    auto band = FindTimeBand(plan, *repeat);
    if (auto* found = std::get_if<TimeBand>(&band)) {
      found->turns = turns;
      repeat->band = *found;
    }
  }
}

void CollectLoops(const std::vector<Step>& steps, std::vector<const Repeat*>& loops) {
  for (const Step& step : steps) {
    const auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    if (repeat->band) loops.push_back(repeat);
    CollectLoops(repeat->body, loops);
  }
}

}  // namespace

std::vector<const Repeat*> LoopsWithBands(const Plan& plan) {
  std::vector<const Repeat*> loops;
  CollectLoops(plan.steps, loops);
  return loops;
}

std::set<KernelId> KernelsInBands(const Plan& plan) {
  std::set<KernelId> kernels;
  for (const Repeat* loop : LoopsWithBands(plan)) {
    kernels.insert(loop->band->launches.begin(), loop->band->launches.end());
  }
  return kernels;
}

int PointsAlongFirst(const Plan& plan, const TimeBand& band) {
  int points = 1;
  for (const KernelId id : band.launches) {
    const auto& nest = plan.kernels[id].nest;
    if (nest && nest->vectors) points = std::max(points, nest->points.front());
  }
  return points;
}

KernelId LeadOf(const Plan& plan, const TimeBand& band) {
  // Edges have few points along some iterator, whatever the sizes.
  const auto is_wide = [](const graph::Interval& interval) {
    constexpr std::int64_t kFew = 8;
    for (const graph::Bound& low : interval.lower) {
      for (const graph::Bound& high : interval.upper) {
        const graph::LinearForm size = high.numerator - low.numerator;
        if (low.divisor == high.divisor && size.IsConstant() &&
            size.constant < kFew * low.divisor) {
          return false;
        }
      }
    }
    return true;
  };
  const auto weight = [&](KernelId kernel) {
    const graph::Operator& op = graph::OperatorOf(plan.graph, plan.kernels[kernel].ops.front());
    const auto& intervals = op.domain.intervals;
    return std::pair(op.iterators.size(),
                     std::count_if(intervals.begin(), intervals.end(), is_wide));
  };
  return *std::max_element(band.launches.begin(), band.launches.end(),
                           [&](KernelId a, KernelId b) { return weight(a) < weight(b); });
}

BandShape ShapeOf(const Plan& plan, const Repeat& repeat) {
  BandAccesses accesses(plan, repeat);
  STENCILGEN_CHECK(accesses.Collect().empty());
  BandShape shape;
  for (const BandLaunch& launch : accesses.launches()) {
    shape.places.emplace(launch.kernel, launch.places);
  }
  shape.around = {accesses.WrapAlong(0), accesses.WrapAlong(1)};
  return shape;
}

BufferId AfterTurns(const Repeat& repeat, BufferId buffer, int turns) {
  for (; turns > 0; --turns) {
    const auto at = std::find_if(repeat.rotation.begin(), repeat.rotation.end(),
                                 [&](const auto& move) { return move.first == buffer; });
    if (at == repeat.rotation.end()) return buffer;
    buffer = at->second;
  }
  return buffer;
}

std::variant<TimeBand, std::string> FindTimeBand(const Plan& plan, const Repeat& repeat) {
  BandAccesses accesses(plan, repeat);
  if (std::string problem = accesses.Collect(); !problem.empty()) return problem;
  const std::size_t launches = accesses.launches().size();
  TimeBand band;
  for (const BandLaunch& launch : accesses.launches()) band.launches.push_back(launch.kernel);
  band.period = accesses.period();
  const auto outer = FindSide(accesses.Along(0), launches, true);
  if (!outer) return "dependences reach too far";
  band.outer = *outer;
  if (accesses.iterators().size() > 1) {
    const auto inner = FindSide(accesses.Along(1), launches, accesses.WrapAlong(1).has_value());
    if (!inner) return "dependences reach too far";
    band.inner = *inner;
  }
  return band;
}

Plan AddTimeBands(Plan plan, int turns) {
  std::vector<Step> steps = std::move(plan.steps);
  AddTo(plan, steps, turns);
  plan.steps = std::move(steps);
  return AddBandEnds(std::move(plan));
}

std::vector<std::string> VerifyTimeBand(const Plan& plan, const Repeat& repeat) {
  const TimeBand& band = *repeat.band;
  BandAccesses accesses(plan, repeat);
  if (std::string problem = accesses.Collect(); !problem.empty()) return {problem};
  std::vector<std::string> problems;
  const std::size_t launches = accesses.launches().size();
  std::vector<KernelId> kernels;
  for (const BandLaunch& launch : accesses.launches()) kernels.push_back(launch.kernel);
  if (band.launches != kernels) return {"other launches than the loop's"};
  if (band.period != accesses.period()) problems.emplace_back("another period than the loop's");
  CheckSide("along the first iterator", band.outer, true, accesses.Along(0), launches, problems);
  if (band.outer.slope < 1) problems.emplace_back("tiles that do not lean");
  for (std::string& problem : VerifyBandEnds(plan, band, accesses)) {
    problems.push_back(std::move(problem));
  }
  if (band.hexagon) {
    for (std::string& problem : VerifyHexagon(plan, repeat)) problems.push_back(std::move(problem));
  } else if (accesses.iterators().size() > 1) {
    CheckSide("along the second iterator", band.inner, accesses.WrapAlong(1).has_value(),
              accesses.Along(1), launches, problems);
  }
  return problems;
}

}  // namespace stencilgen::plan
