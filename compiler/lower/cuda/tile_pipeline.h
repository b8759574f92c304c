#pragma once

#include <cstddef>
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
  /// The slot that has been read is the next to be written.
  void RotateSlots(kernel::Block& block) const;

 private:
  /// Of a hand-over: its slots, the one to be written first, and the thread's place in them.
  struct Ring {
    std::vector<kernel::VarRef> slots;
    kernel::VarRef place;
    int vector = 1;
  };
  std::int64_t ElementsOf(std::size_t hand_over) const;

  TileScope& scope_;
  const plan::Tile& tile_;
  std::vector<Ring> rings_;
};

}  // namespace stencilgen::lower::cuda
