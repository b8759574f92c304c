#include "support/distributed_run.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <type_traits>
#include <utility>

#include "graph/nodes.h"
#include "graph/reduction.h"
#include "stencilgen/ranks.hpp"
#include "support/match.h"

namespace stencilgen::testing {
namespace {

using namespace distribute;
using graph::Values;
using Place = std::vector<std::int64_t>;

/// The points of a rank along an axis, from the whole grid's first.
struct Part {
  std::int64_t lo = 0, hi = 0;      ///< its own
  std::int64_t first = 0, end = 0;  ///< with ghosts
  std::int64_t extent = 0;          ///< of the grid
  bool is_last = false, periodic = false;
};
using Box = std::vector<Part>;  // by axis

class Runner {
 public:
  Runner(const Distributed& program, const graph::ParameterValues& parameters,
         const std::map<std::string, Values>& inputs, const std::vector<std::int64_t>& ranks)
      : program_(program), parameters_(parameters), inputs_(inputs), ranks_(ranks) {}

  std::optional<DistributedResult> Run() {
    if (!MakeBoxes()) return std::nullopt;
    fields_.resize(boxes_.size());
    for (const ArrayId array : program_.fields) Scatter(array);
    RunSteps(program_.steps);
    for (const graph::Output& output : program_.graph.outputs) Gather(output.array);
    return std::move(result_);
  }

 private:
  const graph::Array& ArrayOf(ArrayId id) const { return program_.graph.arrays[id]; }

  bool MakeBoxes() {
    boxes_ = {{}};
    for (std::size_t a = 0; a < ranks_.size(); ++a) {
      const std::int64_t extent = Evaluate(program_.grid.axes[a].extent, parameters_);
      std::vector<Box> more;
      for (const Box& box : boxes_) {
        std::int64_t lo = 0;
        for (std::int64_t p = 0; p < ranks_[a]; ++p) {
          const std::int64_t own = extent / ranks_[a] + (p < extent % ranks_[a] ? 1 : 0);
          const Reach ghosts = program_.ghosts[a];
          const bool periodic = program_.grid.axes[a].periodic;
          if ((ranks_[a] > 1 || periodic) &&
              own < std::max({ghosts.lo, ghosts.hi, std::int64_t{1}}))
            return false;
          Part part{lo, lo + own, 0, 0, extent, p + 1 == ranks_[a], periodic};
          part.first = p == 0 && !periodic ? 0 : lo - ghosts.lo;
          part.end = part.is_last && !periodic ? extent : part.hi + ghosts.hi;
          more.push_back(box);
          more.back().push_back(part);
          lo += own;
        }
      }
      boxes_ = std::move(more);
    }
    return true;
  }

  Place GlobalShape(ArrayId id) const {
    Place shape;
    for (const auto& extent : ArrayOf(id).extents) shape.push_back(Evaluate(extent, parameters_));
    return shape;
  }
  Place LocalShape(ArrayId id, const Box& box) const {
    Place shape = GlobalShape(id);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const int axis = program_.grid.AxisOf(id, d);
      if (axis < 0) continue;
      const Part& part = box[static_cast<std::size_t>(axis)];
      const GridDimension& along = program_.grid.Of(id, d);
      shape[d] = (part.end - part.first) * along.scale + along.excess;
    }
    return shape;
  }
  static std::size_t Count(const Place& shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
  }
  static std::size_t At(const Place& place, const Place& shape) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < place.size(); ++d) {
      at = at * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(place[d]);
    }
    return at;
  }
  /// Calls `visit` at each place of the shape.
  template <typename Visit>
  static void ForEach(const Place& shape, Visit visit) {
    Place place(shape.size(), 0);
    for (std::size_t n = Count(shape); n-- > 0;) {
      visit(place);
      for (std::size_t d = place.size(); d-- > 0;) {
        if (++place[d] < shape[d]) break;
        place[d] = 0;
      }
    }
  }
  static void CopyElement(Values& to, std::size_t to_at, const Values& from, std::size_t from_at) {
    Match(to, [&](auto& elements) {
      elements[to_at] = std::get<std::decay_t<decltype(elements)>>(from)[from_at];
    });
  }

  /// The element's place in the whole array.
  Place Global(ArrayId id, const Box& box, Place place) const {
    for (std::size_t d = 0; d < place.size(); ++d) {
      const int axis = program_.grid.AxisOf(id, d);
      if (axis < 0) continue;
      const Part& part = box[static_cast<std::size_t>(axis)];
      const std::int64_t scale = program_.grid.Of(id, d).scale;
      place[d] += part.first * scale;
      const std::int64_t extent = part.extent * scale;
      if (part.periodic) place[d] = (place[d] + extent) % extent;
    }
    return place;
  }
  /// The local element is within the rank's own part, or so many points beyond it in its direction.
  bool Within(ArrayId id, const Box& box, const Place& place, const Halo& depth) const {
    std::vector<std::int64_t> beyond(box.size(), 0);  // by axis; below zero: below
    for (std::size_t d = 0; d < place.size(); ++d) {
      const int axis = program_.grid.AxisOf(id, d);
      if (axis < 0) continue;
      const auto a = static_cast<std::size_t>(axis);
      const GridDimension& along = program_.grid.Of(id, d);
      const std::int64_t at = place[d] + box[a].first * along.scale;
      const bool ends = box[a].is_last && !box[a].periodic;
      const std::int64_t lo = box[a].lo * along.scale;
      const std::int64_t hi = box[a].hi * along.scale + (ends ? along.excess : 0);
      if (at < lo) beyond[a] = at - lo;
      if (at >= hi) beyond[a] = at - hi + 1;
    }
    int direction = 0;
    for (const std::int64_t points : beyond) {
      direction = 3 * direction + 1 + (points > 0 ? 1 : points < 0 ? -1 : 0);
    }
    for (std::size_t a = 0; a < beyond.size(); ++a) {
      if (beyond[a] != 0 && std::abs(beyond[a]) > depth.At(direction, a)) return false;
    }
    return true;
  }

  void Scatter(ArrayId id) {
    const Place shape = GlobalShape(id);
    const auto given = inputs_.find(ArrayOf(id).name);
    for (std::size_t r = 0; r < boxes_.size(); ++r) {
      const Place local = LocalShape(id, boxes_[r]);
      Values values = graph::MakeValues(ArrayOf(id).type, Count(local));
      Match(values, [](auto& elements) { std::fill(elements.begin(), elements.end(), 117); });
      ForEach(local, [&](const Place& place) {
        if (given == inputs_.end() || !Within(id, boxes_[r], place, Own())) return;
        CopyElement(values, At(place, local), given->second,
                    At(Global(id, boxes_[r], place), shape));
      });
      fields_[r][id] = std::move(values);
    }
  }
  Halo Own() const { return {program_.grid.axes.size(), 0}; }

  Values Gathered(ArrayId id) const {
    const Place shape = GlobalShape(id);
    Values whole = graph::MakeValues(ArrayOf(id).type, Count(shape));
    for (std::size_t r = 0; r < boxes_.size(); ++r) {
      const Place local = LocalShape(id, boxes_[r]);
      ForEach(local, [&](const Place& place) {
        if (!Within(id, boxes_[r], place, Own())) return;
        CopyElement(whole, At(Global(id, boxes_[r], place), shape), fields_[r].at(id),
                    At(place, local));
      });
    }
    return whole;
  }
  void Gather(ArrayId id) { result_.outputs[ArrayOf(id).name] = Gathered(id); }

  void RunSteps(const Steps& steps) {
    for (const Step& step : steps) {
      if (!result_.error.empty()) return;
      Match(
          step.what, [&](const ExchangeStep& exchange) { RunExchange(exchange.exchange); },
          [&](const CallStep& call) { RunSegment(call.segment, 0); },
          [&](const HandOnStep& hand_on) {
            for (auto& fields : fields_) {
              const auto before = fields;
              for (const auto& [to, from] : hand_on.moves) fields[to] = before.at(from);
            }
          },
          [&](const ChunksStep& chunks) {
            const std::int64_t turns = Evaluate(chunks.turns, parameters_);
            const std::int64_t together = stencilgen::ranks::EvenTurns(turns, chunks.together);
            for (std::int64_t done = 0; done < turns; done += together) {
              const std::int64_t now = std::min(together, turns - done);
              RunExchange(chunks.before[static_cast<std::size_t>(now - 1)]);
              if (chunks.turn.Valid()) {
                turns_[chunks.turn] = FirstTurn(chunks.turns, parameters_) + done;
              }
              RunSegment(chunks.segment, now);
            }
          },
          [&](const CollectStep& collect) {
            for (const ArrayId array : collect.arrays) Collect(array);
          },
          [&](const ReduceStep& reduce) { Reduce(reduce); },
          [&](const LookStep& look) {
            if (looks_) RunSteps(look.body);
          },
          [&](const RepeatStep& repeat) {
            const std::int64_t every =
                repeat.stop ? std::max<std::int64_t>(1, Evaluate(repeat.stop->every, parameters_))
                            : 1;
            for (std::int64_t turn = 0; turn < Evaluate(repeat.turns, parameters_); ++turn) {
              if (repeat.turn.Valid()) {
                turns_[repeat.turn] = FirstTurn(repeat.turns, parameters_) + turn;
              }
              const bool outer = std::exchange(looks_, (turn + 1) % every == 0);
              RunSteps(repeat.body);
              const bool looks = std::exchange(looks_, outer);
              if (!result_.error.empty() || !repeat.stop || !looks) continue;
              std::set<double> conditions;
              for (const auto& fields : fields_) {
                conditions.insert(graph::ElementAsDouble(fields.at(repeat.condition), 0));
              }
              if (conditions.size() != 1) result_.error = "ranks differ in when a loop ends";
              if (*conditions.begin() != 0) break;
            }
          });
    }
  }

  /// Each rank has the elements that are its own, and zeros: all of them together.
  void Collect(ArrayId id) {
    Values whole = fields_[0].at(id);
    for (auto& fields : fields_) {
      Match(whole, [&](auto& elements) {
        const auto& theirs = std::get<std::decay_t<decltype(elements)>>(fields.at(id));
        auto* const bytes = reinterpret_cast<unsigned char*>(elements.data());
        const auto* const more = reinterpret_cast<const unsigned char*>(theirs.data());
        for (std::size_t n = 0; n < elements.size() * sizeof elements[0]; ++n) bytes[n] |= more[n];
      });
    }
    for (auto& fields : fields_) fields.at(id) = whole;
  }

  template <typename T>
  static T Combined(graph::ReduceOp op, T into, T value) {
    switch (op) {
      case graph::ReduceOp::Sum:
        return into + value;
      case graph::ReduceOp::Min:
        return value < into ? value : into;
      case graph::ReduceOp::Max:
        return into < value ? value : into;
      case graph::ReduceOp::Any:
        return into != 0 || value != 0 ? T{1} : T{0};
      case graph::ReduceOp::All:
        return into != 0 && value != 0 ? T{1} : T{0};
    }
    return into;
  }

  /// The lanes of all points, in their order.
  void Reduce(const ReduceStep& reduce) {
    const graph::Operator& op = OperatorOf(program_.graph, reduce.node);
    const std::vector<std::int64_t>& lanes = op.reduction->lanes;
    std::vector<graph::Range> ranges;
    Place points;
    for (const graph::Interval& interval : op.domain.intervals) {
      ranges.push_back(Evaluate(interval, parameters_));
      points.push_back(ranges.back().size());
    }
    for (const auto& guard : op.domain.guards) {
      if (Evaluate(guard, parameters_) < 0) points.assign(points.size(), 0);
    }
    const Values whole = Gathered(reduce.values);
    const Place shape = GlobalShape(reduce.values);
    Values result = fields_[0].at(reduce.lanes);
    Match(result, [&](auto& elements) {
      using T = typename std::decay_t<decltype(elements)>::value_type;
      const auto& all = std::get<std::decay_t<decltype(elements)>>(whole);
      const ScalarType type = ArrayOf(reduce.lanes).type;
      std::fill(elements.begin(), elements.end(),
                static_cast<T>(graph::IdentityOf(op.reduction->op, type)));
      if (Count(points) == 0) return;
      ForEach(points, [&](const Place& point) {
        Place lane, place;
        for (std::size_t d = 0; d < point.size(); ++d) {
          lane.push_back(point[d] % lanes[d]);
          place.push_back(point[d] + ranges[d].lo);
        }
        T& into = elements[At(lane, lanes)];
        into = Combined(op.reduction->op, into, all[At(place, shape)]);
      });
    });
    for (auto& fields : fields_) fields.at(reduce.lanes) = result;
  }

  void RunExchange(const Exchange& exchange) {
    if (!exchange.empty()) ++result_.exchanges;
    for (const FieldDepth& field : exchange) {
      const Values whole = Gathered(field.array);
      const Place shape = GlobalShape(field.array);
      for (std::size_t r = 0; r < boxes_.size(); ++r) {
        const Place local = LocalShape(field.array, boxes_[r]);
        ForEach(local, [&](const Place& place) {
          if (!Within(field.array, boxes_[r], place, field.depth)) return;
          CopyElement(fields_[r].at(field.array), At(place, local), whole,
                      At(Global(field.array, boxes_[r], place), shape));
        });
      }
    }
  }

  /// Behind all elements of all arrays where the part ends the grid.
  std::int64_t OwnEnd(const Part& part, std::size_t axis) const {
    if (!part.is_last || part.periodic) return part.hi - part.first;
    std::int64_t excess = 0;
    for (const ArrayId array : program_.fields) {
      const int d = program_.grid.DimensionOf(array, static_cast<int>(axis));
      if (d < 0) continue;
      excess = std::max(excess, program_.grid.Of(array, static_cast<std::size_t>(d)).excess);
    }
    return part.end - part.first + excess;
  }

  graph::ParameterValues SegmentValues(const Segment& segment, const Box& box,
                                       std::int64_t turns) const {
    graph::ParameterValues values;
    for (const SegmentParameter& parameter : segment.parameters) {
      using Kind = SegmentParameter::Kind;
      const Part* part =
          parameter.axis < 0 ? nullptr : &box[static_cast<std::size_t>(parameter.axis)];
      switch (parameter.kind) {
        case Kind::Size:
          values.push_back(parameters_[parameter.parameter.index]);
          break;
        case Kind::Origin:
          values.push_back(
              (part->periodic ? (part->first + part->extent) % part->extent : part->first) + 1);
          break;
        case Kind::LocalSize:
          values.push_back(part->end - part->first);
          break;
        case Kind::OwnFirst:
          values.push_back(part->lo - part->first + 1);
          break;
        case Kind::OwnEnd:
          values.push_back(OwnEnd(*part, static_cast<std::size_t>(parameter.axis)));
          break;
        case Kind::Turns:
          values.push_back(turns);
          break;
        case Kind::Turn:
          values.push_back(turns_.at(parameter.parameter) + 1);
          break;
      }
    }
    values.resize(segment.graph.parameters.size(), 0);
    return values;
  }

  void RunSegment(std::size_t number, std::int64_t turns) {
    const Segment& segment = program_.segments[number];
    for (std::size_t r = 0; r < boxes_.size(); ++r) {
      std::map<std::string, Values> inputs = inputs_;
      for (const graph::Array& array : segment.graph.arrays) {
        if (array.rank() > 0) inputs.erase(array.name);
      }
      for (const auto& [id, values] : fields_[r]) inputs[ArrayOf(id).name] = values;
      const graph::InterpretResult done = graph::Interpret(
          segment.graph, SegmentValues(segment, boxes_[r], turns), inputs, {.threads = 1});
      if (!done.error.empty()) {
        result_.error = done.error;
        return;
      }
      for (std::size_t n = 0; n < segment.graph.outputs.size(); ++n) {
        const std::string& name = segment.graph.arrays[segment.graph.outputs[n].array].name;
        for (auto& [id, values] : fields_[r]) {
          if (ArrayOf(id).name == name) values = done.outputs[n];
        }
      }
    }
  }

  const Distributed& program_;
  const graph::ParameterValues& parameters_;
  const std::map<std::string, Values>& inputs_;
  const std::vector<std::int64_t> ranks_;
  std::vector<Box> boxes_;
  std::vector<std::map<ArrayId, Values>> fields_;  // by rank
  std::map<ParameterId, std::int64_t> turns_;
  bool looks_ = false;  ///< the turn of the loop around looks at its condition
  DistributedResult result_;
};

}  // namespace

std::optional<DistributedResult> RunDistributed(const Distributed& program,
                                                const graph::ParameterValues& parameters,
                                                const std::map<std::string, Values>& inputs,
                                                const std::vector<std::int64_t>& ranks) {
  return Runner(program, parameters, inputs, ranks).Run();
}

}  // namespace stencilgen::testing
