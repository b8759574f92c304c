#include "distribute/local_operators.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "distribute/collectives.h"
#include "distribute/local_reads.h"
#include "graph/form_value.h"
#include "graph/walk.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

class Localizer {
 public:
  Localizer(Graph& graph, const Grid& grid, const LocalForms& forms)
      : graph_(graph), grid_(grid), forms_(forms) {}

  void Run() {
    // Domains compare with extents of the whole arrays.
    for (const NodeId id : graph_.nodes.Ids()) {
      if (auto* op = std::get_if<Operator>(&graph_.nodes[id])) Change(*op);
    }
    JoinGroups();
    for (const ExprId id : OfSharedPoints()) ChangeIterator(id);
    for (const ArrayId id : graph_.arrays.Ids()) {
      for (std::size_t d = 0; d < graph_.arrays[id].rank(); ++d) {
        if (grid_.AxisOf(id, d) >= 0) graph_.arrays[id].extents[d] = Extent(id, d);
      }
    }
  }

 private:
  LinearForm Extent(ArrayId array, std::size_t dimension) const {
    const auto axis = static_cast<std::size_t>(grid_.AxisOf(array, dimension));
    return forms_.size[axis] + grid_.excess[array.index][dimension];
  }

  int AxisOfIterator(int iterator) const {
    for (std::size_t a = 0; a < grid_.axes.size(); ++a) {
      if (grid_.axes[a].iterator == iterator) return static_cast<int>(a);
    }
    return -1;
  }

  /// Expressions of operators whose points ranks share.
  std::vector<ExprId> OfSharedPoints() const {
    std::set<ExprId> found;
    for (const Node& node : graph_.nodes) {
      const auto* op = std::get_if<Operator>(&node);
      if (op == nullptr || IsReplicated(graph_, grid_, *op)) continue;
      for (const Let& let : op->lets) {
        Walk(graph_, let.value, [&](ExprId id) { found.insert(id); });
      }
      Walk(graph_, op->value, [&](ExprId id) { found.insert(id); });
    }
    return {found.begin(), found.end()};
  }

  void Change(Operator& op) {
    if (IsReplicated(graph_, grid_, op)) {
      ReadOwnElements(graph_, grid_, forms_, op);
      return;
    }
    for (std::size_t k = 0; k < op.iterators.size(); ++k) {
      const int axis = AxisOfIterator(op.iterators[k]);
      if (axis >= 0) ChangeInterval(op.domain.intervals[k], static_cast<std::size_t>(axis));
    }
    const ArrayId array = graph_.versions[op.result].array;
    Keep(op, array, op.target, {});
    std::vector<ExprId> accesses = Accesses(graph_, op);
    std::sort(accesses.begin(), accesses.end());
    accesses.erase(std::unique(accesses.begin(), accesses.end()), accesses.end());
    for (const ExprId id : accesses) {
      if (changed_.insert(id).second) ChangeAccess(std::get<Access>(graph_.exprs[id].node));
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      Keep(op, graph_.versions[access.version].array, access.indices, access.boundary);
    }
    for (std::size_t d = 0; d < op.target.size(); ++d) Shift(op.target[d], array, d);
  }

  void ChangeInterval(Interval& interval, std::size_t axis) {
    if (grid_.axes[axis].periodic) {
      // All points, and all ghosts that there are.
      interval = {{{LinearForm{}, 1}}, {{forms_.size[axis] - 1, 1}}};
      return;
    }
    Interval local;
    for (const Bound& bound : interval.lower) {
      AddLower(local, {bound.numerator - forms_.origin[axis] * bound.divisor, bound.divisor});
    }
    for (const Bound& bound : interval.upper) {
      AddUpper(local, {bound.numerator - forms_.origin[axis] * bound.divisor, bound.divisor});
    }
    interval = std::move(local);
  }

  /// Points where the element is one of the local array.
  void Keep(Operator& op, ArrayId array, const std::vector<Index>& indices,
            const std::vector<Boundary>& boundary) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (grid_.AxisOf(array, d) < 0) continue;
      if (!boundary.empty() && boundary[d].kind != BoundaryKind::None) continue;
      const Index& index = indices[d];
      const LinearForm last = Extent(array, d) - 1;
      if (index.iterator >= 0) {
        const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
        Interval& interval =
            op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
        AddLower(interval, {LinearForm{} - index.offset, 1});
        AddUpper(interval, {last - index.offset, 1});
        continue;
      }
      const bool is_target = &indices == &op.target;
      const LinearForm place = is_target ? index.offset - Origin(array, d) : index.offset;
      AddGuard(op, place);
      AddGuard(op, last - place);
    }
  }

  static void AddGuard(Operator& op, const LinearForm& form) {
    auto& guards = op.domain.guards;
    if (std::find(guards.begin(), guards.end(), form) == guards.end()) guards.push_back(form);
  }

  const LinearForm& Origin(ArrayId array, std::size_t dimension) const {
    return forms_.origin[static_cast<std::size_t>(grid_.AxisOf(array, dimension))];
  }

  /// Statements that add up one value have one domain: where all of their terms can be read. One of
  /// which others read what it has in between stands by itself.
  void JoinGroups() {
    std::map<std::pair<int, int>, std::vector<Operator*>> groups;
    int next = 0;
    for (Node& node : graph_.nodes) {
      if (auto* op = std::get_if<Operator>(&node)) {
        groups[{op->call, op->group}].push_back(op);
        next = std::max(next, op->group + 1);
      }
    }
    for (auto& [key, ops] : groups) {
      if (ops.size() < 2) continue;
      if (std::all_of(ops.begin(), ops.end(),
                      [&](const Operator* op) { return op->domain == ops[0]->domain; })) {
        continue;
      }
      if (IsClosed(ops)) {
        Domain domain = ops[0]->domain;
        for (const Operator* op : ops) Restrict(domain, op->domain);
        for (Operator* op : ops) op->domain = domain;
      } else {
        for (Operator* op : ops) op->group = next++;
      }
    }
  }

  /// What the operators have in between only the next ones of them read, each at its own point.
  bool IsClosed(const std::vector<Operator*>& ops) const {
    std::set<VersionId> between;
    for (std::size_t n = 0; n + 1 < ops.size(); ++n) between.insert(ops[n]->result);
    for (const Output& output : graph_.outputs) {
      if (between.count(output.version) > 0) return false;
    }
    for (const Node& node : graph_.nodes) {
      const auto* op = std::get_if<Operator>(&node);
      if (op == nullptr) continue;
      const bool own = std::find(ops.begin(), ops.end(), op) != ops.end();
      if (!own && op->background.Valid() && between.count(op->background) > 0) return false;
      for (const ExprId id : Accesses(graph_, *op)) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        if (between.count(access.version) == 0) continue;
        if (!own || access.indices != op->target) return false;
      }
    }
    return true;
  }

  static void Restrict(Domain& domain, const Domain& by) {
    for (std::size_t k = 0; k < domain.intervals.size(); ++k) {
      domain.intervals[k] = Intersect(domain.intervals[k], by.intervals[k]);
    }
    for (const LinearForm& guard : by.guards) {
      if (std::find(domain.guards.begin(), domain.guards.end(), guard) == domain.guards.end()) {
        domain.guards.push_back(guard);
      }
    }
  }

  /// A place that no iterator moves.
  void Shift(Index& index, ArrayId array, std::size_t dimension) const {
    if (grid_.AxisOf(array, dimension) >= 0 && index.iterator < 0) {
      index.offset = index.offset - Origin(array, dimension);
    }
  }

  void ChangeAccess(Access& access) {
    const ArrayId array = graph_.versions[access.version].array;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      Index& index = access.indices[d];
      if (grid_.AxisOf(array, d) >= 0) {
        Shift(index, array, d);
        // Ghosts are on both sides.
        if (!access.boundary.empty() && access.boundary[d].kind == BoundaryKind::Wrap) {
          access.boundary[d] = {};
        }
        continue;
      }
      const int axis = index.iterator < 0 ? -1 : AxisOfIterator(index.iterator);
      if (axis < 0) continue;
      const auto a = static_cast<std::size_t>(axis);
      index.offset = index.offset + forms_.origin[a] * index.coefficient;
      if (!grid_.axes[a].periodic) continue;
      if (access.boundary.empty()) access.boundary.resize(access.indices.size());
      access.boundary[d] = {BoundaryKind::Wrap};
    }
    const auto open = [](const Boundary& boundary) { return boundary.kind != BoundaryKind::None; };
    if (std::none_of(access.boundary.begin(), access.boundary.end(), open)) access.boundary.clear();
  }

  /// The value of an iterator is its place in the whole grid.
  void ChangeIterator(ExprId id) {
    const auto* ref = std::get_if<IteratorRef>(&graph_.exprs[id].node);
    const int axis = ref == nullptr ? -1 : AxisOfIterator(ref->iterator);
    if (axis < 0) return;
    const auto a = static_cast<std::size_t>(axis);
    const Expr local = graph_.exprs[id];
    const ExprId iterator = graph_.exprs.Add(local);
    const LinearForm& origin = forms_.origin[a];
    const ExprId first = AddFormValue(graph_, origin, local);
    const ExprId value =
        graph_.exprs.Add({Binary{BinaryOp::Add, iterator, first}, local.type, local.span});
    if (!grid_.axes[a].periodic) {
      graph_.exprs[id] = Expr(graph_.exprs[value]);
      return;
    }
    const ExprId extent = AddFormValue(graph_, grid_.axes[a].extent, local);
    graph_.exprs[id].node = Binary{BinaryOp::Mod, value, extent};
  }

  Graph& graph_;
  const Grid& grid_;
  const LocalForms& forms_;
  std::set<ExprId> changed_;
};

}  // namespace

void MakeLocal(Graph& graph, const Grid& grid, const LocalForms& forms) {
  Localizer(graph, grid, forms).Run();
}

}  // namespace stencilgen::distribute
