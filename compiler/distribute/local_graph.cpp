#include "distribute/local_graph.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "distribute/local_operators.h"
#include "graph/form_value.h"
#include "graph/nodes.h"
#include "graph/turns.h"
#include "passes/eliminate_dead.h"
#include "support/match.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

using Map = std::function<LinearForm(const LinearForm&)>;

void MapInterval(Interval& interval, const Map& map) {
  for (Bound& bound : interval.lower) bound.numerator = map(bound.numerator);
  for (Bound& bound : interval.upper) bound.numerator = map(bound.numerator);
}

/// Replaces every form of the graph.
void MapForms(Graph& graph, const Map& map) {
  for (Array& array : graph.arrays) {
    for (LinearForm& extent : array.extents) extent = map(extent);
  }
  for (Node& node : graph.nodes) {
    if (auto* op = std::get_if<Operator>(&node)) {
      for (Interval& interval : op->domain.intervals) MapInterval(interval, map);
      for (LinearForm& guard : op->domain.guards) guard = map(guard);
      for (Index& index : op->target) index.offset = map(index.offset);
    } else {
      Loop& loop = std::get<Loop>(node);
      loop.turns.count = map(loop.turns.count);
    }
  }
  for (Expr& expr : graph.exprs) {
    auto* access = std::get_if<Access>(&expr.node);
    if (access == nullptr) continue;
    for (Index& index : access->indices) index.offset = map(index.offset);
  }
}

class SegmentMaker {
 public:
  SegmentMaker(const Distributed& program, std::size_t number)
      : program_(program), source_(program.sources[number]), graph_(program.graph) {
    graph_.name = fmt::format("{}_{}", graph_.name, number + 1);
  }

  Segment Take() {
    TakeNodes();
    TakeArrays();
    graph_ = passes::EliminateDead(std::move(graph_));
    MakeParameters();
    Grid grid = program_.grid;
    for (GridAxis& axis : grid.axes) axis.extent = Mapped(axis.extent);
    FollowArrays(grid);
    MakeLocal(graph_, grid, forms_);
    graph_.wanted = std::move(wanted_);
    return {std::move(graph_), std::move(parameters_)};
  }

 private:
  void TakeNodes() {
    Region root{source_.scalars};
    if (source_.loop.Valid()) {
      root.nodes.push_back(source_.loop);
      own_turn_ = LoopOf(graph_, source_.loop).turn;
    } else {
      root.nodes.insert(root.nodes.end(), source_.nodes.begin(), source_.nodes.end());
    }
    graph_.root = graph_.regions.Add(std::move(root));
  }

  void TakeArrays() {
    // What no segment begins with is no version of it.
    for (Version& version : graph_.versions) {
      const bool array = graph_.arrays[version.array].rank() > 0;
      if (version.def == DefKind::Initial && array) version.def = DefKind::Operator;
    }
    std::set<ArrayId> used;
    for (const auto& [version, array] : source_.inputs) {
      graph_.versions[version] = {array, DefKind::Initial, {}};
    }
    for (Array& array : graph_.arrays) {
      if (array.rank() > 0) array.copy_in = array.copy_out = false;
    }
    for (const auto& [version, array] : source_.inputs) {
      graph_.arrays[array].copy_in = true;
      graph_.arrays[array].local = false;
    }
    graph_.outputs.clear();
    for (const auto& [version, array] : source_.outputs) {
      graph_.arrays[array].local = false;
      graph_.arrays[array].copy_out = true;
      graph_.outputs.push_back({array, version});
    }
    std::sort(graph_.outputs.begin(), graph_.outputs.end(),
              [](const Output& a, const Output& b) { return a.array < b.array; });
    MarkUsed(used);
    for (const ArrayId id : graph_.arrays.Ids()) {
      if (used.count(id) == 0) graph_.arrays[id].local = true;
    }
    for (const VersionId id : graph_.versions.Ids()) {
      Version& version = graph_.versions[id];
      if (used.count(version.array) == 0) version.def = DefKind::Operator;
    }
  }

  void MarkUsed(std::set<ArrayId>& used) const {
    const auto use = [&](VersionId version) { used.insert(graph_.versions[version].array); };
    for (const auto* list : {&source_.inputs, &source_.outputs}) {
      for (const auto& [version, array] : *list) {
        used.insert(array);
        use(version);
      }
    }
    for (const auto* nodes : {&source_.scalars, &source_.nodes}) {
      for (const NodeId node : *nodes) {
        const Operator& op = OperatorOf(graph_, node);
        use(op.result);
        for (const ExprId id : Accesses(graph_, op)) {
          use(std::get<Access>(graph_.exprs[id].node).version);
        }
      }
    }
    if (!source_.loop.Valid()) return;
    for (const Carried& carried : LoopOf(graph_, source_.loop).carried) used.insert(carried.array);
  }

  /// The parameters of callers, then the turn of the segment's loop.
  void MakeParameters() {
    old_ = program_.graph.parameters;
    std::set<ParameterId> turns;
    for (const Node& node : graph_.nodes) {
      if (const auto* op = std::get_if<Operator>(&node)) turns.merge(TurnsUsed(graph_, *op));
    }
    graph_.parameters = {};
    by_old_.resize(old_.size());
    for (const ParameterId id : old_.Ids()) {
      if (old_[id].turn) continue;
      by_old_[id.index] = Form(old_[id], {SegmentParameter::Kind::Size, id});
    }
    for (std::size_t a = 0; a < program_.grid.axes.size(); ++a) {
      const std::string& name =
          graph_.iterators[static_cast<std::size_t>(program_.grid.axes[a].iterator)];
      const int axis = static_cast<int>(a);
      forms_.origin.push_back(
          Form(New(name + "_origin"), {SegmentParameter::Kind::Origin, {}, axis}) - 1);
      forms_.size.push_back(
          Form(New(name + "_size"), {SegmentParameter::Kind::LocalSize, {}, axis}));
      const bool reads_elements = ReadsElements();
      if (!reads_elements && !WantsOwnPlaces(a)) continue;
      const LinearForm first =
          Form(New(name + "_own"), {SegmentParameter::Kind::OwnFirst, {}, axis}) - 1;
      const LinearForm end =
          Form(New(name + "_own_end"), {SegmentParameter::Kind::OwnEnd, {}, axis});
      if (reads_elements) {
        forms_.own_first.push_back(first);
        forms_.own_end.push_back(end);
      } else {
        wanted_.push_back({program_.grid.axes[a].iterator, first, end});
      }
    }
    LinearForm count;
    if (source_.loop.Valid()) count = Form(New("turns"), {SegmentParameter::Kind::Turns});
    MakeTurns(turns);
    for (const NodeId id : graph_.nodes.Ids()) {
      if (auto* loop = std::get_if<Loop>(&graph_.nodes[id])) {
        loop->turns = {LinearForm{}};
        loop->turn = own_new_;
      }
    }
    MapExpressions();
    MapForms(graph_, [&](const LinearForm& form) { return Mapped(form); });
    for (const NodeId id : graph_.nodes.Ids()) {
      if (auto* loop = std::get_if<Loop>(&graph_.nodes[id])) loop->turns.count = count;
    }
  }

  /// Turns of loops around are given; that of the segment's own loop goes on from there.
  void MakeTurns(const std::set<ParameterId>& used) {
    for (const ParameterId id : used) {
      by_old_[id.index] =
          Form(New(old_[id].name + "_first"), {SegmentParameter::Kind::Turn, id}) - 1;
    }
    if (!own_turn_.Valid() || used.count(own_turn_) == 0) return;
    own_new_ = graph_.parameters.Add(old_[own_turn_]);
    own_new_.turn = true;
    by_old_[own_turn_.index] = by_old_[own_turn_.index] + LinearForm::Parameter(own_new_);
  }

  bool ReadsElements() const {
    return std::any_of(program_.collectives.begin(), program_.collectives.end(),
                       [&](const Collective& collective) {
                         return !collective.reduces &&
                                std::count(source_.nodes.begin(), source_.nodes.end(),
                                           collective.node) > 0;
                       });
  }

  /// Turns of a loop compute less and less of the ghosts along the axis: after them, only a rank's
  /// own places are right anyway (PlaceExchanges). Not where a place has several elements, or the
  /// rank all of an array that it writes.
  bool WantsOwnPlaces(std::size_t axis) const {
    if (!source_.loop.Valid() || LoopOf(program_.graph, source_.loop).stop) return false;
    const auto is_operator = [&](NodeId node) {
      return std::holds_alternative<Operator>(program_.graph.nodes[node]);
    };
    const auto follows = [&](const auto& output) {
      const ArrayId array = output.second;
      return program_.grid.DimensionOf(array, static_cast<int>(axis)) >= 0 &&
             program_.grid.ScaleAlong(array, axis) == 1;
    };
    return std::all_of(source_.nodes.begin(), source_.nodes.end(), is_operator) &&
           std::all_of(source_.outputs.begin(), source_.outputs.end(), follows);
  }

  Parameter New(const std::string& name) const {
    Parameter parameter;
    parameter.name = name;
    const auto taken = [&](const std::string& text) {
      const auto named = [&](const auto& any) { return any.name == text; };
      return std::any_of(old_.begin(), old_.end(), named) ||
             std::any_of(program_.graph.arrays.begin(), program_.graph.arrays.end(), named) ||
             std::any_of(graph_.parameters.begin(), graph_.parameters.end(), named) ||
             std::count(graph_.iterators.begin(), graph_.iterators.end(), text) > 0;
    };
    while (taken(parameter.name)) parameter.name += '_';
    return parameter;
  }

  LinearForm Form(Parameter parameter, SegmentParameter meaning) {
    const bool fixed = parameter.fixed.has_value();
    const std::int64_t value = parameter.fixed.value_or(0);
    const ParameterId id = graph_.parameters.Add(std::move(parameter));
    parameters_.push_back(meaning);
    return fixed ? LinearForm::Constant(value) : LinearForm::Parameter(id);
  }

  LinearForm Mapped(const LinearForm& form) const {
    LinearForm mapped = LinearForm::Constant(form.constant);
    for (const auto& [parameter, coefficient] : form.terms) {
      mapped = mapped + by_old_[parameter.index] * coefficient;
    }
    return mapped;
  }

  void MapExpressions() {
    const std::vector<ExprId> all = graph_.exprs.Ids();
    for (const ExprId id : all) {
      const auto* ref = std::get_if<ParameterRef>(&graph_.exprs[id].node);
      if (ref == nullptr) continue;
      // A turn that nothing computed needs may have no form.
      const Expr like = graph_.exprs[id];
      const ExprId value = AddFormValue(graph_, by_old_[ref->parameter.index], like);
      graph_.exprs[id] = Expr(graph_.exprs[value]);
    }
  }

  /// The grid of the segment's arrays, which are fewer.
  void FollowArrays(Grid& grid) const {
    grid.dimensions.clear();
    for (const Array& array : graph_.arrays) {
      const auto& all = program_.graph.arrays;
      const auto at = std::find_if(all.begin(), all.end(),
                                   [&](const Array& any) { return any.name == array.name; });
      const auto index = static_cast<std::size_t>(at - all.begin());
      grid.dimensions.push_back(program_.grid.dimensions[index]);
    }
  }

  const Distributed& program_;
  const SegmentSource& source_;
  Graph graph_;
  Store<ParameterId, Parameter> old_;
  std::vector<LinearForm> by_old_;  // by parameter of the program
  std::vector<SegmentParameter> parameters_;
  LocalForms forms_;
  std::vector<WantedPlaces> wanted_;
  ParameterId own_turn_;  // of the segment's loop, in the program
  ParameterId own_new_;   // and in the segment
};

}  // namespace

Segment MakeSegment(const Distributed& program, std::size_t number) {
  return SegmentMaker(program, number).Take();
}

}  // namespace stencilgen::distribute
