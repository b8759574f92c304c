#include "lower/operator_code.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lower/boundary_code.h"
#include "lower/reduction_code.h"
#include "plan/operator_facts.h"
#include "plan/windows.h"
#include "support/check.h"

namespace stencilgen::lower {
namespace {

using graph::Access;
using graph::BoundaryKind;
using graph::ExprId;
using graph::Index;
using graph::LinearForm;
using kernel::Expr;
using kernel::VarRef;

/// `iterator + constant`: an element at a fixed distance from the point's own.
bool IsNeighbour(const Index& index) {
  return index.iterator >= 0 && index.coefficient == 1 && index.offset.IsConstant();
}

}  // namespace

std::string OffsetTag(std::int64_t offset) {
  if (offset == 0) return "_c";
  return fmt::format("_{}{}", offset < 0 ? 'm' : 'p', offset < 0 ? -offset : offset);
}

OperatorCode::OperatorCode(const ProgramModel& model, const graph::Operator& op,
                           OperatorStyle style)
    : OperatorCode(model, std::vector<const graph::Operator*>{&op}, std::move(style)) {}

OperatorCode::OperatorCode(const ProgramModel& model, std::vector<const graph::Operator*> ops,
                           OperatorStyle style)
    : model_(model),
      ops_(std::move(ops)),
      style_(std::move(style)),
      scope_(style_.scope == nullptr ? &model.scope() : style_.scope),
      iterators_(style_.iterators),
      iterator_used_(op().iterators.size(), false) {
  for (int iterator : op().iterators) {
    if (!style_.iterators.empty()) break;
    iterators_.push_back(
        kernel::MakeVar(scope_.Claim(model_.graph().iterators[static_cast<std::size_t>(iterator)]),
                        style_.short_iterators ? kernel::kInt : kernel::kIndex));
  }
  if (style_.like != nullptr) iterators_ = style_.like->iterators_;
  HoldColumns();
  for (at_ = 0; at_ < ops_.size(); ++at_) FindLets();
  for (at_ = 0; at_ < ops_.size(); ++at_) {
    LowerLets();
    if (!op().target.empty() && !style_.uniform_alone) LowerAssignment();
  }
  at_ = 0;
  kernel::Block point = centre_lines_;
  point.Append(point_);
  point_ = std::move(point);
}

void OperatorCode::HoldColumns() {
  if (style_.windows == nullptr) return;
  for (const plan::Window& window : *style_.windows) {
    const graph::Array& array =
        model_.graph().arrays[model_.graph().versions[window.version].array];
    const plan::BufferId buffer = model_.plan().buffer_of[window.version.index];
    buffers_[buffer].read = true;
    HeldColumn column;
    for (std::int64_t plane = window.first; plane <= window.last; ++plane) {
      std::vector<Index> element = window.base;
      element[window.dimension].offset = LinearForm::Constant(plane);
      column.elements.push_back(style_.element(buffer, Neighbour(array, element)));
      std::string name = model_.Name(buffer);
      for (const Index& index : element) name.append(OffsetTag(index.offset.constant));
      column.registers.push_back(kernel::MakeVar(scope_.Claim(name), kernel::TypeOf(array.type)));
    }
    held_.push_back(std::move(column));
  }
}

void OperatorCode::FindLets() {
  Lets lets;
  lets.used = graph::UsedLets(model_.graph(), op());
  lets.uniform.assign(op().lets.size(), false);
  lets_.push_back(std::move(lets));
  for (std::size_t k = 0; k < op().lets.size(); ++k) {
    const graph::Let& let = op().lets[k];
    lets_[at_].vars.push_back(
        lets_[at_].used[k] ? kernel::MakeVar(scope_.Claim(let.name), kernel::TypeOf(let.type))
                           : nullptr);
    if (style_.like != nullptr) lets_[at_].vars[k] = style_.like->lets_[at_].vars[k];
    lets_[at_].uniform[k] = IsUniform(op().lets[k].value);
  }
}

bool OperatorCode::IsUniform(ExprId root) const {
  if (!graph::IsUniform(model_.graph(), root, lets_[at_].uniform)) return false;
  std::vector<ExprId> accesses;
  graph::CollectAccesses(model_.graph(), root, accesses);
  // In a tile, all reads come before any write.
  if (style_.result.Valid()) return true;
  const plan::BufferId target = model_.TargetOf(op().result);
  return std::none_of(accesses.begin(), accesses.end(), [&](ExprId id) {
    const auto& access = std::get<Access>(model_.graph().exprs[id].node);
    return !access.indices.empty() && model_.plan().buffer_of[access.version.index] == target;
  });
}

Expr OperatorCode::Lower(ExprId expr) {
  return LowerExpr(model_.graph(), expr, *this, style_.exact_products, style_.fast_division);
}

void OperatorCode::LowerLets() {
  Lets& lets = lets_[at_];
  for (std::size_t k = 0; k < op().lets.size(); ++k) {
    if (!lets.used[k] || (style_.uniform_alone && !lets.uniform[k])) continue;
    const Expr value = Lower(op().lets[k].value);
    if (ops_.size() > 1) {
      // What operators of one point read from memory is the same for all of them.
      const auto [known, is_new] = let_vars_.try_emplace(
          fmt::format("{} {}", ToString(op().lets[k].type), kernel::Print(value)), lets.vars[k]);
      lets.vars[k] = known->second;
      if (!is_new) continue;
    }
    (lets.uniform[k] ? uniform_ : point_).Add(kernel::LetStmt{lets.vars[k], value});
  }
}

bool OperatorCode::IsReadLater() const {
  for (std::size_t later = at_ + 1; later < ops_.size(); ++later) {
    if (plan::Reads(model_.graph(), *ops_[later], op().result)) return true;
  }
  return false;
}

/// A point of a reduction, which its lane takes in.
void OperatorCode::LowerAddition() {
  const ScalarType type = model_.graph().exprs[op().value].type;
  const VarRef value = kernel::MakeVar(scope_.Claim("value"), kernel::TypeOf(type));
  point_.Add(kernel::LetStmt{value, Lower(op().value)});
  const Expr lane = style_.lane(op());
  Use& use = buffers_[model_.TargetOf(op().result)];
  use.written = true;
  use.read = use.read || lane.As<kernel::VarExpr>() == nullptr;
  point_.Add(kernel::AssignStmt{lane, AssignOp::Assign,
                                Combined(op().reduction->op, type, lane, kernel::Read(value))});
}

void OperatorCode::LowerAssignment() {
  if (op().reduction) return LowerAddition();
  const Expr value = Lower(style_.value.Valid() ? style_.value : op().value);
  if (style_.declares_result) {
    point_.Add(kernel::LetStmt{style_.result.As<kernel::VarExpr>()->var, value});
    return;
  }
  if (style_.result.Valid()) {
    point_.Add(kernel::AssignStmt{style_.result, style_.assign, value});
    return;
  }
  const bool stored = model_.TargetOf(op().result).Valid();
  if (!IsReadLater()) {
    if (stored) point_.Add(kernel::AssignStmt{Target(op().target), AssignOp::Assign, value});
    return;
  }
  const graph::Array& array = model_.graph().arrays[model_.graph().versions[op().result].array];
  const VarRef result =
      kernel::MakeVar(scope_.Claim(array.name + "_here"), kernel::TypeOf(array.type));
  results_[op().result] = result;
  point_.Add(kernel::LetStmt{result, value});
  if (stored) {
    point_.Add(kernel::AssignStmt{Target(op().target), AssignOp::Assign, kernel::Read(result)});
  }
}

Expr OperatorCode::Target(const std::vector<Index>& indices) {
  const graph::Array& array = model_.graph().arrays[model_.graph().versions[op().result].array];
  const plan::BufferId buffer = model_.TargetOf(op().result);
  buffers_[buffer].written = true;
  return ElementOf(buffer, array, indices, std::vector<Expr>(indices.size()));
}

Expr OperatorCode::Form(const LinearForm& form) {
  for (const auto& [id, factor] : form.terms) parameters_.insert(id);
  return model_.Form(form);
}

Expr OperatorCode::ScalarValue() {
  return Lower(op().value);
}

Expr OperatorCode::Let(int let, ScalarType) {
  if (let == plan::Scatter::kSum) return style_.sum;
  return kernel::Read(lets_[at_].vars[static_cast<std::size_t>(let)]);
}

Expr OperatorCode::Parameter(graph::ParameterId parameter) {
  parameters_.insert(parameter);
  return AsInt(kernel::Read(model_.Var(parameter)));
}

Expr OperatorCode::Iterator(int iterator) {
  iterator_used_[PlaceOf(iterator)] = true;
  return AsInt(kernel::Read(iterators_[PlaceOf(iterator)]));
}

/// A position as the language has it.
Expr OperatorCode::AsInt(const Expr& position) const {
  return style_.index_is_int ? position : kernel::ConvertTo(kernel::kInt, position);
}

std::size_t OperatorCode::PlaceOf(int iterator) const {
  const auto at = std::find(op().iterators.begin(), op().iterators.end(), iterator);
  STENCILGEN_CHECK(at != op().iterators.end());
  return static_cast<std::size_t>(at - op().iterators.begin());
}

bool OperatorCode::IsInRow(const Index& index) const {
  return IsNeighbour(index) && index.iterator == op().iterators.back();
}

std::optional<OperatorCode::InsideRow> OperatorCode::FindInsideRow() {
  if (op().iterators.empty()) return std::nullopt;
  const graph::Graph& graph = model_.graph();
  InsideRow row;
  std::set<std::string> known;
  std::vector<ExprId> accesses;
  for (const graph::Operator* each : ops_) {
    const std::vector<ExprId> own = graph::Accesses(graph, *each);
    accesses.insert(accesses.end(), own.begin(), own.end());
  }
  for (const ExprId id : accesses) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    const graph::Array& array = graph.arrays[graph.versions[access.version].array];
    for (std::size_t d = 0; d < access.boundary.size(); ++d) {
      const Index& index = access.indices[d];
      if (access.boundary[d].kind == BoundaryKind::None || !IsInRow(index)) continue;
      row.first = std::max(row.first, -index.offset.constant);
      Expr last = Form(array.extents[d] - index.offset - 1);
      if (known.insert(kernel::Print(last)).second) row.lasts.push_back(std::move(last));
    }
  }
  if (row.lasts.empty()) return std::nullopt;
  return row;
}

Expr OperatorCode::Element(const Access& access, ScalarType) {
  if (access.indices.empty()) {
    const int scalar = model_.plan().scalar_of[access.version.index];
    scalars_.insert(scalar);
    return kernel::Read(model_.ScalarVar(scalar));
  }
  if (style_.held) {
    if (auto held = style_.held(access)) return *std::move(held);
  }
  if (const auto result = results_.find(access.version); result != results_.end()) {
    return kernel::Read(result->second);
  }
  const graph::Array& array = model_.graph().arrays[model_.graph().versions[access.version].array];
  const plan::BufferId buffer = model_.plan().buffer_of[access.version.index];
  buffers_[buffer].read = true;
  for (std::size_t w = 0; w < held_.size(); ++w) {
    const int place = plan::PlaceIn((*style_.windows)[w], access);
    if (place >= 0) {
      return kernel::Read(held_[w].registers[static_cast<std::size_t>(place)]);
    }
  }
  std::vector<Expr> mapped(access.indices.size());
  std::vector<Guard> guards;
  const bool loads = style_.always_loads && HasElements(array);
  for (std::size_t d = 0; d < access.boundary.size(); ++d) {
    const graph::Boundary& boundary = access.boundary[d];
    const Index& index = access.indices[d];
    if (boundary.kind == BoundaryKind::None || (style_.inside_row && IsInRow(index))) continue;
    const std::vector<Expr> arguments = {IndexValue(index), Form(array.extents[d])};
    const bool constant = boundary.kind == BoundaryKind::Constant;
    if (constant) {
      guards.push_back(
          {kernel::Call(kernel::Routine::IsInside, kernel::kBool, arguments), boundary.value});
    }
    if (constant && !loads) continue;
    mapped[d] = kernel::Call(BoundaryRoutine(boundary.kind), kernel::kIndex, arguments);
  }
  Expr element = ElementOf(buffer, array, access.indices, mapped);
  if (loads && !guards.empty()) {
    const VarRef read = kernel::MakeVar(scope_.Claim(array.name + "_at"), element.type());
    point_.Add(kernel::LetStmt{read, element});
    element = kernel::Read(read);
  }
  return Guarded(std::move(element), guards);
}

std::optional<OperatorCode::Row> OperatorCode::RowOf(const Access& access) {
  if (access.indices.size() < 2 ||
      !std::all_of(access.indices.begin(), access.indices.end(), IsNeighbour) ||
      std::any_of(access.boundary.begin(), access.boundary.end(),
                  [](const graph::Boundary& each) { return each.kind != BoundaryKind::None; }) ||
      (style_.held && style_.held(access))) {
    return std::nullopt;
  }
  for (std::size_t w = 0; w < held_.size(); ++w) {
    if (plan::PlaceIn((*style_.windows)[w], access) >= 0) return std::nullopt;
  }
  const graph::Array& array = model_.graph().arrays[model_.graph().versions[access.version].array];
  Row row;
  std::vector<int> iterators;
  for (const Index& index : access.indices) iterators.push_back(index.iterator);
  row.centre = Centre(array, iterators).As<kernel::VarExpr>()->var;
  Expr stride = kernel::Number(1);
  for (std::size_t d = access.indices.size(); d-- > 1;) {
    stride = stride * Form(array.extents[d]);
    row.strides.insert(row.strides.begin(), stride);
    row.offsets.insert(row.offsets.begin(), access.indices[d - 1].offset.constant);
  }
  if (std::all_of(row.strides.begin(), row.strides.end(),
                  [](const Expr& each) { return kernel::NumberOf(each).has_value(); })) {
    return std::nullopt;
  }
  row.last = access.indices.back().offset.constant;
  return row;
}

Expr OperatorCode::ElementAt(const Access& access, const VarRef& row) {
  const plan::BufferId buffer = model_.plan().buffer_of[access.version.index];
  return style_.element(buffer,
                        kernel::Read(row) + kernel::Number(access.indices.back().offset.constant));
}

Expr OperatorCode::IteratorValue(int iterator) const {
  iterator_used_[PlaceOf(iterator)] = true;
  return kernel::ConvertTo(kernel::kIndex, kernel::Read(iterators_[PlaceOf(iterator)]));
}

Expr OperatorCode::IndexValue(const Index& index) {
  if (index.place.Valid()) return kernel::ConvertTo(kernel::kIndex, Lower(index.place));
  Expr offset = Form(index.offset);
  if (index.iterator < 0) return offset;
  const Expr iterator = IteratorValue(index.iterator);
  if (index.coefficient < 0) return offset - kernel::Number(-index.coefficient) * iterator;
  return kernel::Number(index.coefficient) * iterator + offset;
}

Expr OperatorCode::Position(const graph::Array& array, const std::vector<Index>& indices,
                            const std::vector<Expr>& mapped) {
  const bool any_mapped =
      std::any_of(mapped.begin(), mapped.end(), [](const Expr& index) { return index.Valid(); });
  if (!any_mapped && std::all_of(indices.begin(), indices.end(), IsNeighbour)) {
    return Neighbour(array, indices);
  }
  Expr position = kernel::Number(0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (d > 0) position = position * Form(array.extents[d]);
    position = position + (mapped[d].Valid() ? mapped[d] : IndexValue(indices[d]));
  }
  return position;
}

Expr OperatorCode::ElementOf(plan::BufferId buffer, const graph::Array& array,
                             const std::vector<Index>& indices, const std::vector<Expr>& mapped) {
  if (style_.element_at) {
    std::vector<Expr> places;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      places.push_back(mapped[d].Valid() ? mapped[d] : IndexValue(indices[d]));
    }
    if (auto element = style_.element_at(buffer, places)) return *std::move(element);
  }
  return style_.element(buffer, Position(array, indices, mapped));
}

Expr OperatorCode::Neighbour(const graph::Array& array, const std::vector<Index>& indices) {
  std::vector<int> iterators;
  iterators.reserve(indices.size());
  for (const Index& index : indices) iterators.push_back(index.iterator);
  Expr position = Centre(array, iterators);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::int64_t offset = indices[d].offset.constant;
    if (offset == 0) continue;
    Expr stride = kernel::Number(1);
    for (std::size_t inner = d + 1; inner < indices.size(); ++inner) {
      stride = stride * Form(array.extents[inner]);
    }
    position = offset > 0 ? position + kernel::Number(offset) * stride
                          : position - kernel::Number(-offset) * stride;
  }
  return position;
}

Expr OperatorCode::Centre(const graph::Array& array, const std::vector<int>& iterators) {
  Expr position = IteratorValue(iterators.front());
  for (std::size_t d = 1; d < iterators.size(); ++d) {
    position = position * Form(array.extents[d]) + IteratorValue(iterators[d]);
  }
  if (iterators.size() == 1) return position;
  const auto [at, is_new] = centres_.try_emplace(kernel::Print(position));
  if (is_new) {
    at->second = kernel::MakeVar(
        scope_.Claim(centres_.size() == 1 ? "c" : fmt::format("c_{}", array.name)), kernel::kIndex);
    centre_lines_.Add(kernel::LetStmt{at->second, position});
  }
  return kernel::Read(at->second);
}

void OperatorCode::AddBuffersTo(Uses& uses) const {
  for (const auto& [buffer, use] : buffers_) {
    uses[buffer].read |= use.read;
    uses[buffer].written |= use.written;
  }
}

}  // namespace stencilgen::lower
