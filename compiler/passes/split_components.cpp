#include "passes/split_components.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "graph/regions.h"
#include "passes/component_arrays.h"
#include "passes/copy_body.h"
#include "passes/eliminate_dead.h"
#include "support/match.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

class ComponentSplitter {
 public:
  /// `counts`: by array its components, 0 where it stays as it is.
  ComponentSplitter(Graph graph, const std::vector<std::int64_t>& counts)
      : graph_(std::move(graph)), counts_(counts), parts_(graph_.versions.size()) {}

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
    return static_cast<std::size_t>(counts_[array_of_[old.index].index]);
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
      const std::int64_t count = counts_[id.index];
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
    for (const NodeId node : std::vector<NodeId>(graph_.regions[region].nodes)) {
      if (std::holds_alternative<Operator>(graph_.nodes[node])) {
        SplitOperator(node);
      } else {
        SplitLoop(node);
      }
    }
  }

  void SplitOperator(NodeId node) {
    Operator op = OperatorOf(graph_, node);
    const auto copy = [&](ExprId root) {
      return CopyExpr(graph_, root, [&](Expr& expr) { SplitExpr(expr, op); });
    };
    for (Let& let : op.lets) let.value = copy(let.value);
    op.value = copy(op.value);
    const std::size_t count = CountOf(op.result);
    if (count > 0) {
      std::vector<VersionId>& parts = parts_[op.result.index];
      parts.resize(count);
      if (op.background.Valid()) parts = parts_[op.background.index];
      const auto number = static_cast<std::size_t>(op.target[0].offset.constant);
      op.target.erase(op.target.begin());
      op.background = parts[number];
      parts[number] = op.result;
      graph_.versions[op.result].array = PartOf(array_of_[op.result.index], number);
    }
    graph_.nodes[node] = std::move(op);
  }

  void SplitExpr(Expr& expr, const Operator& op) {
    const auto* access = std::get_if<Access>(&expr.node);
    if (access == nullptr || CountOf(access->version) == 0) return;
    const Index first = access->indices[0];
    if (first.iterator < 0) {
      expr.node = TakePart(*access, first.offset.constant);
      return;
    }
    // A reduction keeps its points, and so their order: `c == 0 ? u_0 : c == 1 ? u_1 : u_2`.
    const Range values = *KnownValues(IndexValues(op, {first.iterator, 1, {}}));
    const Access whole = *access;
    const auto part = [&](std::int64_t value) {
      Expr taken = expr;
      taken.node = TakePart(whole, first.coefficient * value + first.offset.constant);
      return taken;
    };
    Expr chosen = part(values.hi);
    for (std::int64_t value = values.hi - 1; value >= values.lo; --value) {
      const ExprId otherwise = graph_.exprs.Add(chosen);
      chosen.node = Conditional{Equals(first.iterator, value, expr.span),
                                graph_.exprs.Add(part(value)), otherwise};
    }
    expr = chosen;
  }

  Access TakePart(Access access, std::int64_t number) {
    access.version = Part(access.version, static_cast<std::size_t>(number));
    access.indices.erase(access.indices.begin());
    if (access.boundary.empty()) return access;
    access.boundary.erase(access.boundary.begin());
    const auto open = [](const Boundary& mode) { return mode.kind != BoundaryKind::None; };
    if (std::none_of(access.boundary.begin(), access.boundary.end(), open)) {
      access.boundary.clear();
    }
    return access;
  }

  ExprId Equals(int iterator, std::int64_t value, Span span) {
    const ExprId lhs = graph_.exprs.Add({IteratorRef{iterator}, ScalarType::Int, span});
    const ExprId rhs = graph_.exprs.Add({Literal{0, value}, ScalarType::Int, span});
    return graph_.exprs.Add({Binary{BinaryOp::Equal, lhs, rhs}, ScalarType::Bool, span});
  }

  void SplitLoop(NodeId node) {
    const std::vector<Carried> wholes = LoopOf(graph_, node).carried;
    std::vector<Carried> carried;
    std::vector<std::pair<VersionId, std::size_t>> next;  // by carried part: of which old version
    for (const Carried& whole : wholes) {
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
    SplitRegion(LoopOf(graph_, node).body);
    std::vector<Carried> changed;
    for (std::size_t n = 0; n < carried.size(); ++n) {
      Carried each = carried[n];
      if (next[n].first.Valid()) each.next = Part(next[n].first, next[n].second);
      if (next[n].first.Valid() && each.next == each.entry) {
        unchanged_[each.entry] = unchanged_[each.result] = each.initial;
      } else {
        changed.push_back(each);
      }
    }
    LoopOf(graph_, node).carried = std::move(changed);
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
  const std::vector<std::int64_t>& counts_;
  Store<ArrayId, Array> old_arrays_;
  std::vector<ArrayId> array_of_;  // by old version: its array in the old graph
  std::vector<ArrayId> first_of_;  // by old array: itself, or the first of its components
  std::vector<std::vector<VersionId>> parts_;  // by old version: its components' versions
  std::map<VersionId, VersionId> unchanged_;   // of loops that do not change a component
  bool failed_ = false;
};

}  // namespace

Graph SplitComponents(Graph graph) {
  for (;;) {
    const ComponentArrays found = FindComponentArrays(graph);
    if (!found.Any()) return graph;
    std::optional<Graph> split =
        ComponentSplitter(RepeatOperators(graph, found.repeated), found.counts).Take();
    if (!split) return graph;
    graph = *std::move(split);
  }
}

}  // namespace stencilgen::passes
