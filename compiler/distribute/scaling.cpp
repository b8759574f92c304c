#include "distribute/scaling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "distribute/exchange_depth.h"
#include "distribute/find_grid.h"
#include "graph/nodes.h"
#include "support/match.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

std::int64_t CountOf(const Turns& turns, const ParameterValues& sizes) {
  const std::int64_t count = std::max<std::int64_t>(0, Evaluate(turns.count, sizes));
  return turns.remainder ? count % turns.divisor : count / turns.divisor;
}

/// One kind of exchange in a run, and the segment that is run behind it.
struct Happening {
  const Exchange* exchange = nullptr;  ///< null: none
  std::size_t segment = 0;
  bool calls = false;  ///< the segment is run
  std::int64_t turns = 1, times = 1;
};

/// All that happens in a run, and how often ranks do something together.
struct Run {
  std::vector<Happening> happenings;
  std::int64_t collectives = 0;
};

/// `looks`: how often in all of these times the loop around looks at its condition.
void Collect(const Steps& steps, const ParameterValues& sizes, std::int64_t times, Run& run,
             std::int64_t looks = 0) {
  for (const Step& step : steps) {
    Match(
        step.what,
        [&](const ExchangeStep& exchange) {
          run.happenings.push_back({&exchange.exchange, 0, false, 1, times});
        },
        [&](const CallStep& call) {
          run.happenings.push_back({nullptr, call.segment, true, 1, times});
        },
        [&](const HandOnStep&) {}, [&](const CollectStep&) { run.collectives += times; },
        [&](const ReduceStep&) { run.collectives += times; },
        [&](const ChunksStep& chunks) {
          const std::int64_t count = CountOf(chunks.turns, sizes);
          // What generated code does.
          const auto add = [&](std::int64_t turns, std::int64_t often) {
            if (turns == 0 || often == 0) return;
            run.happenings.push_back({&chunks.before[static_cast<std::size_t>(turns - 1)],
                                      chunks.segment, true, turns, often * times});
          };
          const std::int64_t together = ranks::EvenTurns(count, chunks.together);
          add(together, count / together);
          add(count % together, 1);
        },
        [&](const LookStep& look) { Collect(look.body, sizes, looks, run); },
        [&](const RepeatStep& repeat) {
          const std::int64_t count = CountOf(repeat.turns, sizes);
          const std::int64_t every =
              repeat.stop ? std::max<std::int64_t>(1, Evaluate(repeat.stop->every, sizes)) : 1;
          const std::int64_t own_looks = repeat.stop ? count / every * times : 0;
          run.collectives += own_looks;
          Collect(repeat.body, sizes, times * count, run, own_looks);
        });
  }
}

/// The array as the ranks see it.
std::vector<mpi::Dimension> DimensionsOf(const Distributed& program, const ParameterValues& sizes,
                                         ArrayId array) {
  std::vector<mpi::Dimension> dimensions;
  for (std::size_t d = 0; d < program.graph.arrays[array].rank(); ++d) {
    const GridDimension& along = program.grid.Of(array, d);
    const long long points =
        along.axis < 0 ? Evaluate(program.graph.arrays[array].extents[d], sizes) : 0;
    dimensions.push_back({along.axis, points, along.excess, along.scale});
  }
  return dimensions;
}

/// What the rank sends in one exchange.
RankTraffic TrafficOf(const Distributed& program, const ParameterValues& sizes,
                      const Exchange& exchange, const ranks::Places& places, int rank) {
  RankTraffic traffic;
  if (exchange.empty()) return traffic;
  traffic.exchanges = 1;
  const std::size_t axes = places.shape().size();
  const std::vector<ranks::Part> parts = places.PartsOf(rank);
  for (int direction = 0; direction < ranks::DirectionCount(axes); ++direction) {
    const std::vector<int> steps = ranks::StepsOf(direction, axes);
    const int neighbour = places.Neighbour(rank, steps);
    if (neighbour < 0 || neighbour == rank) continue;
    std::int64_t bytes = 0;
    for (const FieldDepth& field : exchange) {
      const mpi::Box box = mpi::ExchangedBox(DimensionsOf(program, sizes, field.array), parts,
                                             ExchangeDepth(program, field), steps, true);
      if (box.first.empty()) continue;
      bytes += box.Elements() * ElementBytes(program.graph.arrays[field.array]);
    }
    if (bytes > 0) ++traffic.messages;
    traffic.bytes += bytes;
  }
  return traffic;
}

/// Shapes of so many ranks that have the axes' points each. Of those that fit the one whose ranks
/// are most alike along all axes, as the points of the whole are then like those of a rank; of
/// these the cheapest.
void TryWeakShapes(const std::vector<ranks::Axis>& axes, int left, std::size_t at,
                   std::vector<int>& shape, std::vector<int>& best, ranks::Price& least) {
  if (at == axes.size()) {
    if (left != 1) return;
    std::vector<ranks::Axis> whole = axes;
    for (std::size_t a = 0; a < axes.size(); ++a) whole[a].points *= shape[a];
    const ranks::Price price = ranks::PriceOf(whole, shape);
    if (!price.fits) return;
    const int sum = std::accumulate(shape.begin(), shape.end(), 0);
    const int least_sum = std::accumulate(best.begin(), best.end(), 0);
    if (!best.empty() && (sum > least_sum || (sum == least_sum && !(price < least)))) return;
    least = price;
    best = shape;
    return;
  }
  for (int count = left; count >= 1; --count) {
    if (left % count != 0) continue;
    shape[at] = count;
    TryWeakShapes(axes, left / count, at + 1, shape, best, least);
  }
}

/// The time of a rank with the most points.
class Model {
 public:
  Model(const Distributed& program, const std::vector<ranks::Axis>& axes,
        const std::vector<int>& shape, const Network& network)
      : program_(program), axes_(axes), shape_(shape), network_(network) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      own_.push_back(static_cast<double>((axes[a].points + shape[a] - 1) / shape[a]));
    }
  }

  /// Operators at points that the rank computes in one turn of all, with those of its ghosts.
  double WorkOf(const Happening& happening) const {
    const Reaches depths = DepthsOf(happening.exchange);
    double points = 0;
    for (std::int64_t turn = 1; turn <= happening.turns; ++turn) {
      // The last turn computes no ghosts, the first one all but those of its own reach.
      const double part =
          static_cast<double>(happening.turns - turn) / static_cast<double>(happening.turns);
      double box = 1;
      for (std::size_t a = 0; a < own_.size(); ++a) {
        box *= own_[a] + part * Sides(a, depths[a]);
      }
      points += box;
    }
    return points * OperatorsOf(happening);
  }
  /// The same of one machine that has all points.
  double WholeWorkOf(const Happening& happening) const {
    double box = static_cast<double>(happening.turns);
    for (const ranks::Axis& axis : axes_) box *= static_cast<double>(axis.points);
    return box * OperatorsOf(happening);
  }
  double SecondsOf(const RankTraffic& traffic) const {
    return static_cast<double>(traffic.messages) * network_.latency +
           static_cast<double>(traffic.bytes) / network_.bytes_per_second;
  }
  /// What an exchange costs beside the computation that follows it.
  struct ExchangeCost {
    double seconds = 0;
    double hidden = 0;  ///< of what its messages take
  };
  ExchangeCost CostOf(const Happening& happening, double exchange, double compute) const {
    const Reaches depths = DepthsOf(happening.exchange);
    double again = 0;
    for (std::size_t a = 0; a < own_.size(); ++a) {
      const Reach depth = depths[a];
      const double strip = static_cast<double>(axes_[a].ghosts_lo + axes_[a].ghosts_hi +
                                               std::max(depth.lo, depth.hi));
      if (Sides(a, depth) > 0 && strip > own_[a]) return {exchange, 0};
      again += Sides(a, depth) > 0 ? 2 * strip / own_[a] : 0;
    }
    const double overlapped = again * compute + std::max(0.0, exchange - compute);
    if (overlapped >= exchange) return {exchange, 0};
    return {overlapped, std::min(exchange, compute)};
  }

 private:
  /// Ghosts along an axis on sides where there are neighbours.
  double Sides(std::size_t axis, Reach depth) const {
    if (!axes_[axis].HasNeighbours(shape_[axis])) return 0;
    const bool both = shape_[axis] > 2 || axes_[axis].periodic;
    return static_cast<double>(both ? depth.lo + depth.hi : std::max(depth.lo, depth.hi));
  }
  double OperatorsOf(const Happening& happening) const {
    return happening.calls ? OperatorsAtPoint(program_, happening.segment) : 0;
  }
  Reaches DepthsOf(const Exchange* exchange) const {
    return exchange == nullptr ? Reaches(own_.size()) : PointsOf(program_, *exchange);
  }

  const Distributed& program_;
  const std::vector<ranks::Axis>& axes_;
  const std::vector<int>& shape_;
  const Network& network_;
  std::vector<double> own_;  ///< points along each axis
};

/// An exchange and the segment right behind it are one happening.
Run RunOf(const Distributed& program, const ParameterValues& sizes) {
  Run run;
  Collect(program.steps, sizes, 1, run);
  for (std::size_t n = 0; n + 1 < run.happenings.size(); ++n) {
    Happening& next = run.happenings[n + 1];
    const Happening& here = run.happenings[n];
    const bool joins = here.exchange != nullptr && !here.calls && next.calls &&
                       next.exchange == nullptr && next.times == here.times;
    if (!joins) continue;
    next.exchange = here.exchange;
    run.happenings.erase(run.happenings.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return run;
}

}  // namespace

namespace {

/// The sum over the segment's operators of what each has, so often as it is computed at a point.
template <typename Has>
double SumAtPoint(const Distributed& program, std::size_t segment, Has has) {
  double all = 0;
  for (const NodeId node : program.sources[segment].nodes) {
    const Operator& op = OperatorOf(program.graph, node);
    double points = 1;
    for (const GridAxis& axis : program.grid.axes) {
      points *= static_cast<double>(IteratorScale(program.grid, program.graph, op, axis.iterator));
    }
    all += points * has(op);
  }
  return all;
}

}  // namespace

double OperatorsAtPoint(const Distributed& program, std::size_t segment) {
  return SumAtPoint(program, segment, [](const Operator&) { return 1.0; });
}

double AccessesAtPoint(const Distributed& program, std::size_t segment) {
  return SumAtPoint(program, segment, [&](const Operator& op) {
    // Elements of one array at one place are one.
    std::vector<std::pair<VersionId, std::vector<Index>>> places;
    for (const ExprId id : Accesses(program.graph, op)) {
      const auto& access = std::get<Access>(program.graph.exprs[id].node);
      const std::pair place{access.version, access.indices};
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    return 1.0 + static_cast<double>(places.size());
  });
}

Reaches PointsOf(const Distributed& program, const Exchange& exchange) {
  Reaches depths(program.grid.axes.size());
  for (const FieldDepth& field : exchange) {
    depths = Most(std::move(depths), program.grid.Points(field.array, SidesOf(field.depth)));
  }
  return depths;
}

std::vector<ranks::Axis> AxesOf(const Distributed& program, const ParameterValues& sizes) {
  std::vector<ranks::Axis> axes;
  for (std::size_t a = 0; a < program.grid.axes.size(); ++a) {
    const GridAxis& axis = program.grid.axes[a];
    axes.push_back({program.graph.iterators[static_cast<std::size_t>(axis.iterator)].c_str(),
                    Evaluate(axis.extent, sizes), axis.periodic,
                    IsUnitStride(program, static_cast<int>(a)), program.ghosts[a].lo,
                    program.ghosts[a].hi});
  }
  return axes;
}

std::vector<RankTraffic> CountTraffic(const Distributed& program, const ParameterValues& sizes,
                                      const std::vector<ranks::Axis>& axes,
                                      const std::vector<int>& shape) {
  const Run run = RunOf(program, sizes);
  const ranks::Places places(axes, shape);
  std::vector<RankTraffic> all(static_cast<std::size_t>(places.ranks()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (const Happening& happening : run.happenings) {
      if (happening.exchange == nullptr) continue;
      const RankTraffic one =
          TrafficOf(program, sizes, *happening.exchange, places, static_cast<int>(rank));
      all[rank].exchanges += happening.times * one.exchanges;
      all[rank].messages += happening.times * one.messages;
      all[rank].bytes += happening.times * one.bytes;
    }
  }
  return all;
}

std::int64_t TurnsOf(const Distributed& program, const ParameterValues& sizes) {
  std::int64_t most = 1;
  for (const Step& step : program.steps) {
    if (const auto* chunks = std::get_if<ChunksStep>(&step.what)) {
      most = std::max(most, CountOf(chunks->turns, sizes));
    }
    if (const auto* repeat = std::get_if<RepeatStep>(&step.what)) {
      most = std::max(most, CountOf(repeat->turns, sizes));
    }
  }
  return most;
}

std::vector<int> ShapeOf(const std::vector<ranks::Axis>& axes, const RanksSetting& setting) {
  std::vector<int> wanted = setting.wanted;
  wanted.resize(axes.size(), 0);
  if (!setting.weak) return ranks::ChooseShape(axes, wanted, setting.ranks);
  std::vector<int> shape(axes.size(), 1);
  std::vector<int> best;
  ranks::Price least;
  TryWeakShapes(axes, setting.ranks, 0, shape, best, least);
  return best;
}

Prediction Predict(const Distributed& program, const RanksSetting& setting, double one) {
  Prediction prediction;
  const ParameterValues& sizes = setting.sizes;
  std::vector<ranks::Axis> axes = AxesOf(program, sizes);
  prediction.shape = ShapeOf(axes, setting);
  if (prediction.shape.empty()) return prediction;
  for (std::size_t a = 0; setting.weak && a < axes.size(); ++a)
    axes[a].points *= prediction.shape[a];

  for (const RankTraffic& traffic : CountTraffic(program, sizes, axes, prediction.shape)) {
    prediction.most.exchanges = std::max(prediction.most.exchanges, traffic.exchanges);
    prediction.most.messages = std::max(prediction.most.messages, traffic.messages);
    prediction.most.bytes = std::max(prediction.most.bytes, traffic.bytes);
    prediction.all_messages += traffic.messages;
    prediction.all_bytes += traffic.bytes;
  }

  const Run run = RunOf(program, sizes);
  const Model model(program, axes, prediction.shape, setting.network);
  const ranks::Places places(axes, prediction.shape);
  // A rank in the middle has neighbours on all sides.
  int middle = 0;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    middle = middle * prediction.shape[a] + (prediction.shape[a] > 2 ? 1 : 0);
  }
  double whole = 0;
  for (const Happening& happening : run.happenings) {
    whole += static_cast<double>(happening.times) * model.WholeWorkOf(happening);
  }
  const double machines = setting.weak ? setting.ranks : 1;
  const double second_of_work = whole > 0 ? one * machines / whole : 0;
  double waited = 0;
  for (const Happening& happening : run.happenings) {
    const auto times = static_cast<double>(happening.times);
    const double compute = second_of_work * model.WorkOf(happening);
    prediction.compute += times * compute;
    if (happening.exchange == nullptr) continue;
    const double exchange =
        model.SecondsOf(TrafficOf(program, sizes, *happening.exchange, places, middle));
    prediction.exchange += times * exchange;
    const Model::ExchangeCost cost = model.CostOf(happening, exchange, compute);
    prediction.hidden += times * cost.hidden;
    waited += times * cost.seconds;
  }
  // There and back, in a tree.
  const double rounds = 2 * std::ceil(std::log2(static_cast<double>(setting.ranks)));
  prediction.collective = static_cast<double>(run.collectives) * rounds * setting.network.latency;
  prediction.seconds = prediction.compute + waited + prediction.collective;
  return prediction;
}

}  // namespace stencilgen::distribute
