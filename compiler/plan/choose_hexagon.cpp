#include "plan/choose_hexagon.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "graph/nodes.h"
#include "plan/band_accesses.h"
#include "plan/time_band.h"
#include "support/to_double.h"

namespace stencilgen::plan {
namespace {

/// Points of an operator's domain along its n-th iterator, and how many there are.
graph::Range RangeOf(const graph::Operator& op, std::size_t n,
                     const graph::ParameterValues& sizes) {
  return graph::Evaluate(op.domain.intervals[n], sizes);
}

class Estimate {
 public:
  Estimate(const Plan& plan, const Repeat& repeat, const machine::Gpu& device,
           const graph::ParameterValues& sizes)
      : plan_(plan),
        repeat_(repeat),
        band_(*repeat.band),
        hexagon_(*band_.hexagon),
        device_(device),
        sizes_(sizes),
        storage_(StorageOf(plan, repeat)),
        lead_(graph::OperatorOf(plan.graph, plan.kernels[LeadOf(plan, band_)].ops.front())) {}

  HexagonCost Run() {
    const std::int64_t turns = graph::Evaluate(repeat_.turns, sizes_);
    if (turns > 0) cost_.launches = graph::CeilDiv(turns, hexagon_.half) + 1;
    const std::int64_t rows = RangeOf(lead_, 0, sizes_).size();
    cost_.tiles = std::max<std::int64_t>(1, graph::CeilDiv(rows, PitchOf(band_)));
    CountElements();
    CountResident();
    if (cost_.resident == 0) {
      cost_.seconds = std::numeric_limits<double>::infinity();
      return cost_;
    }
    const double rounds =
        std::ceil(ToDouble(cost_.tiles) / (ToDouble(cost_.resident) * device_.sms));
    const double busy = std::min(1.0, ToDouble(cost_.tiles) / device_.sms);
    const double memory = (cost_.load_bytes + cost_.store_bytes) / (busy * device_.memory_achieved);
    const double launches = ToDouble(cost_.launches);
    CountTile(launches * rounds);
    constexpr double kStart = 3e-6;  // of a launch
    cost_.memory = launches * memory;
    const double computing = std::max(cost_.issue, cost_.exchange) + cost_.waiting;
    cost_.seconds = launches * kStart + std::max(cost_.memory, computing);
    return cost_;
  }

 private:
  /// Elements of a tile along the iterators after the first.
  double Across() const {
    double elements = 1;
    for (std::size_t n = 1; n < lead_.iterators.size(); ++n) {
      elements *= ToDouble(RangeOf(lead_, n, sizes_).size());
    }
    return elements;
  }
  /// How often an element comes along the iterators between the first and the last, where strips
  /// have these elements.
  double Times(const std::vector<ElementRange>& elements) const {
    double times = 1;
    for (std::size_t n = 0; n + 1 < hexagon_.strips.size(); ++n) {
      times *= ToDouble(elements[n].size()) / ToDouble(hexagon_.strips[n].width);
    }
    return times;
  }

  void CountElements() {
    const double across = Across() * ToDouble(cost_.tiles);
    for (const HexagonBox& box : storage_.boxes) {
      const double bytes = ElementBytes(plan_.buffers[box.buffer]);
      cost_.load_bytes += bytes * ToDouble(box.rows.size()) * across * Times(storage_.used);
      if (!box.written) continue;
      cost_.store_bytes +=
          bytes * ToDouble(storage_.stored.size()) * across * Times(storage_.written);
    }
    cost_.points = static_cast<std::int64_t>(ToDouble(RowsOfAllTurns()) * across);
  }
  std::int64_t RowsOfAllTurns() const {
    std::int64_t rows = 0;
    for (std::int64_t turn = 0; turn < hexagon_.half; ++turn) {
      rows += GrowingRows(band_, 0, turn).size() + ShrinkingRows(band_, 0, turn).size();
    }
    return rows;
  }

  void CountResident() {
    const int threads = hexagon_.block[0] * hexagon_.block[1];
    const std::int64_t by_memory =
        device_.shared_per_sm / (storage_.bytes + device_.shared_reserved);
    const std::int64_t by_threads = device_.threads_per_sm / threads;
    cost_.resident =
        static_cast<int>(std::min<std::int64_t>({by_memory, by_threads, device_.blocks_per_sm}));
  }

  /// Of so many tiles, one after the other, where as many as fit share a multiprocessor: shared
  /// memory and instructions, and the barrier after each launch of each turn.
  void CountTile(double times) {
    constexpr double kBarrier = 120;  // cycles from a barrier to the next, if nothing else waits
    constexpr double kBytesPerClock = 128;  // of shared memory
    constexpr double kIssue = 3;            // instructions a clock
    constexpr double kEach = 14;            // of a point: loop, places, store
    const double strips = std::ceil(Across() / StripPoints());
    double shared = 0;
    double instructions = 0;
    for (const KernelId id : band_.launches) {
      const graph::Operator& op = graph::OperatorOf(plan_.graph, plan_.kernels[id].ops.front());
      const auto reads = static_cast<double>(graph::Accesses(plan_.graph, op).size());
      const auto& array = plan_.graph.arrays[plan_.graph.versions[op.result].array];
      shared += (reads + 1) * SizeInBytes(array.type);
      const double flops = ToDouble(graph::FlopsPerPoint(plan_.graph, op));
      instructions += 2 * reads + kEach + flops;
      cost_.flops += flops * ToDouble(graph::Evaluate(repeat_.turns, sizes_)) * PointsOf(op);
    }
    const double points = ToDouble(RowsOfAllTurns()) * Across();
    constexpr double kLanes = 32;
    const double together = times * cost_.resident / device_.clock;
    cost_.exchange = together * points * shared / kBytesPerClock;
    cost_.issue = together * points * instructions / kLanes / kIssue;
    const double barriers =
        2 * ToDouble(hexagon_.half) * ToDouble(static_cast<std::int64_t>(band_.launches.size())) +
        2;
    cost_.waiting = times * strips * kBarrier * barriers / device_.clock;
  }
  double PointsOf(const graph::Operator& op) const {
    double points = 1;
    for (std::size_t n = 0; n < op.iterators.size(); ++n) {
      points *= ToDouble(std::max<std::int64_t>(RangeOf(op, n, sizes_).size(), 0));
    }
    return points;
  }
  double StripPoints() const {
    double points = 1;
    for (const BandStrip& strip : hexagon_.strips) points *= ToDouble(strip.width);
    return points;
  }

  const Plan& plan_;
  const Repeat& repeat_;
  const TimeBand& band_;
  const Hexagon& hexagon_;
  const machine::Gpu& device_;
  const graph::ParameterValues& sizes_;
  const HexagonStorage storage_;
  const graph::Operator& lead_;
  HexagonCost cost_;
};

/// Widths of strips: along the last iterator what fills a window of a power of two.
std::vector<std::vector<std::int64_t>> StripsFor(std::size_t further, int turns) {
  if (further == 0) return {{}};
  std::vector<std::vector<std::int64_t>> all;
  for (const std::int64_t window : {64, 128, 256}) {
    const std::int64_t last = window - turns - turns % 2 - 2;
    if (last < window / 4) continue;
    if (further == 1) all.push_back({last});
    for (const std::int64_t between : {8, 16, 32}) {
      if (further == 2) all.push_back({between, last});
      if (further == 3) all.push_back({between, between, last});
    }
  }
  return all;
}

HexagonSize SizeOf(const HexagonWish& wish, std::int64_t width,
                   const std::vector<std::int64_t>& strips) {
  HexagonSize size;
  size.half = std::max(1, (wish.turns + 1) / 2);
  size.width = width;
  size.strips = strips;
  size.block = wish.block;
  return size;
}

std::optional<TimeBand> BestFor(const Plan& plan, const Repeat& repeat, const HexagonWish& wish,
                                const machine::Gpu& device, const graph::ParameterValues& sizes) {
  std::optional<TimeBand> best;
  double least = std::numeric_limits<double>::infinity();
  if (!repeat.loop.Valid()) return best;
  BandAccesses accesses(plan, repeat);
  if (!accesses.Collect().empty()) return best;
  Repeat tiled = repeat;
  for (const auto& strips : StripsFor(accesses.iterators().size() - 1, wish.turns)) {
    for (const std::int64_t width : {1, 2, 4, 8, 16, 24, 32, 48, 64}) {
      auto found = FindHexagon(plan, repeat, SizeOf(wish, width, strips), wish.shared_limit);
      auto* band = std::get_if<TimeBand>(&found);
      if (band == nullptr) continue;
      tiled.band = *band;
      const double seconds = EstimateHexagon(plan, tiled, device, sizes).seconds;
      if (best && seconds >= least) continue;
      least = seconds;
      best = std::move(*band);
    }
  }
  return best;
}

void AddTo(const Plan& plan, std::vector<Step>& steps, const HexagonWish& wish,
           const machine::Gpu& device, const graph::ParameterValues& sizes) {
  for (Step& step : steps) {
    auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    AddTo(plan, repeat->body, wish, device, sizes);
    repeat->band = BestFor(plan, *repeat, wish, device, sizes);
  }
}

}  // namespace

HexagonCost EstimateHexagon(const Plan& plan, const Repeat& repeat, const machine::Gpu& device,
                            const graph::ParameterValues& sizes) {
  return Estimate(plan, repeat, device, sizes).Run();
}

std::string WhyNoHexagon(const Plan& plan, const Repeat& repeat, const HexagonWish& wish) {
  BandAccesses accesses(plan, repeat);
  if (std::string problem = accesses.Collect(); !problem.empty()) return problem;
  std::string reason;
  for (const auto& strips : StripsFor(accesses.iterators().size() - 1, wish.turns)) {
    auto found = FindHexagon(plan, repeat, SizeOf(wish, 1, strips), wish.shared_limit);
    const auto* problem = std::get_if<std::string>(&found);
    if (problem == nullptr) return "";
    if (reason.empty()) reason = *problem;
  }
  return reason.empty() ? "tiles of so many turns are too wide" : reason;
}

Plan AddHexagons(Plan plan, const HexagonWish& wish, const machine::Gpu& device,
                 const graph::ParameterValues& sizes) {
  std::vector<Step> steps = plan.steps;
  AddTo(plan, steps, wish, device, sizes);
  plan.steps = std::move(steps);
  return plan;
}

}  // namespace stencilgen::plan
