#include "passes/split_components.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/copy_nodes.h"
#include "graph/nodes.h"
#include "passes/component_arrays.h"
#include "passes/copy_body.h"
#include "passes/eliminate_dead.h"
#include "support/match.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// Of an operator that is repeated: the value of its iterator.
struct Turn {
  int iterator = -1;
  std::int64_t value = 0;
};

Index At(Index index, const Turn& turn) {
  if (index.iterator != turn.iterator || turn.iterator < 0) return index;
  return {-1, 0, index.offset + index.coefficient * turn.value, index.place};
}

class ComponentSplitter {
 public:
  ComponentSplitter(Graph graph, ComponentArrays found)
      : graph_(std::move(graph)),
        found_(std::move(found)),
        next_group_(NextGroup(graph_)),
        parts_(graph_.versions.size()) {}

  /// Empty where a component is read, or handed on, that has no value.
  std::optional<Graph> Take() {
    old_arrays_ = graph_.arrays;
    array_of_.reserve(graph_.versions.size());
    for (const Version& version : graph_.versions) array_of_.push_back(version.array);
    SplitArrays();
    for (const VersionId id : graph_.versions.Ids()) {
      Version& version = graph_.versions[id];
      version.array = first_of_[version.array.index];
      if (version.def == DefKind::Initial) AddInitial(id);
    }
    SplitRegion(graph_.root);
    SplitOutputs();
    if (failed_) return std::nullopt;
    ReplaceUnchanged();
    return EliminateDead(std::move(graph_));
  }

 private:
  /// Components of the version's array, 0 where it stays as it is.
  std::size_t CountOf(VersionId old) const {
    return static_cast<std::size_t>(found_.counts[array_of_[old.index].index]);
  }
  VersionId Part(VersionId old, std::size_t number) {
    const std::vector<VersionId>& parts = parts_[old.index];
    if (number < parts.size() && parts[number].Valid()) return parts[number];
    failed_ = true;
    return old;
  }
  ArrayId PartOf(ArrayId old, std::size_t number) const {
    return ArrayId{first_of_[old.index].index + static_cast<std::uint32_t>(number)};
  }

  void SplitArrays() {
    std::set<std::string> names;
    for (const Array& array : old_arrays_) names.insert(array.name);
    for (const Parameter& parameter : graph_.parameters) names.insert(parameter.name);
    graph_.arrays = {};
    for (const ArrayId id : old_arrays_.Ids()) {
      const Array& whole = old_arrays_[id];
      const std::int64_t count = found_.counts[id.index];
      first_of_.push_back(ArrayId{static_cast<std::uint32_t>(graph_.arrays.size())});
      if (count == 0) graph_.arrays.Add(whole);
      for (std::int64_t number = 0; number < count; ++number) {
        Array part = whole;
        part.name = fmt::format("{}_{}", whole.name, number);
        while (!names.insert(part.name).second) part.name += "_";
        part.extents.erase(part.extents.begin());
        if (!whole.local) {
          if (!part.component) part.component = Component{whole.name, {}, 0};
          part.component->counts.push_back(count);
          part.component->number = part.component->number * count + number;
        }
        graph_.arrays.Add(std::move(part));
      }
    }
  }

  VersionId AddVersion(ArrayId array, DefKind def, NodeId node) {
    return graph_.versions.Add({array, def, node});
  }

  void AddInitial(VersionId id) {
    if (CountOf(id) == 0) return;
    parts_[id.index] = {id};
    for (std::size_t k = 1; k < CountOf(id); ++k) {
      parts_[id.index].push_back(
          AddVersion(PartOf(array_of_[id.index], k), DefKind::Initial, NodeId{}));
    }
  }

  void SplitRegion(RegionId region) {
    std::vector<NodeId> nodes;
    for (const NodeId node : std::vector<NodeId>(graph_.regions[region].nodes)) {
      if (std::holds_alternative<Operator>(graph_.nodes[node])) {
        SplitOperator(node, nodes);
      } else {
        SplitLoop(node);
        nodes.push_back(node);
      }
    }
    graph_.regions[region].nodes = std::move(nodes);
  }

  /// Adds what stands for the operator to the nodes.
  void SplitOperator(NodeId node, std::vector<NodeId>& nodes) {
    const Operator old = OperatorOf(graph_, node);
    const std::size_t count = CountOf(old.result);
    if (count > 0) {
      parts_[old.result.index].resize(count);
      if (old.background.Valid()) parts_[old.result.index] = parts_[old.background.index];
    }
    const auto& repeated = found_.repeated[node.index];
    if (!repeated) {
      SplitOnce(old, node, Turn());
      nodes.push_back(node);
      return;
    }
    for (std::int64_t value = repeated->values.lo; value <= repeated->values.hi; ++value) {
      NodeId copy = node;
      if (value != repeated->values.lo) {
        copy = graph_.nodes.Add(Operator{});
        const auto [group, fresh] = groups_.try_emplace({old.call, old.group, value}, next_group_);
        if (fresh) ++next_group_;
        Operator other = old;
        other.group = group->second;
        other.result = AddVersion(graph_.versions[old.result].array, DefKind::Operator, copy);
        SplitOnce(other, copy, {repeated->iterator, value}, old.result);
      } else {
        SplitOnce(old, copy, {repeated->iterator, value});
      }
      nodes.push_back(copy);
    }
  }

  /// Puts the operator in a turn of its repetition at the node. `whole`: what it defines in the old
  /// graph, where that is not its own result.
  void SplitOnce(Operator op, NodeId node, const Turn& turn, VersionId whole = {}) {
    if (!whole.Valid()) whole = op.result;
    const auto copy = [&](ExprId root) {
      return CopyExpr(graph_, root, [&](Expr& expr) { SplitExpr(expr, turn); });
    };
    for (Let& let : op.lets) let.value = copy(let.value);
    op.value = copy(op.value);
    for (Index& index : op.target) index = At(index, turn);
    if (turn.iterator >= 0) {
      const auto at = std::find(op.iterators.begin(), op.iterators.end(), turn.iterator);
      op.domain.intervals.erase(op.domain.intervals.begin() + (at - op.iterators.begin()));
      op.iterators.erase(at);
    }
    if (CountOf(whole) > 0) {
      const auto number = static_cast<std::size_t>(op.target[0].offset.constant);
      op.target.erase(op.target.begin());
      // A part may be written twice: what stands there now is what was written before.
      VersionId& part = parts_[whole.index][number];
      op.background = part;
      part = op.result;
      graph_.versions[op.result].array = PartOf(array_of_[whole.index], number);
    }
    graph_.nodes[node] = std::move(op);
  }

  void SplitExpr(Expr& expr, const Turn& turn) {
    if (const auto* iterator = std::get_if<IteratorRef>(&expr.node)) {
      if (iterator->iterator == turn.iterator) expr.node = Literal{0, turn.value};
      return;
    }
    if (const auto* convert = std::get_if<Convert>(&expr.node)) {
      const Expr& operand = graph_.exprs[convert->operand];
      const auto* number = std::get_if<Literal>(&operand.node);
      constexpr std::int64_t kExact = std::int64_t{1} << 24;  // in any type
      if (number != nullptr && operand.type == ScalarType::Int && IsFloating(expr.type) &&
          std::abs(number->integer) <= kExact) {
        expr.node = Literal{static_cast<double>(number->integer), 0};
      }
      return;
    }
    auto* access = std::get_if<Access>(&expr.node);
    if (access == nullptr) return;
    for (Index& index : access->indices) index = At(index, turn);
    if (CountOf(access->version) == 0) return;
    const auto number = static_cast<std::size_t>(access->indices[0].offset.constant);
    access->version = Part(access->version, number);
    access->indices.erase(access->indices.begin());
    if (access->boundary.empty()) return;
    access->boundary.erase(access->boundary.begin());
    const auto open = [](const Boundary& mode) { return mode.kind != BoundaryKind::None; };
    if (std::none_of(access->boundary.begin(), access->boundary.end(), open)) {
      access->boundary.clear();
    }
  }

  void SplitLoop(NodeId node) {
    Loop loop = LoopOf(graph_, node);
    std::vector<Carried> carried;
    std::vector<std::pair<VersionId, std::size_t>> next;  // by carried part: of which old version
    for (const Carried& whole : loop.carried) {
      const std::size_t count = CountOf(whole.initial);
      if (count == 0) {
        Carried same = whole;
        same.array = first_of_[whole.array.index];
        carried.push_back(same);
        next.emplace_back(VersionId{}, 0);
        continue;
      }
      for (std::size_t k = 0; k < count; ++k) {
        const auto own = [&](VersionId old, DefKind def) {
          const ArrayId array = PartOf(array_of_[old.index], k);
          const VersionId id = k == 0 ? old : AddVersion(array, def, node);
          parts_[old.index].push_back(id);
          return id;
        };
        carried.push_back({PartOf(whole.array, k), Part(whole.initial, k),
                           own(whole.entry, DefKind::LoopEntry), VersionId{},
                           own(whole.result, DefKind::LoopResult)});
        next.emplace_back(whole.next, k);
      }
    }
    SplitRegion(loop.body);
    loop.carried.clear();
    for (std::size_t n = 0; n < carried.size(); ++n) {
      Carried each = carried[n];
      if (next[n].first.Valid()) each.next = Part(next[n].first, next[n].second);
      if (next[n].first.Valid() && each.next == each.entry) {
        unchanged_[each.entry] = unchanged_[each.result] = each.initial;
      } else {
        loop.carried.push_back(each);
      }
    }
    graph_.nodes[node] = std::move(loop);
  }

  void SplitOutputs() {
    std::vector<Output> outputs;
    for (const Output& output : graph_.outputs) {
      const std::size_t count = CountOf(output.version);
      if (count == 0) outputs.push_back({first_of_[output.array.index], output.version});
      for (std::size_t k = 0; k < count; ++k) {
        outputs.push_back({PartOf(output.array, k), Part(output.version, k)});
      }
    }
    graph_.outputs = std::move(outputs);
  }

  /// Components that a loop leaves alone are not its own.
  void ReplaceUnchanged() {
    if (unchanged_.empty()) return;
    const auto replace = [&](VersionId& version) {
      for (auto at = unchanged_.find(version); at != unchanged_.end();
           at = unchanged_.find(version)) {
        version = at->second;
      }
    };
    for (Expr& expr : graph_.exprs) {
      if (auto* access = std::get_if<Access>(&expr.node)) replace(access->version);
    }
    for (Node& node : graph_.nodes) {
      Match(
          node, [&](Operator& op) { replace(op.background); },
          [&](Loop& loop) {
            for (Carried& carried : loop.carried) {
              replace(carried.initial);
              replace(carried.next);
            }
          });
    }
    for (Output& output : graph_.outputs) replace(output.version);
  }

  Graph graph_;
  const ComponentArrays found_;
  int next_group_;
  Store<ArrayId, Array> old_arrays_;
  std::vector<ArrayId> array_of_;  // by old version: its array in the old graph
  std::vector<ArrayId> first_of_;  // by old array: itself, or the first of its components
  std::vector<std::vector<VersionId>> parts_;  // by old version: its components' versions
  std::map<std::tuple<int, int, std::int64_t>, int> groups_;  // by call, old group and value
  std::map<VersionId, VersionId> unchanged_;  // of loops that do not change a component
  bool failed_ = false;
};

}  // namespace

Graph SplitComponents(Graph graph) {
  for (;;) {
    ComponentArrays found = FindComponentArrays(graph);
    if (!found.Any()) return graph;
    std::optional<Graph> split = ComponentSplitter(graph, std::move(found)).Take();
    if (!split) return graph;
    graph = *std::move(split);
  }
}

}  // namespace stencilgen::passes
