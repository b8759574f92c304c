#include "codegen/operator_code.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "codegen/text.h"
#include "plan/operator_facts.h"
#include "plan/windows.h"
#include "support/check.h"

namespace stencilgen::codegen {
namespace {

using graph::Access;
using graph::BoundaryKind;
using graph::ExprId;
using graph::Index;
using graph::LinearForm;

/// `iterator + constant`: an element at a fixed distance from the point's own.
bool IsNeighbour(const Index& index) {
  return index.iterator >= 0 && index.coefficient == 1 && index.offset.IsConstant();
}

std::string_view BoundaryFunction(BoundaryKind kind) {
  switch (kind) {
    case BoundaryKind::Clamp:
      return "ClampIndex";
    case BoundaryKind::Mirror:
      return "MirrorIndex";
    case BoundaryKind::Wrap:
      return "WrapIndex";
    case BoundaryKind::None:
    case BoundaryKind::Constant:
      break;
  }
  STENCILGEN_CHECK(!"a boundary mode that moves no index");
  return "";
}

/// `condition ? ... : otherwise`
struct Guard {
  std::string condition, otherwise;
};

std::string Operand(const ExprText& element) {
  return element.precedence == kConditionalPrecedence ? fmt::format("({})", element.text)
                                                      : element.text;
}

/// The first guard that does not hold gives the value.
ExprText Guarded(ExprText element, const std::vector<Guard>& guards) {
  for (std::size_t end = guards.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && guards[begin - 1].otherwise == guards[begin].otherwise) --begin;
    std::string condition = guards[begin].condition;
    for (std::size_t k = begin + 1; k < end; ++k) {
      condition.append(" && ").append(guards[k].condition);
    }
    element = {fmt::format("{} ? {} : {}", condition, Operand(element), guards[begin].otherwise),
               kConditionalPrecedence};
    end = begin;
  }
  return element;
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
        scope_.Claim(model_.graph().iterators[static_cast<std::size_t>(iterator)]));
  }
  HoldColumns();
  for (at_ = 0; at_ < ops_.size(); ++at_) FindLets();
  for (at_ = 0; at_ < ops_.size(); ++at_) {
    PrintLets();
    if (!op().target.empty() && !style_.uniform_alone) PrintAssignment();
  }
  at_ = 0;
  point_.insert(point_.begin(), centre_lines_.begin(), centre_lines_.end());
}

void OperatorCode::HoldColumns() {
  if (style_.windows == nullptr) return;
  for (const plan::Window& window : *style_.windows) {
    const graph::Array& array =
        model_.graph().arrays[model_.graph().versions[window.version].array];
    const plan::BufferId buffer = model_.plan().buffer_of[window.version.index];
    buffers_[buffer].read = true;
    HeldColumn column;
    column.type = array.type;
    for (std::int64_t plane = window.first; plane <= window.last; ++plane) {
      std::vector<Index> element = window.base;
      element[window.dimension].offset = LinearForm::Constant(plane);
      column.elements.push_back(style_.element(buffer, Neighbour(array, element)));
      std::string name = model_.Name(buffer);
      for (const Index& index : element) name.append(OffsetTag(index.offset.constant));
      column.registers.push_back(scope_.Claim(name));
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
    lets_[at_].names.push_back(lets_[at_].used[k] ? scope_.Claim(op().lets[k].name)
                                                  : std::string());
    lets_[at_].uniform[k] = IsUniform(op().lets[k].value);
  }
}

bool OperatorCode::IsUniform(ExprId root) const {
  if (!graph::IsUniform(model_.graph(), root, lets_[at_].uniform)) return false;
  std::vector<ExprId> accesses;
  graph::CollectAccesses(model_.graph(), root, accesses);
  // In a tile, all reads come before any write.
  if (!style_.result.empty()) return true;
  const plan::BufferId target = model_.plan().buffer_of[op().result.index];
  return std::none_of(accesses.begin(), accesses.end(), [&](ExprId id) {
    const auto& access = std::get<Access>(model_.graph().exprs[id].node);
    return !access.indices.empty() && model_.plan().buffer_of[access.version.index] == target;
  });
}

std::string OperatorCode::Print(ExprId expr) {
  return PrintExpr(model_.graph(), expr, *this, style_.exact_products);
}

void OperatorCode::PrintLets() {
  Lets& lets = lets_[at_];
  for (std::size_t k = 0; k < op().lets.size(); ++k) {
    if (!lets.used[k] || (style_.uniform_alone && !lets.uniform[k])) continue;
    const graph::Let& let = op().lets[k];
    const std::string value = Print(let.value);
    // What operators of one point read from memory is the same for all of them.
    const auto [known, is_new] =
        let_names_.try_emplace(fmt::format("{} {}", ToString(let.type), value), lets.names[k]);
    if (!is_new && ops_.size() > 1) {
      lets.names[k] = known->second;
      continue;
    }
    (lets.uniform[k] ? uniform_ : point_)
        .push_back(fmt::format("const {} {} = {};", ToString(let.type), lets.names[k], value));
  }
}

bool OperatorCode::IsReadLater() const {
  for (std::size_t later = at_ + 1; later < ops_.size(); ++later) {
    if (plan::Reads(model_.graph(), *ops_[later], op().result)) return true;
  }
  return false;
}

void OperatorCode::PrintAssignment() {
  const std::string value = Print(style_.value.Valid() ? style_.value : op().value);
  if (!style_.result.empty()) {
    point_.push_back(fmt::format("{} {} {};", style_.result, style_.assign, value));
    return;
  }
  const bool stored = model_.plan().buffer_of[op().result.index].Valid();
  if (!IsReadLater()) {
    if (stored) point_.push_back(fmt::format("{} = {};", Target(op().target), value));
    return;
  }
  const graph::Array& array = model_.graph().arrays[model_.graph().versions[op().result].array];
  const std::string& name = results_[op().result] = scope_.Claim(array.name + "_here");
  point_.push_back(fmt::format("const {} {} = {};", ToString(array.type), name, value));
  if (stored) point_.push_back(fmt::format("{} = {};", Target(op().target), name));
}

std::string OperatorCode::Target(const std::vector<Index>& indices) {
  const graph::Array& array = model_.graph().arrays[model_.graph().versions[op().result].array];
  const plan::BufferId buffer = model_.plan().buffer_of[op().result.index];
  buffers_[buffer].written = true;
  return style_.element(buffer, Position(array, indices, std::vector<std::string>(indices.size())));
}

Term OperatorCode::Form(const LinearForm& form) {
  for (const auto& [id, factor] : form.terms) parameters_.insert(id);
  return Linear(form, model_.parameters());
}

std::string OperatorCode::ScalarValue() {
  return Print(op().value);
}

ExprText OperatorCode::Let(int let) {
  if (let == plan::Scatter::kSum) return {style_.sum, kPrimaryPrecedence};
  return {lets_[at_].names[static_cast<std::size_t>(let)], kPrimaryPrecedence};
}

ExprText OperatorCode::Parameter(graph::ParameterId parameter) {
  parameters_.insert(parameter);
  const std::string& name = model_.parameters()[parameter.index];
  return {style_.index_is_int ? name : fmt::format("int({})", name), kPrimaryPrecedence};
}

ExprText OperatorCode::Iterator(int iterator) {
  iterator_used_[PlaceOf(iterator)] = true;
  const std::string& name = iterators_[PlaceOf(iterator)];
  return {style_.index_is_int ? name : fmt::format("int({})", name), kPrimaryPrecedence};
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
      Term last = Form(array.extents[d] - index.offset - 1);
      if (known.insert(last.text).second) row.lasts.push_back(std::move(last));
    }
  }
  if (row.lasts.empty()) return std::nullopt;
  return row;
}

ExprText OperatorCode::Element(const Access& access, ScalarType type) {
  if (access.indices.empty()) {
    const int scalar = model_.plan().scalar_of[access.version.index];
    scalars_.insert(scalar);
    return {model_.Scalar(scalar), kPrimaryPrecedence};
  }
  if (style_.held) {
    if (auto held = style_.held(access)) return *std::move(held);
  }
  if (const auto result = results_.find(access.version); result != results_.end()) {
    return {result->second, kPrimaryPrecedence};
  }
  const graph::Array& array = model_.graph().arrays[model_.graph().versions[access.version].array];
  const plan::BufferId buffer = model_.plan().buffer_of[access.version.index];
  buffers_[buffer].read = true;
  for (std::size_t w = 0; w < held_.size(); ++w) {
    const int place = plan::PlaceIn((*style_.windows)[w], access);
    if (place >= 0) {
      return {held_[w].registers[static_cast<std::size_t>(place)], kPrimaryPrecedence};
    }
  }
  std::vector<std::string> mapped(access.indices.size());
  std::vector<Guard> guards;
  for (std::size_t d = 0; d < access.boundary.size(); ++d) {
    const graph::Boundary& boundary = access.boundary[d];
    const Index& index = access.indices[d];
    if (boundary.kind == BoundaryKind::None || (style_.inside_row && IsInRow(index))) continue;
    const std::string arguments =
        fmt::format("({}, {})", IndexTerm(index).text, Form(array.extents[d]).text);
    if (boundary.kind == BoundaryKind::Constant) {
      guards.push_back({fmt::format("IsInside{}", arguments), LiteralText(type, boundary.value)});
    } else {
      mapped[d] = fmt::format("{}{}", BoundaryFunction(boundary.kind), arguments);
    }
  }
  return Guarded({style_.element(buffer, Position(array, access.indices, mapped))}, guards);
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
  row.centre = Centre(array, iterators);
  Term stride = Number(1);
  for (std::size_t d = access.indices.size(); d-- > 1;) {
    stride = stride * Form(array.extents[d]);
    row.strides.insert(row.strides.begin(), stride);
    row.offsets.insert(row.offsets.begin(), access.indices[d - 1].offset.constant);
  }
  if (std::all_of(row.strides.begin(), row.strides.end(),
                  [](const Term& each) { return each.value.has_value(); })) {
    return std::nullopt;
  }
  row.last = access.indices.back().offset.constant;
  return row;
}

std::string OperatorCode::ElementAt(const Access& access, const std::string& row) {
  const plan::BufferId buffer = model_.plan().buffer_of[access.version.index];
  const Term position = Variable(row) + Number(access.indices.back().offset.constant);
  return style_.element(buffer, position.text);
}

Term OperatorCode::IteratorTerm(int iterator) const {
  iterator_used_[PlaceOf(iterator)] = true;
  const std::string& name = iterators_[PlaceOf(iterator)];
  return Variable(style_.short_iterators ? fmt::format("Index({})", name) : name);
}

Term OperatorCode::IndexTerm(const Index& index) {
  Term offset = Form(index.offset);
  if (index.iterator < 0) return offset;
  const Term iterator = IteratorTerm(index.iterator);
  if (index.coefficient < 0) return offset - Number(-index.coefficient) * iterator;
  return Number(index.coefficient) * iterator + offset;
}

std::string OperatorCode::Position(const graph::Array& array, const std::vector<Index>& indices,
                                   const std::vector<std::string>& mapped) {
  const bool any_mapped = std::any_of(mapped.begin(), mapped.end(),
                                      [](const std::string& text) { return !text.empty(); });
  if (!any_mapped && std::all_of(indices.begin(), indices.end(), IsNeighbour)) {
    return Neighbour(array, indices);
  }
  Term position = Number(0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (d > 0) position = position * Form(array.extents[d]);
    position = position + (mapped[d].empty() ? IndexTerm(indices[d]) : Variable(mapped[d]));
  }
  return position.text;
}

std::string OperatorCode::Neighbour(const graph::Array& array, const std::vector<Index>& indices) {
  std::vector<int> iterators;
  iterators.reserve(indices.size());
  for (const Index& index : indices) iterators.push_back(index.iterator);
  Term position = Variable(Centre(array, iterators));
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::int64_t offset = indices[d].offset.constant;
    if (offset == 0) continue;
    Term stride = Number(1);
    for (std::size_t inner = d + 1; inner < indices.size(); ++inner) {
      stride = stride * Form(array.extents[inner]);
    }
    position =
        offset > 0 ? position + Number(offset) * stride : position - Number(-offset) * stride;
  }
  return position.text;
}

std::string OperatorCode::Centre(const graph::Array& array, const std::vector<int>& iterators) {
  Term position = IteratorTerm(iterators.front());
  for (std::size_t d = 1; d < iterators.size(); ++d) {
    position = position * Form(array.extents[d]) + IteratorTerm(iterators[d]);
  }
  if (iterators.size() == 1) return position.text;
  const auto [at, is_new] = centres_.try_emplace(position.text, "");
  if (is_new) {
    at->second = scope_.Claim(centres_.size() == 1 ? "c" : fmt::format("c_{}", array.name));
    centre_lines_.push_back(fmt::format("const Index {} = {};", at->second, position.text));
  }
  return at->second;
}

}  // namespace stencilgen::codegen
