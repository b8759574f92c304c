#include <algorithm>
#include <set>

#include "graph/verify_parts.h"
#include "graph/walk.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

/// How many parts the array has that it is one of.
std::int64_t CountOf(const Component& component) {
  std::int64_t count = 1;
  for (const std::int64_t each : component.counts) count *= each;
  return count;
}

class StructureVerifier {
 public:
  StructureVerifier(const Graph& graph, Problems& problems)
      : graph_(graph),
        problems_(problems),
        region_seen_(graph.regions.size(), false),
        node_seen_(graph.nodes.size(), false) {}

  void Run() {
    CheckDeclarations();
    CheckExprs();
    if (!graph_.regions.Contains(graph_.root)) {
      problems_.Add("the root region does not exist");
      return;
    }
    // Operators walk expressions, which must be sound for that.
    if (problems_.empty()) VisitRegion(graph_.root);
  }

 private:
  bool ValidIterator(int iterator) const {
    return iterator >= 0 && static_cast<std::size_t>(iterator) < graph_.iterators.size();
  }

  bool Valid(const LinearForm& form) const {
    for (std::size_t k = 0; k < form.terms.size(); ++k) {
      const auto& [parameter, coefficient] = form.terms[k];
      if (coefficient == 0 || !graph_.parameters.Contains(parameter)) return false;
      if (graph_.parameters[parameter].fixed) return false;
      if (graph_.parameters[parameter].turn != parameter.turn) return false;
      if (k > 0 && !(form.terms[k - 1].first < parameter)) return false;
    }
    return true;
  }

  bool Valid(const Index& index) const {
    const bool varies = ValidIterator(index.iterator) && index.coefficient != 0;
    const bool fixed = index.iterator == -1 && index.coefficient == 0;
    return (varies || fixed) && Valid(index.offset);
  }

  bool Valid(const Interval& interval) const {
    const auto valid = [&](const Bound& bound) {
      return bound.divisor >= 1 && Valid(bound.numerator);
    };
    return std::all_of(interval.lower.begin(), interval.lower.end(), valid) &&
           std::all_of(interval.upper.begin(), interval.upper.end(), valid);
  }

  void CheckDeclarations() {
    std::set<std::string> names;
    for (const Array& array : graph_.arrays) {
      if (!names.insert(array.name).second) problems_.Add("two arrays are named {}", array.name);
      if (!std::all_of(array.extents.begin(), array.extents.end(),
                       [&](const LinearForm& form) { return Valid(form); })) {
        problems_.Add("array {}: an extent is not a valid form", array.name);
      }
      if (array.copy_out && (array.rank() == 0 || array.local)) {
        problems_.Add("array {}: scalars and locals cannot be copied out", array.name);
      }
    }
    CheckComponents();
    for (const Version& version : graph_.versions) {
      if (!graph_.arrays.Contains(version.array)) problems_.Add("a version has no array");
    }
    for (const Output& output : graph_.outputs) {
      if (!graph_.arrays.Contains(output.array) || !graph_.versions.Contains(output.version)) {
        problems_.Add("an output refers to what does not exist");
      }
    }
    // Callers give the values of sizes, in their order.
    if (!std::is_partitioned(graph_.parameters.begin(), graph_.parameters.end(),
                             [](const Parameter& parameter) { return !parameter.turn; })) {
      problems_.Add("a turn comes before a parameter");
    }
    if (graph_.unroll_wishes.size() != graph_.iterators.size()) {
      problems_.Add("there is not one unroll wish an iterator");
    }
  }

  /// All parts of an array stand one after the other, and are alike.
  void CheckComponents() {
    std::int64_t next = 0;  // part of the array that is not at its end; 0: there is none
    for (const ArrayId id : graph_.arrays.Ids()) {
      const Array& array = graph_.arrays[id];
      const std::int64_t number = array.component ? array.component->number : 0;
      bool sound = number == next;
      if (sound && next > 0) {
        const Array& before = graph_.arrays[ArrayId{id.index - 1}];
        sound = array.component->whole == before.component->whole &&
                array.component->counts == before.component->counts && array.type == before.type &&
                array.format == before.format && array.extents == before.extents;
      }
      if (!sound || (array.component && (array.local || array.rank() == 0))) {
        problems_.Add("array {} is no part of one after its first parts", array.name);
        return;
      }
      next = array.component ? (number + 1) % CountOf(*array.component) : 0;
    }
    if (next != 0) problems_.Add("the last array lacks parts");
  }

  void CheckExprs() {
    for (const Expr& expr : graph_.exprs) CheckExpr(expr);
    if (problems_.empty() && HasCycle()) problems_.Add("an expression contains itself");
  }

  void CheckExpr(const Expr& expr) {
    for (const ExprId operand : Operands(expr)) {
      if (!graph_.exprs.Contains(operand)) problems_.Add("an operand does not exist");
    }
    Match(
        expr.node, [&](const Access& access) { CheckAccess(access); },
        [&](const ParameterRef& ref) {
          if (!graph_.parameters.Contains(ref.parameter) ||
              graph_.parameters[ref.parameter].fixed) {
            problems_.Add("an expression refers to a parameter that is fixed or does not exist");
          }
        },
        [&](const IteratorRef& ref) {
          if (!ValidIterator(ref.iterator)) problems_.Add("an iterator does not exist");
        },
        [](const auto&) {});
  }

  void CheckAccess(const Access& access) {
    if (!graph_.versions.Contains(access.version) ||
        !graph_.arrays.Contains(graph_.versions[access.version].array)) {
      problems_.Add("an access reads a version that does not exist");
      return;
    }
    const Array& array = graph_.arrays[graph_.versions[access.version].array];
    if (access.indices.size() != array.rank()) {
      problems_.Add("an access to {} has {} indices", array.name, access.indices.size());
    }
    if (!access.boundary.empty() && access.boundary.size() != array.rank()) {
      problems_.Add("an access to {} has {} boundary modes", array.name, access.boundary.size());
    }
    if (!std::all_of(access.indices.begin(), access.indices.end(),
                     [&](const Index& index) { return Valid(index); })) {
      problems_.Add("an access to {} has an invalid index", array.name);
    }
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Index& index = access.indices[d];
      if (!index.place.Valid()) continue;
      const bool whole = index.iterator == -1 && index.offset == LinearForm{};
      const bool open = d < access.boundary.size() && access.boundary[d].kind != BoundaryKind::None;
      if (!whole || !open || !graph_.exprs.Contains(index.place) ||
          graph_.exprs[index.place].type != ScalarType::Int) {
        problems_.Add("an access to {} has an invalid place", array.name);
      }
    }
  }

  bool HasCycle() const {
    enum class Mark : std::uint8_t { New, Open, Done };
    std::vector<Mark> marks(graph_.exprs.size(), Mark::New);
    std::vector<ExprId> pending;
    for (const ExprId start : graph_.exprs.Ids()) {
      pending.push_back(start);
      while (!pending.empty()) {
        const ExprId id = pending.back();
        Mark& mark = marks[id.index];
        if (mark != Mark::New) {
          mark = Mark::Done;
          pending.pop_back();
          continue;
        }
        mark = Mark::Open;
        for (const ExprId operand : Operands(graph_.exprs[id])) {
          if (marks[operand.index] == Mark::Open) return true;
          if (marks[operand.index] == Mark::New) pending.push_back(operand);
        }
      }
    }
    return false;
  }

  void VisitRegion(RegionId region) {
    if (region_seen_[region.index]) {
      problems_.Add("region {} has two places", region.index);
      return;
    }
    region_seen_[region.index] = true;
    for (const NodeId id : graph_.regions[region].nodes) {
      if (!graph_.nodes.Contains(id)) {
        problems_.Add("region {} has a node that does not exist", region.index);
      } else if (node_seen_[id.index]) {
        problems_.Add("node {} has two places", id.index);
      } else {
        node_seen_[id.index] = true;
        Match(
            graph_.nodes[id], [&](const Operator& op) { CheckOperator(op); },
            [&](const Loop& loop) { CheckLoop(loop); });
      }
    }
  }

  void CheckOperator(const Operator& op) {
    if (!graph_.versions.Contains(op.result) ||
        (op.background.Valid() && !graph_.versions.Contains(op.background))) {
      problems_.Add("{}: its result or background does not exist", Name(op));
      return;
    }
    const auto ascending = [](int a, int b) { return a >= b; };
    if (!std::all_of(op.iterators.begin(), op.iterators.end(),
                     [&](int it) { return ValidIterator(it); }) ||
        std::adjacent_find(op.iterators.begin(), op.iterators.end(), ascending) !=
            op.iterators.end()) {
      problems_.Add("{}: its iterators are not ascending iterators of the program", Name(op));
    }
    if (op.domain.intervals.size() != op.iterators.size()) {
      problems_.Add("{}: its domain has {} intervals for {} iterators", Name(op),
                    op.domain.intervals.size(), op.iterators.size());
    }
    if (!std::all_of(op.domain.intervals.begin(), op.domain.intervals.end(),
                     [&](const Interval& interval) { return Valid(interval); }) ||
        !std::all_of(op.domain.guards.begin(), op.domain.guards.end(),
                     [&](const LinearForm& form) { return Valid(form); })) {
      problems_.Add("{}: its domain has an invalid bound", Name(op));
    }
    const Array& array = graph_.arrays[graph_.versions[op.result].array];
    if (op.target.size() != array.rank()) {
      problems_.Add("{}: its target has {} indices, {} has rank {}", Name(op), op.target.size(),
                    array.name, array.rank());
    }
    CheckOperatorExprs(op);
    for (const Index& index : op.target) {
      if (!Valid(index) || index.place.Valid()) {
        problems_.Add("{}: its target has an invalid index", Name(op));
      }
      CheckOwnIterator(op, index.iterator);
    }
  }

  void CheckOperatorExprs(const Operator& op) {
    std::set<std::string> names;
    for (std::size_t k = 0; k < op.lets.size(); ++k) {
      if (!names.insert(op.lets[k].name).second) {
        problems_.Add("{}: two lets are named {}", Name(op), op.lets[k].name);
      }
      CheckRoot(op, op.lets[k].value, k);
    }
    CheckRoot(op, op.value, op.lets.size());
  }

  /// An expression that may read the first `let_count` lets.
  void CheckRoot(const Operator& op, ExprId root, std::size_t let_count) {
    if (!graph_.exprs.Contains(root)) {
      problems_.Add("{}: its value or a let does not exist", Name(op));
      return;
    }
    Walk(graph_, root, [&](ExprId id) {
      const Expr& expr = graph_.exprs[id];
      if (const auto* ref = std::get_if<LetRef>(&expr.node)) {
        if (ref->let < 0 || static_cast<std::size_t>(ref->let) >= let_count) {
          problems_.Add("{}: a let is read before it is computed", Name(op));
        }
      } else if (const auto* iterator = std::get_if<IteratorRef>(&expr.node)) {
        CheckOwnIterator(op, iterator->iterator);
      } else if (const auto* access = std::get_if<Access>(&expr.node)) {
        for (const Index& index : access->indices) CheckOwnIterator(op, index.iterator);
      }
    });
  }

  void CheckOwnIterator(const Operator& op, int iterator) {
    if (!ValidIterator(iterator)) return;
    if (!std::binary_search(op.iterators.begin(), op.iterators.end(), iterator)) {
      problems_.Add("{}: it uses iterator {}, which is not its own", Name(op),
                    graph_.iterators[static_cast<std::size_t>(iterator)]);
    }
  }

  void CheckStop(const Loop& loop) {
    const Stop& stop = *loop.stop;
    if (!Valid(stop.every) || HasTurn(stop.every) || !AlwaysNonNegative(stop.every - 1)) {
      problems_.Add("a loop looks at its end after a number of turns that may not be positive");
    }
    if (loop.turns.remainder) {
      problems_.Add("a loop that may end before its turns are over has those that another leaves");
    }
    if (!graph_.versions.Contains(stop.condition) || !graph_.regions.Contains(loop.body)) {
      problems_.Add("what ends a loop does not exist");
      return;
    }
    const std::vector<NodeId>& nodes = graph_.regions[loop.body].nodes;
    const auto* last = nodes.empty() || !graph_.nodes.Contains(nodes.back())
                           ? nullptr
                           : std::get_if<Operator>(&graph_.nodes[nodes.back()]);
    if (last == nullptr || last->result != stop.condition) {
      problems_.Add("what ends a loop is not the result of its last operator");
    }
    if (!IsBool(stop.condition)) problems_.Add("what ends a loop is no bool");
    const ArrayId array = graph_.versions[stop.condition].array;
    const auto carries = [&](const Carried& carried) {
      return carried.array == array && carried.next != stop.condition;
    };
    if (std::any_of(loop.carried.begin(), loop.carried.end(), carries)) {
      problems_.Add("a loop carries another value of what ends it");
    }
  }

  bool IsBool(VersionId scalar) const {
    const ArrayId array = graph_.versions[scalar].array;
    return !graph_.arrays.Contains(array) ||
           (graph_.arrays[array].rank() == 0 && graph_.arrays[array].type == ScalarType::Bool);
  }

  void CheckLoop(const Loop& loop) {
    if (!Valid(loop.turns.count)) problems_.Add("the count of a loop is not a valid form");
    if (HasTurn(loop.turns.count)) problems_.Add("the count of a loop depends on a turn");
    if (loop.turn.Valid() && (!graph_.parameters.Contains(loop.turn) || !loop.turn.turn ||
                              !graph_.parameters[loop.turn].turn)) {
      problems_.Add("a loop has a turn that is none");
    }
    if (loop.turns.divisor < 1) problems_.Add("the turns of a loop are divided by less than 1");
    if (loop.stop) CheckStop(loop);
    if (loop.unless.Valid() && (!graph_.versions.Contains(loop.unless) || !IsBool(loop.unless))) {
      problems_.Add("what keeps a loop from running is no bool");
    }
    bool exist = true;
    for (const Carried& carried : loop.carried) {
      exist = exist && graph_.arrays.Contains(carried.array);
      for (const VersionId version :
           {carried.initial, carried.entry, carried.next, carried.result}) {
        exist = exist && graph_.versions.Contains(version);
      }
    }
    if (!exist) problems_.Add("a loop carries what does not exist");
    if (!graph_.regions.Contains(loop.body)) {
      problems_.Add("the body of a loop does not exist");
    } else {
      VisitRegion(loop.body);
    }
  }

  const Graph& graph_;
  Problems& problems_;
  std::vector<bool> region_seen_;
  std::vector<bool> node_seen_;
};

}  // namespace

void VerifyStructure(const Graph& graph, Problems& problems) {
  StructureVerifier(graph, problems).Run();
}

}  // namespace stencilgen::graph
