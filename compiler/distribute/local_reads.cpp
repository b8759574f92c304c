#include "distribute/local_reads.h"

#include <set>
#include <utility>
#include <vector>

#include "graph/form_value.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

class Reader {
 public:
  Reader(Graph& graph, const Grid& grid, const LocalForms& forms, ExprId read)
      : graph_(graph), grid_(grid), forms_(forms), read_(read), whole_(graph.exprs[read]) {
    place_like_ = whole_;
    place_like_.type = ScalarType::Int;
  }

  void Run() {
    Access access = std::get<Access>(whole_.node);
    const ArrayId array = graph_.versions[access.version].array;
    access.boundary.resize(access.indices.size());
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      if (grid_.AxisOf(array, d) >= 0) Localize(access, array, d);
    }
    const ExprId element = graph_.exprs.Add({access, whole_.type, whole_.span});
    ExprId value = Choose(own_, element, Number(0, whole_.type));
    if (outside_.Valid()) value = Choose(outside_, constant_, value);
    graph_.exprs[read_] = Expr(graph_.exprs[value]);
  }

 private:
  ExprId Add(Binary binary) { return graph_.exprs.Add({binary, ScalarType::Int, whole_.span}); }
  ExprId Form(const LinearForm& form) { return AddFormValue(graph_, form, place_like_); }
  ExprId Number(double value, ScalarType type) {
    return graph_.exprs.Add({Literal{value, static_cast<std::int64_t>(value)}, type, whole_.span});
  }
  ExprId Compare(BinaryOp op, ExprId a, ExprId b) {
    return graph_.exprs.Add({Binary{op, a, b}, ScalarType::Bool, whole_.span});
  }
  ExprId Choose(ExprId condition, ExprId yes, ExprId no) {
    const ScalarType type = graph_.exprs[yes].type;
    return graph_.exprs.Add({Conditional{condition, yes, no}, type, whole_.span});
  }
  /// Both, where the first is there.
  ExprId Join(BinaryOp op, ExprId a, ExprId b) { return a.Valid() ? Compare(op, a, b) : b; }

  /// The place of the index in the whole array.
  ExprId PlaceOf(const Index& index) {
    if (index.place.Valid()) return index.place;
    if (index.iterator < 0) return Form(index.offset);
    ExprId place = graph_.exprs.Add({IteratorRef{index.iterator}, ScalarType::Int, whole_.span});
    if (index.coefficient != 1) {
      place = Add({BinaryOp::Mul, Form(LinearForm::Constant(index.coefficient)), place});
    }
    if (index.offset == LinearForm{}) return place;
    return Add({BinaryOp::Add, place, Form(index.offset)});
  }

  /// The remainder that is not negative.
  ExprId Around(ExprId place, const LinearForm& period) {
    const ExprId once = Add({BinaryOp::Mod, place, Form(period)});
    return Add({BinaryOp::Mod, Add({BinaryOp::Add, once, Form(period)}), Form(period)});
  }

  /// The place that the boundary mode means.
  ExprId Mapped(ExprId place, const Boundary& boundary, const LinearForm& extent) {
    switch (boundary.kind) {
      case BoundaryKind::Clamp: {
        const ExprId low = graph_.exprs.Add(
            {Call{Function::Max, {place, Form({})}}, ScalarType::Int, whole_.span});
        return graph_.exprs.Add(
            {Call{Function::Min, {low, Form(extent - 1)}}, ScalarType::Int, whole_.span});
      }
      case BoundaryKind::Wrap:
        return Around(place, extent);
      case BoundaryKind::Mirror: {
        const ExprId phase = Around(place, extent * 2);
        const ExprId back = Add({BinaryOp::Sub, Form(extent * 2 - 1), phase});
        return Choose(Compare(BinaryOp::Less, phase, Form(extent)), phase, back);
      }
      case BoundaryKind::Mirror101: {
        // Of one element the period is none, and any remainder by it 0.
        const ExprId phase = Around(place, extent * 2 - 2);
        const ExprId back = Add({BinaryOp::Sub, Form(extent * 2 - 2), phase});
        return Choose(Compare(BinaryOp::Less, phase, Form(extent)), phase, back);
      }
      case BoundaryKind::Constant:
      case BoundaryKind::None:
        break;
    }
    return place;
  }

  void Localize(Access& access, ArrayId array, std::size_t d) {
    const auto axis = static_cast<std::size_t>(grid_.AxisOf(array, d));
    const std::int64_t scale = grid_.Of(array, d).scale;
    const LinearForm own_first = forms_.own_first[axis] * scale;
    const LinearForm extent = graph_.arrays[array].extents[d];
    const Boundary boundary = access.boundary[d];
    const ExprId place = Mapped(PlaceOf(access.indices[d]), boundary, extent);
    if (boundary.kind == BoundaryKind::Constant || boundary.kind == BoundaryKind::None) {
      const ExprId below = Compare(BinaryOp::Less, place, Form({}));
      const ExprId outside =
          Compare(BinaryOp::Or, below, Compare(BinaryOp::GreaterEqual, place, Form(extent)));
      outside_ = Join(BinaryOp::Or, outside_, outside);
      // Dimensions that are never left have no mode.
      const bool valued = boundary.kind == BoundaryKind::Constant;
      if (valued || !constant_.Valid()) constant_ = Number(boundary.value, whole_.type);
    }
    ExprId local = Add({BinaryOp::Sub, place, Form(forms_.origin[axis] * scale)});
    if (grid_.axes[axis].periodic) {
      // From the rank's own first point on around: a ghost may be a point of its own, too.
      const ExprId first = Form(own_first);
      local = Add({BinaryOp::Add, Around(Add({BinaryOp::Sub, local, first}), extent), first});
    }
    const ExprId first = Compare(BinaryOp::GreaterEqual, local, Form(own_first));
    const ExprId last = Compare(BinaryOp::Less, local, Form(forms_.own_end[axis] * scale));
    own_ = Join(BinaryOp::And, own_, Compare(BinaryOp::And, first, last));
    access.indices[d] = Index{-1, 0, {}, local};
    // Only where it is the rank's own is it read.
    access.boundary[d] = {BoundaryKind::Clamp};
  }

  Graph& graph_;
  const Grid& grid_;
  const LocalForms& forms_;
  const ExprId read_;
  const Expr whole_;
  Expr place_like_;
  ExprId own_, outside_, constant_;
};

}  // namespace

void ReadOwnElements(Graph& graph, const Grid& grid, const LocalForms& forms, Operator& op) {
  const std::vector<ExprId> accesses = Accesses(graph, op);
  for (const ExprId id : std::set<ExprId>(accesses.begin(), accesses.end())) {
    const auto* access = std::get_if<Access>(&graph.exprs[id].node);
    if (access == nullptr || !grid.Shares(graph.versions[access->version].array)) continue;
    Reader(graph, grid, forms, id).Run();
  }
}

}  // namespace stencilgen::distribute
