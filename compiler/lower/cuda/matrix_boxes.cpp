#include "lower/cuda/matrix_boxes.h"

#include <algorithm>
#include <utility>

#include "lower/index_math.h"
#include "plan/matrix_tiles.h"

namespace stencilgen::lower::cuda {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::Number;
using kernel::Read;

/// The place of an element in its box.
Expr RowMajor(const plan::SharedBox& box, const std::vector<Expr>& places) {
  Expr position = Number(0);
  for (std::size_t d = 0; d < places.size(); ++d) {
    if (d > 0) position = position * Number(d + 1 < places.size() ? box.extents[d] : box.row);
    position = position + places[d];
  }
  return position;
}

/// Where the n-th element of a box is, by dimension.
std::vector<Expr> PlacesOf(const plan::SharedBox& box, const Expr& n, int elements) {
  std::vector<Expr> places(box.extents.size());
  int inner = 1;
  for (std::size_t d = box.extents.size(); d-- > 0;) {
    Expr place = inner == 1 ? n : kernel::Apply(BinaryOp::Div, n, Number(inner));
    inner *= box.extents[d];
    if (inner < elements) place = kernel::Apply(BinaryOp::Mod, place, Number(box.extents[d]));
    places[d] = box.extents[d] == 1 ? Number(0) : place;
  }
  return places;
}

}  // namespace

MatrixBoxes::MatrixBoxes(const ProgramModel& model, plan::KernelId kernel, NameScope& scope)
    : model_(model),
      op_(model.OperatorOf(kernel)),
      tile_(*model.plan().kernels[kernel].matrix),
      turn_(plan::TurnOfBoxes(model.graph(), tile_)) {
  for (const plan::SharedBox& box : tile_.boxes) {
    const graph::Array& array =
        model.graph().arrays[model.graph().versions[box.access.version].array];
    boxes_.push_back(kernel::MakeVar(scope.Claim(array.name + "_box"), kernel::TypeOf(array.type),
                                     kernel::Storage::Shared));
  }
  element_ = kernel::MakeVar(scope.Claim("element"), kernel::kInt);
}

bool MatrixBoxes::WalkAlong(int iterator) const {
  return std::any_of(tile_.boxes.begin(), tile_.boxes.end(), [&](const plan::SharedBox& box) {
    return std::any_of(box.access.indices.begin(), box.access.indices.end(),
                       [&](const graph::Index& index) { return index.iterator == iterator; });
  });
}

bool MatrixBoxes::HasTurn(const graph::Index& index) const {
  return std::any_of(index.offset.terms.begin(), index.offset.terms.end(),
                     [&](const auto& term) { return turn_.Valid() && term.first == turn_; });
}

const MatrixAxis* MatrixBoxes::AxisOf(const graph::Index& index,
                                      const std::vector<MatrixAxis>& axes) const {
  if (index.iterator < 0) return nullptr;
  const auto at = std::find(op_.iterators.begin(), op_.iterators.end(), index.iterator);
  return &axes[static_cast<std::size_t>(at - op_.iterators.begin())];
}

std::optional<Expr> MatrixBoxes::Find(const graph::Access& access,
                                      const std::vector<MatrixAxis>& axes,
                                      const MatrixTurns& turns) const {
  const plan::SharedBox* box = tile_.Find(access);
  if (box == nullptr) return std::nullopt;
  std::vector<Expr> places;
  for (const graph::Index& index : access.indices) {
    const MatrixAxis* axis = AxisOf(index, axes);
    Expr place = axis == nullptr ? Number(0) : Read(axis->place);
    if (HasTurn(index)) place = place + (Read(turns.turn) - Read(turns.first));
    places.push_back(std::move(place));
  }
  const auto k = static_cast<std::size_t>(box - tile_.boxes.data());
  return kernel::ElementAt(boxes_[k], RowMajor(*box, places));
}

void MatrixBoxes::Declare(Block& block) const {
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    block.Add(kernel::SharedStmt{boxes_[k], tile_.boxes[k].byte_offset, 0});
  }
}

void MatrixBoxes::Load(Block& block, const std::vector<MatrixAxis>& axes, const MatrixTurns& turns,
                       const Form& form, Uses& uses) const {
  Expr thread = Number(0);
  int threads = 1;
  for (const MatrixAxis& axis : axes) {
    threads *= axis.threads;
    if (axis.threads == 1) continue;
    thread = thread * Number(axis.threads) +
             kernel::GridPlace(kernel::PlaceExpr::What::Thread, axis.letter, kernel::kInt);
  }
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    const plan::SharedBox& box = tile_.boxes[k];
    int elements = 1;
    for (const int extent : box.extents) elements *= extent;
    const std::vector<Expr> places = PlacesOf(box, Read(element_), elements);
    const graph::Array& array =
        model_.graph().arrays[model_.graph().versions[box.access.version].array];
    Expr position = Number(0);
    for (std::size_t d = 0; d < places.size(); ++d) {
      if (d > 0) position = position * form(array.extents[d]);
      position = position + IndexOf(box.access.indices[d], places[d], axes, turns, form);
    }
    const plan::BufferId buffer = model_.plan().buffer_of[box.access.version.index];
    uses[buffer].read = true;
    ForStmt loop;
    loop.var = element_;
    loop.first = thread;
    loop.last = Number(elements);
    loop.below = true;
    loop.step = Number(threads);
    loop.body.Add(kernel::AssignStmt{kernel::ElementAt(boxes_[k], RowMajor(box, places)),
                                     AssignOp::Assign,
                                     kernel::ElementAt(model_.DeviceVar(buffer), position)});
    block.Add(std::move(loop));
  }
}

Expr MatrixBoxes::IndexOf(const graph::Index& index, const Expr& place,
                          const std::vector<MatrixAxis>& axes, const MatrixTurns& turns,
                          const Form& form) const {
  graph::LinearForm offset = index.offset;
  const MatrixAxis* axis = AxisOf(index, axes);
  const bool has_turn = HasTurn(index);
  if (has_turn) offset = offset - graph::LinearForm::Parameter(turn_);
  if (axis == nullptr && !has_turn) return form(offset);
  Expr at = place, last = Number(0);
  if (axis != nullptr) {
    at = Read(axis->first) + at;
    last = Read(axis->hi);
  }
  if (has_turn) {
    at = Read(turns.first) + at;
    last = last + turns.count - Number(1);
  }
  return LesserPosition(at, last) + form(offset);
}

}  // namespace stencilgen::lower::cuda
