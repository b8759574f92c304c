#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernel/code.h"
#include "lower/band_space.h"

namespace stencilgen::lower::cpp {

/// The largest of a side's shifts.
std::int64_t MostOf(const std::vector<std::int64_t>& shifts);
/// The most that a launch's shifts along a side are together: what the sum of its coordinates has
/// besides twice the slope times the turn.
std::int64_t MostShift(const plan::BandSide& side);

/// The diamonds of a band (plan/time_band.h) as code: wavefronts one after the other, whose tiles
/// threads share.
///
/// Lines of equal u and of equal v are wherever so many tiles of a wavefront have equal parts of
/// the rows, to a row: line n where u or v, counted from the first row, is n * rows / tiles,
/// rounded down. So each thread has as much to do as the others where tiles are a multiple of them,
/// and what wraps around is a ring of tiles.
class Diamonds {
 public:
  /// Declares its variables in `names`. Requires: band and space outlive this.
  Diamonds(const plan::TimeBand& band, const BandSpace& space, NameScope& names);

  /// Arguments of the band's function: how many tiles a wavefront has, and threads.
  const kernel::VarRef& tiles() const { return tiles_; }
  const kernel::VarRef& threads() const { return threads_; }
  /// The first and the last turn of a tile.
  const kernel::VarRef& first_turn() const { return t_lo_; }
  const kernel::VarRef& last_turn() const { return t_hi_; }

  /// A drawing.
  std::vector<std::string> Comments() const;
  /// Places along the first iterator that all launches together have; one at least.
  kernel::Expr Rows() const;
  /// The loops over wavefronts and tiles of so many turns. `work`: points of a row; `fixed`:
  /// threads of the loop, 0 for all; `tile`: adds what a tile does.
  void Lower(kernel::Block& block, const kernel::Expr& turns, const kernel::Expr& work, int fixed,
             const std::function<void(kernel::Block&)>& tile) const;
  /// Of launch m in turn t, along the first iterator.
  BandSpace::Ends EndsOf(std::size_t m, const kernel::Expr& t) const;
  /// The least and the most of twice the place of any launch in a tile.
  std::array<kernel::Expr, 2> TwicePlaces() const;

 private:
  kernel::Expr LineOf(const kernel::Expr& number, bool rises) const;
  kernel::Expr FirstLeft() const;
  kernel::Expr Count(const kernel::Expr& first) const;
  void LowerWave(kernel::Block& block, const kernel::Expr& turns, const kernel::Expr& work,
                 int fixed, const std::function<void(kernel::Block&)>& tile) const;

  const plan::BandSide& side_;
  const BandSpace& space_;
  kernel::VarRef tiles_, threads_, rows_, wave_, left_lo_, count_, share_, place_, left_, right_;
  kernel::VarRef left_begin_, left_end_, right_begin_, right_end_, t_lo_, t_hi_;
};

}  // namespace stencilgen::lower::cpp
