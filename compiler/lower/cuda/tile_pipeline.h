#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "lower/cuda/tile_scope.h"

namespace stencilgen::lower::cuda {

/// The code of a pipeline in time (plan/time_pipeline.h): which stage a thread's warp is, and what
/// stages hand over. Without a pipeline nothing is lowered.
class TilePipeline {
 public:
  explicit TilePipeline(TileScope& scope);

  /// The slots of what is handed over, and where in them the thread's first point is.
  void Declare(kernel::Block& block) const;
  /// True of the stage that loads, and of that which stores; invalid where all threads do.
  kernel::Expr LoadsHere(int version) const;
  kernel::Expr StoresHere() const;
  /// What the stage before has handed over, into the version's newest plane.
  void TakeOver(kernel::Block& block, std::size_t hand_over) const;
  /// The newest plane of the store's version, to the next stage.
  void GiveOn(kernel::Block& block, std::size_t hand_over) const;
  /// True where the version comes straight to shared memory, a plane ahead: FillRow starts that.
  bool IsCopied(int version) const { return tile_.Ahead(version) > 0; }
  /// Starts the copies of a row of the version from memory, where `pointer` is at the thread's
  /// first point: the warp's lanes share it, neighbours next to each other. `inside`: the test of
  /// the coordinate along x, invalid where none is needed; `vectors`: rows may be moved as vectors.
  void FillRow(kernel::Block& block, int version, const kernel::VarRef& pointer,
               const std::function<kernel::Expr(const kernel::Expr&)>& inside,
               const kernel::VarRef& vectors) const;
  /// The slot that has been read is the next to be written.
  void RotateSlots(kernel::Block& block) const;

 private:
  /// Of a hand-over: its slots, the one to be written first, and the thread's place in them.
  struct Ring {
    std::vector<kernel::VarRef> slots;
    kernel::VarRef place;
    kernel::VarRef fill;  ///< where the lane's first elements of a row are that is copied
    int vector = 1;
  };
  std::int64_t ElementsOf(std::size_t hand_over) const;
  std::size_t HandOverOf(int version) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  std::vector<Ring> rings_;
};

}  // namespace stencilgen::lower::cuda
