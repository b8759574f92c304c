#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/code.h"
#include "kernel/launch.h"
#include "lower/band_space.h"
#include "lower/cuda/hexagon_ranges.h"
#include "lower/operator_code.h"
#include "plan/hexagon.h"

namespace stencilgen::lower::cuda {

/// Where a hexagon's tile is, and what it holds in shared memory (plan/hexagon.h). Threads run
/// along the last iterator, x, and the one before it, y.
class HexagonBoxes {
 public:
  /// `phase`: the number of the launch. Requires: all but `names` outlive it.
  HexagonBoxes(const ProgramModel& model, const plan::Repeat& repeat, const BandSpace& space,
               const HexagonRanges& ranges, NameScope& names, kernel::VarRef phase);

  /// Where the tile begins, from which its rows count; where the strip along the n-th iterator
  /// begins in the tile's first turn.
  const kernel::VarRef& base() const { return base_; }
  const kernel::VarRef& strip(std::size_t n) const { return strips_[n]; }
  /// What loops along the n-th iterator count with.
  const kernel::VarRef& at(std::size_t n) const { return at_[n]; }
  std::int64_t SharedBytes() const { return storage_.bytes; }

  /// A range of as many elements as there are tiles, PitchOf each.
  kernel::LaunchRange Tiles(std::string name) const;
  /// Declares the tile's place and its boxes.
  void Declare(kernel::Block& block) const;

  /// The loop over strips along the n-th iterator, which begins with where the strip does.
  kernel::ForStmt OverStrips(kernel::Block& before, std::size_t n) const;

  /// All threads load what the strip uses and no strip before it, or store what no strip after it
  /// writes.
  void Load(kernel::Block& block) const;
  void Store(kernel::Block& block) const;
  /// Parameters that this needs.
  std::set<graph::ParameterId> Parameters() const;

  /// The element of a box; empty where the memory is in none. `memory`: the buffer that has it in
  /// turn 0.
  std::optional<kernel::Expr> Find(plan::BufferId memory,
                                   const std::vector<kernel::Expr>& indices) const;

  /// The loop of a thread's places along the n-th iterator.
  kernel::Block OverPlaces(std::size_t n, const kernel::VarRef& at, const kernel::Expr& lo,
                           const kernel::Expr& hi, kernel::Block body) const;
  int ThreadsAlong(std::size_t n) const;
  /// Requires: there are several.
  kernel::Expr ThreadAlong(std::size_t n) const;

  /// Counts the boxes' memory as used.
  void AddUses(OperatorCode::Uses& uses) const;

 private:
  bool IsLast(std::size_t n) const { return n + 1 == space_.Rank(); }
  std::int64_t Width(std::size_t n) const { return band_.hexagon->strips[n - 1].width; }
  BandSpace::Ends LoadedAlong(const plan::HexagonBox& box, std::size_t n) const;
  BandSpace::Ends StoredAlong(std::size_t n) const;
  void Move(kernel::Block& block, std::size_t number, bool stores) const;

  const ProgramModel& model_;
  const BandSpace& space_;
  const HexagonRanges& ranges_;
  const plan::TimeBand& band_;
  plan::HexagonStorage storage_;
  std::string value_;  ///< a free name
  kernel::VarRef phase_, base_;
  std::vector<kernel::VarRef> numbers_, strips_, firsts_, lasts_, at_, lo_, hi_;  ///< by iterator
  std::vector<kernel::VarRef> boxes_;                                             ///< by box
};

}  // namespace stencilgen::lower::cuda
