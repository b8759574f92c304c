#include "distribute/local_operators.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "distribute/collectives.h"
#include "distribute/find_grid.h"
#include "distribute/local_reads.h"
#include "graph/form_value.h"
#include "graph/walk.h"
#include "passes/copy_body.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

class Localizer {
 public:
  Localizer(Graph& graph, const Grid& grid, const LocalForms& forms)
      : graph_(graph), grid_(grid), forms_(forms) {}

  void Run() {
    // An expression that operators share may mean other places in each of them.
    if (HasScales()) {
      for (const NodeId id : graph_.nodes.Ids()) {
        if (std::holds_alternative<Operator>(graph_.nodes[id])) passes::OwnBody(graph_, id);
      }
    }
    // Domains compare with extents of the whole arrays.
    for (const NodeId id : graph_.nodes.Ids()) {
      if (auto* op = std::get_if<Operator>(&graph_.nodes[id])) Change(*op);
    }
    JoinGroups();
    for (const auto& [id, scale] : SharedIterators()) ChangeIterator(id, scale);
    for (const ArrayId id : graph_.arrays.Ids()) {
      for (std::size_t d = 0; d < graph_.arrays[id].rank(); ++d) {
        if (grid_.AxisOf(id, d) >= 0) graph_.arrays[id].extents[d] = Extent(id, d);
      }
    }
  }

 private:
  LinearForm Extent(ArrayId array, std::size_t dimension) const {
    const GridDimension& along = grid_.Of(array, dimension);
    return forms_.size[static_cast<std::size_t>(along.axis)] * along.scale + along.excess;
  }

  bool HasScales() const {
    for (const auto& array : grid_.dimensions) {
      for (const GridDimension& along : array) {
        if (along.scale != 1) return true;
      }
    }
    return false;
  }

  int AxisOfIterator(int iterator) const {
    for (std::size_t a = 0; a < grid_.axes.size(); ++a) {
      if (grid_.axes[a].iterator == iterator) return static_cast<int>(a);
    }
    return -1;
  }

  /// Iterators in expressions of operators whose points ranks share, with their scales.
  std::map<ExprId, std::int64_t> SharedIterators() const {
    std::map<ExprId, std::int64_t> found;
    for (const Node& node : graph_.nodes) {
      const auto* op = std::get_if<Operator>(&node);
      if (op == nullptr || IsReplicated(graph_, grid_, *op)) continue;
      const auto visit = [&](ExprId id) {
        const auto* ref = std::get_if<IteratorRef>(&graph_.exprs[id].node);
        if (ref == nullptr || AxisOfIterator(ref->iterator) < 0) return;
        found.emplace(id, IteratorScale(grid_, graph_, *op, ref->iterator));
      };
      for (const Let& let : op->lets) Walk(graph_, let.value, visit);
      Walk(graph_, op->value, visit);
    }
    return found;
  }

  void Change(Operator& op) {
    if (IsReplicated(graph_, grid_, op)) {
      ReadOwnElements(graph_, grid_, forms_, op);
      return;
    }
    for (std::size_t k = 0; k < op.iterators.size(); ++k) {
      const int axis = AxisOfIterator(op.iterators[k]);
      if (axis < 0) continue;
      ChangeInterval(op.domain.intervals[k], static_cast<std::size_t>(axis),
                     IteratorScale(grid_, graph_, op, op.iterators[k]));
    }
    const ArrayId array = graph_.versions[op.result].array;
    Keep(op, array, op.target, {});
    std::vector<ExprId> accesses = Accesses(graph_, op);
    std::sort(accesses.begin(), accesses.end());
    accesses.erase(std::unique(accesses.begin(), accesses.end()), accesses.end());
    for (const ExprId id : accesses) {
      if (changed_.insert(id).second) ChangeAccess(op, std::get<Access>(graph_.exprs[id].node));
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      Keep(op, graph_.versions[access.version].array, access.indices, access.boundary);
    }
    for (std::size_t d = 0; d < op.target.size(); ++d) Shift(op.target[d], array, d);
  }

  /// `scale`: values of the iterator at each point of the axis.
  void ChangeInterval(Interval& interval, std::size_t axis, std::int64_t scale) {
    if (grid_.axes[axis].periodic) {
      // All points, and all ghosts that there are.
      interval = {{{LinearForm{}, 1}}, {{forms_.size[axis] * scale - 1, 1}}};
      return;
    }
    const LinearForm origin = forms_.origin[axis] * scale;
    Interval local;
    for (const Bound& bound : interval.lower) {
      AddLower(local, {bound.numerator - origin * bound.divisor, bound.divisor});
    }
    for (const Bound& bound : interval.upper) {
      AddUpper(local, {bound.numerator - origin * bound.divisor, bound.divisor});
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
        AddLower(interval, {LinearForm{} - index.offset, index.coefficient});
        AddUpper(interval, {last - index.offset, index.coefficient});
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

  LinearForm Origin(ArrayId array, std::size_t dimension) const {
    const GridDimension& along = grid_.Of(array, dimension);
    return forms_.origin[static_cast<std::size_t>(along.axis)] * along.scale;
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

  void ChangeAccess(const Operator& op, Access& access) {
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
      const std::int64_t scale = IteratorScale(grid_, graph_, op, index.iterator);
      index.offset = index.offset + forms_.origin[a] * (scale * index.coefficient);
      if (!grid_.axes[a].periodic) continue;
      if (access.boundary.empty()) access.boundary.resize(access.indices.size());
      access.boundary[d] = {BoundaryKind::Wrap};
    }
    const auto open = [](const Boundary& boundary) { return boundary.kind != BoundaryKind::None; };
    if (std::none_of(access.boundary.begin(), access.boundary.end(), open)) access.boundary.clear();
  }

  /// The value of an iterator is its place in the whole grid.
  void ChangeIterator(ExprId id, std::int64_t scale) {
    const int walked = std::get<IteratorRef>(graph_.exprs[id].node).iterator;
    const auto a = static_cast<std::size_t>(AxisOfIterator(walked));
    const Expr local = graph_.exprs[id];
    const ExprId iterator = graph_.exprs.Add(local);
    const LinearForm origin = forms_.origin[a] * scale;
    const ExprId first = AddFormValue(graph_, origin, local);
    const ExprId value =
        graph_.exprs.Add({Binary{BinaryOp::Add, iterator, first}, local.type, local.span});
    if (!grid_.axes[a].periodic) {
      graph_.exprs[id] = Expr(graph_.exprs[value]);
      return;
    }
    const ExprId extent = AddFormValue(graph_, grid_.axes[a].extent * scale, local);
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
