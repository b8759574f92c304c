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
    if (tile_.pipeline->async) {
      ring.fill = kernel::MakeVar(scope_.Claim(fmt::format("{}_fill", name)), kernel::kInt);
    }
    rings_.push_back(std::move(ring));
  }
}

std::size_t TilePipeline::HandOverOf(int version) const {
  const auto& handed = tile_.pipeline->hand_overs;
  const auto at = std::find_if(handed.begin(), handed.end(),
                               [&](const auto& each) { return each.version == version; });
  return static_cast<std::size_t>(at - handed.begin());
}

/// Elements of all slots between two stages.
std::int64_t TilePipeline::ElementsOf(std::size_t hand_over) const {
  return tile_.pipeline->hand_overs[hand_over].slots * plan::HandedElements(tile_);
}

void TilePipeline::Declare(Block& block) const {
  if (!tile_.pipeline) return;
  block.Add(kernel::CommentStmt{
      fmt::format("Each warp is a stage: it makes planes {} behind those of the stage before.",
                  tile_.pipeline->shift)});
  for (std::size_t n = 0; n < rings_.size(); ++n) {
    const plan::HandOver& each = tile_.pipeline->hand_overs[n];
    for (int slot = 0; slot < each.slots; ++slot) {
      block.Add(kernel::SharedStmt{rings_[n].slots[static_cast<std::size_t>(slot)],
                                   each.byte_offset, slot * plan::HandedElements(tile_), true});
    }
    const Expr lane = kernel::GridPlace(kernel::PlaceExpr::What::Thread, 0, kernel::kInt);
    block.Add(kernel::LetStmt{rings_[n].place,
                              Read(scope_.stage()) * Number(ElementsOf(n)) +
                                  lane * Number(plan::HandedStride(tile_, rings_[n].vector))});
    if (rings_[n].fill != nullptr) {
      block.Add(kernel::LetStmt{rings_[n].fill, lane * Number(rings_[n].vector)});
    }
  }
}

Expr TilePipeline::LoadsHere(int version) const {
  if (!tile_.pipeline || HandOverOf(version) == rings_.size()) return {};
  return kernel::Apply(BinaryOp::Equal, Read(scope_.stage()), Number(0));
}

void TilePipeline::FillRow(Block& block, int version, const VarRef& pointer,
                           const std::function<Expr(const Expr&)>& inside,
                           const VarRef& vectors) const {
  const Ring& ring = rings_[HandOverOf(version)];
  const VarRef& slot = ring.slots.front();
  const Expr lane = kernel::GridPlace(kernel::PlaceExpr::What::Thread, 0, kernel::kInt);
  // The row begins so far before the thread's first point.
  const Expr before = lane * Number(tile_.Points());
  const auto copy = [&](Block& to, std::int64_t at, int elements) {
    to.Add(kernel::CopyAsyncStmt{kernel::AddressAt(slot, Read(ring.fill) + Number(at)),
                                 kernel::AddressAt(pointer, Read(ring.fill) - before + Number(at)),
                                 elements});
  };
  const std::int64_t turn = std::int64_t{tile_.warp} * ring.vector;
  const auto each = [&](Block& to) {
    for (std::int64_t first = 0; first < plan::HandedElements(tile_); first += turn) {
      for (int k = 0; k < ring.vector; ++k) {
        const Expr x = scope_.Coordinate(tile_.dimensions - 1, {0, 0, 0}) +
                       (Read(ring.fill) - before + Number(first + k));
        const Expr test = inside ? inside(x) : Expr();
        if (!test.Valid()) {
          copy(to, first + k, 1);
          continue;
        }
        kernel::IfStmt branch{test, {}, {}};
        copy(branch.then_block, first + k, 1);
        to.Add(std::move(branch));
      }
    }
  };
  if (inside || ring.vector == 1 || tile_.alignment == 1) return each(block);
  kernel::IfStmt vector{Read(vectors), {}, {}};
  for (std::int64_t first = 0; first < plan::HandedElements(tile_); first += turn) {
    copy(vector.then_block, first, ring.vector);
  }
  each(vector.else_block);
  block.Add(std::move(vector));
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
  // Without copies stage 0 has loaded its plane.
  const bool all = tile_.pipeline->async;
  const std::int64_t from = all ? 0 : -ElementsOf(hand_over);
  kernel::IfStmt later{kernel::Apply(BinaryOp::Greater, Read(scope_.stage()), Number(0)), {}, {}};
  for (std::size_t first = 0; first < points.size();
       first += static_cast<std::size_t>(ring.vector)) {
    const Expr place =
        Read(ring.place) +
        Number(plan::HandedPlace(tile_, ring.vector, static_cast<int>(first)) + from);
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
  if (all) return block.Append(later.then_block);
  block.Add(std::move(later));
}

void TilePipeline::GiveOn(Block& block, std::size_t hand_over) const {
  const plan::HandOver& each = tile_.pipeline->hand_overs[hand_over];
  const int version = tile_.Find(tile_.stores[static_cast<std::size_t>(each.store)].version);
  const Ring& ring = rings_[hand_over];
  const VarRef& slot = ring.slots.front();
  const auto points = plan::PointsOf(tile_);
  const std::int64_t to = tile_.pipeline->async ? ElementsOf(hand_over) : 0;
  kernel::IfStmt earlier{
      kernel::Apply(BinaryOp::Less, Read(scope_.stage()) + Number(1), Read(scope_.stages())),
      {},
      {}};
  for (std::size_t first = 0; first < points.size();
       first += static_cast<std::size_t>(ring.vector)) {
    const Expr place = Read(ring.place) +
                       Number(plan::HandedPlace(tile_, ring.vector, static_cast<int>(first)) + to);
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
      scope.body.Add(
          kernel::AssignStmt{Read(ring.slots[slot]), AssignOp::Assign, Read(ring.slots[slot - 1])});
    }
    scope.body.Add(kernel::AssignStmt{Read(ring.slots.front()), AssignOp::Assign, Read(oldest)});
    block.Add(std::move(scope));
  }
}

}  // namespace stencilgen::lower::cuda
