#include "lower/cuda/tile_pipeline.h"

#include <algorithm>

#include <fmt/format.h>

#include "plan/time_pipeline.h"

namespace stencilgen::lower::cuda {

using kernel::Block;
using kernel::Expr;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

TilePipeline::TilePipeline(TileScope& scope) : scope_(scope), tile_(scope.tile()) {
  if (!tile_.pipeline) return;
  for (const plan::HandOver& each : tile_.pipeline->hand_overs) {
    const std::string& name = scope_.Registers(each.version, 0)->name;
    const kernel::Type type = kernel::TypeOf(scope_.TypeOf(each.version));
    Ring ring;
    ring.vector = plan::HandedVector(scope_.model().graph(), tile_, each);
    for (int slot = 0; slot < each.slots; ++slot) {
      ring.slots.push_back(kernel::MakeVar(scope_.Claim(fmt::format("{}_slot_{}", name, slot)),
                                           type, kernel::Storage::Shared));
    }
    ring.place = kernel::MakeVar(scope_.Claim(fmt::format("{}_place", name)), kernel::kInt);
    rings_.push_back(std::move(ring));
  }
}

/// Elements of all slots between two stages.
std::int64_t TilePipeline::ElementsOf(std::size_t hand_over) const {
  return tile_.pipeline->hand_overs[hand_over].slots * plan::HandedElements(tile_);
}

void TilePipeline::Declare(Block& block) const {
  if (!tile_.pipeline) return;
  block.Add(kernel::CommentStmt{fmt::format(
      "Each warp is a stage: it makes planes {} behind those of the stage before.",
      tile_.pipeline->shift)});
  for (std::size_t n = 0; n < rings_.size(); ++n) {
    const plan::HandOver& each = tile_.pipeline->hand_overs[n];
    for (int slot = 0; slot < each.slots; ++slot) {
      block.Add(kernel::SharedStmt{rings_[n].slots[static_cast<std::size_t>(slot)],
                                   each.byte_offset, slot * plan::HandedElements(tile_), true});
    }
    const Expr lane = kernel::GridPlace(kernel::PlaceExpr::What::Thread, 0, kernel::kInt);
    block.Add(kernel::LetStmt{rings_[n].place, Read(scope_.stage()) * Number(ElementsOf(n)) +
                                                   lane * Number(rings_[n].vector)});
  }
}

Expr TilePipeline::LoadsHere(int version) const {
  if (!tile_.pipeline) return {};
  const auto& handed = tile_.pipeline->hand_overs;
  const bool is_handed = std::any_of(handed.begin(), handed.end(), [&](const auto& each) {
    return each.version == version;
  });
  if (!is_handed) return {};
  return kernel::Apply(BinaryOp::Equal, Read(scope_.stage()), Number(0));
}

Expr TilePipeline::StoresHere() const {
  if (!tile_.pipeline) return {};
  return kernel::Apply(BinaryOp::Equal, Read(scope_.stage()) + Number(1), Read(scope_.stages()));
}

void TilePipeline::TakeOver(Block& block, std::size_t hand_over) const {
  const int version = tile_.pipeline->hand_overs[hand_over].version;
  const Ring& ring = rings_[hand_over];
  const VarRef& slot = ring.slots.back();
  const auto points = plan::PointsOf(tile_);
  kernel::IfStmt later{kernel::Apply(BinaryOp::Greater, Read(scope_.stage()), Number(0)), {}, {}};
  for (std::size_t first = 0; first < points.size(); first += static_cast<std::size_t>(ring.vector)) {
    const Expr place =
        Read(ring.place) +
        Number(plan::HandedPlace(tile_, ring.vector, static_cast<int>(first)) -
               ElementsOf(hand_over));
    if (ring.vector == 1) {
      later.then_block.Add(kernel::AssignStmt{scope_.Register(version, 0, points[first]),
                                              AssignOp::Assign, kernel::ElementAt(slot, place)});
      continue;
    }
    kernel::ScopeStmt scope;
    const VarRef values =
        kernel::MakeVar("values", slot->type, kernel::Storage::Registers, ring.vector);
    scope.body.Add(kernel::DeclareStmt{{values}, false});
    scope.body.Add(kernel::LoadVectorStmt{kernel::AddressAt(slot, place), values});
    for (int k = 0; k < ring.vector; ++k) {
      scope.body.Add(kernel::AssignStmt{
          scope_.Register(version, 0, points[first + static_cast<std::size_t>(k)]),
          AssignOp::Assign, kernel::ElementAt(values, Number(k))});
    }
    later.then_block.Add(std::move(scope));
  }
  block.Add(std::move(later));
}

void TilePipeline::GiveOn(Block& block, std::size_t hand_over) const {
  const plan::HandOver& each = tile_.pipeline->hand_overs[hand_over];
  const int version =
      tile_.Find(tile_.stores[static_cast<std::size_t>(each.store)].version);
  const Ring& ring = rings_[hand_over];
  const VarRef& slot = ring.slots.front();
  const auto points = plan::PointsOf(tile_);
  kernel::IfStmt earlier{kernel::Apply(BinaryOp::Less, Read(scope_.stage()) + Number(1),
                                       Read(scope_.stages())),
                         {},
                         {}};
  for (std::size_t first = 0; first < points.size(); first += static_cast<std::size_t>(ring.vector)) {
    const Expr place = Read(ring.place) + Number(plan::HandedPlace(tile_, ring.vector,
                                                                   static_cast<int>(first)));
    if (ring.vector == 1) {
      earlier.then_block.Add(kernel::AssignStmt{kernel::ElementAt(slot, place), AssignOp::Assign,
                                                scope_.Register(version, 0, points[first])});
      continue;
    }
    kernel::TableStmt values;
    values.var = kernel::MakeVar("values", slot->type, kernel::Storage::Registers, ring.vector);
    for (int k = 0; k < ring.vector; ++k) {
      values.values.push_back(
          scope_.Register(version, 0, points[first + static_cast<std::size_t>(k)]));
    }
    kernel::ScopeStmt scope;
    scope.body.Add(values);
    scope.body.Add(kernel::StoreVectorStmt{slot, place, values.var});
    earlier.then_block.Add(std::move(scope));
  }
  block.Add(std::move(earlier));
}

void TilePipeline::RotateSlots(Block& block) const {
  for (const Ring& ring : rings_) {
    const VarRef oldest =
        kernel::MakeVar("oldest", ring.slots.front()->type, kernel::Storage::Shared);
    kernel::ScopeStmt scope;
    scope.body.Add(kernel::LetStmt{oldest, Read(ring.slots.back())});
    for (std::size_t slot = ring.slots.size() - 1; slot > 0; --slot) {
      scope.body.Add(kernel::AssignStmt{Read(ring.slots[slot]), AssignOp::Assign,
                                        Read(ring.slots[slot - 1])});
    }
    scope.body.Add(
        kernel::AssignStmt{Read(ring.slots.front()), AssignOp::Assign, Read(oldest)});
    block.Add(std::move(scope));
  }
}

}  // namespace stencilgen::lower::cuda
