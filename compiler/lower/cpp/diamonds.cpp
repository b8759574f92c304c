#include "lower/cpp/diamonds.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lower/index_math.h"

namespace stencilgen::lower::cpp {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;

std::int64_t MostOf(const std::vector<std::int64_t>& shifts) {
  return shifts.empty() ? 0 : *std::max_element(shifts.begin(), shifts.end());
}

std::int64_t MostShift(const plan::BandSide& side) {
  std::int64_t most = 0;
  for (std::size_t m = 0; m < side.rise.size(); ++m) {
    most = std::max(most, side.rise[m] + side.fall[m]);
  }
  return most;
}

Diamonds::Diamonds(const plan::TimeBand& band, const BandSpace& space, NameScope& names)
    : side_(band.outer), space_(space) {
  for (const auto& [var, wish] :
       {std::pair(&tiles_, "tiles"), std::pair(&threads_, "threads"), std::pair(&rows_, "rows"),
        std::pair(&wave_, "wave"), std::pair(&left_lo_, "left_lo"), std::pair(&count_, "count"),
        std::pair(&share_, "share"), std::pair(&place_, "place"), std::pair(&left_, "left"),
        std::pair(&right_, "right"), std::pair(&left_begin_, "left_begin"),
        std::pair(&left_end_, "left_end"), std::pair(&right_begin_, "right_begin"),
        std::pair(&right_end_, "right_end"), std::pair(&t_lo_, "t_lo"),
        std::pair(&t_hi_, "t_hi")}) {
    *var = kernel::MakeVar(names.Claim(wish), kernel::kIndex);
  }
}

std::vector<std::string> Diamonds::Comments() const {
  const std::string x = space_.IteratorName(0);
  const std::string grown = side_.slope == 1 ? "t" : fmt::format("{} t", side_.slope);
  return {
      "    t                 Tile (left, right) has the points with",
      fmt::format(R"(    |  /\    /\    /\     line(left) <= {} + row < line(left + 1),)", grown),
      fmt::format(R"(    | /  \  /  \  /  \    line(right) <= {} - row < line(right + 1).)", grown),
      R"(    |/    \/    \/    \   Those of one wavefront, left + right, need nothing of each)",
      fmt::format("    +----------------- {}   other; a launch's points may be shifted.", x),
      "",
      fmt::format("Rows are {} from its first on; line(n) is n * rows / tiles, so that tiles have",
                  x),
      "equal parts. Threads begin in shares of their own: neighbours have lines in common."};
}

Expr Diamonds::Rows() const {
  return space_.GoesAround(0) ? space_.Places(0) : Largest({Number(1), space_.Places(0)});
}

/// Where a line that rises or falls towards the end of the first iterator crosses it in turn 0: of
/// right tiles or of left ones.
Expr Diamonds::LineOf(const Expr& number, bool rises) const {
  const Expr line = FloorDiv(number * Read(rows_), Read(tiles_));
  const Expr first = space_.FirstOf(0);
  return rises ? line - first : line + first;
}

// Point (u, v) is in tiles left and right with
//   left * rows < (u + 1) * tiles <= left * rows + rows,
//   right * rows < (v + 1) * tiles <= right * rows + rows.
// So the sum of both is less than (u + v + 2) * tiles / rows, where u + v is 2 * slope * t and the
// launch's shifts; and twice the left one is the wavefront's number and left - right, which follows
// likewise from u - v: that is 0 for the first row, but for shifts, and 2 * (rows - 1) for the
// last.

/// The first left tile of a wavefront: in a ring, which may begin anywhere, one about the first
/// row.
Expr Diamonds::FirstLeft() const {
  if (space_.GoesAround(0)) return CeilDiv(Read(wave_), Number(2));
  const Expr before = Number(MostOf(side_.fall)) * Read(tiles_);
  return CeilDiv(Read(wave_) * Read(rows_) - before - Read(rows_) + Number(1),
                 Number(2) * Read(rows_));
}

/// How many tiles a wavefront has from that one on.
Expr Diamonds::Count(const Expr& first) const {
  if (space_.GoesAround(0)) return Read(tiles_);
  const Expr twice = Number(2) * Read(rows_);
  const Expr after = (twice - Number(2) + Number(MostOf(side_.rise))) * Read(tiles_);
  const Expr last = FloorDiv(Read(wave_) * Read(rows_) + after + Read(rows_) - Number(1), twice);
  return last - first + Number(1);
}

void Diamonds::LowerWave(Block& block, const Expr& turns, const Expr& work, int fixed,
                         const std::function<void(Block&)>& tile) const {
  block.Add(LetStmt{left_lo_, FirstLeft()});
  block.Add(LetStmt{count_, Count(Read(left_lo_))});
  block.Add(LetStmt{share_, kernel::Apply(BinaryOp::Div, Read(count_), Read(threads_))});
  ForStmt tiles;
  tiles.var = place_;
  tiles.first = Number(0);
  tiles.last = Read(count_);
  tiles.below = true;
  tiles.kind = kernel::LoopKind::Parallel;
  tiles.uneven = true;  // some are cut off where the domain ends
  tiles.threads = fixed;
  tiles.work = Read(rows_) * work;
  // A thread takes the next tile when it is free; those that shares leave come last.
  const Expr in_share = kernel::Apply(BinaryOp::Mod, Read(place_), Read(threads_)) * Read(share_) +
                        kernel::Apply(BinaryOp::Div, Read(place_), Read(threads_));
  const Expr shared = kernel::Apply(BinaryOp::Less, Read(place_), Read(share_) * Read(threads_));
  tiles.body.Add(LetStmt{left_, Read(left_lo_) + kernel::Choose(shared, in_share, Read(place_))});
  tiles.body.Add(LetStmt{right_, Read(wave_) - Read(left_)});
  tiles.body.Add(LetStmt{left_begin_, LineOf(Read(left_), false)});
  tiles.body.Add(LetStmt{left_end_, LineOf(Read(left_) + Number(1), false)});
  tiles.body.Add(LetStmt{right_begin_, LineOf(Read(right_), true)});
  tiles.body.Add(LetStmt{right_end_, LineOf(Read(right_) + Number(1), true)});
  const Expr grown = Number(2 * side_.slope);
  const Expr begin = Read(left_begin_) + Read(right_begin_) - Number(MostShift(side_));
  const Expr end = Read(left_end_) + Read(right_end_) - Number(2);
  tiles.body.Add(LetStmt{t_lo_, Largest({Number(0), CeilDiv(begin, grown)})});
  tiles.body.Add(LetStmt{t_hi_, Least({turns - Number(1), FloorDiv(end, grown)})});
  tile(tiles.body);
  block.Add(std::move(tiles));
}

void Diamonds::Lower(Block& block, const Expr& turns, const Expr& work, int fixed,
                     const std::function<void(Block&)>& tile) const {
  block.Add(LetStmt{rows_, Rows()});
  ForStmt waves;
  waves.var = wave_;
  waves.first = Number(-1);
  const Expr sum = Number(2 * side_.slope) * (turns - Number(1)) + Number(MostShift(side_) + 2);
  waves.last = FloorDiv(sum * Read(tiles_) - Number(2), Read(rows_));
  LowerWave(waves.body, turns, work, fixed, tile);
  block.Add(std::move(waves));
}

BandSpace::Ends Diamonds::EndsOf(std::size_t m, const Expr& t) const {
  const Expr grown = Number(side_.slope) * t;
  const Expr rise = grown + Number(side_.rise[m]);
  const Expr fall = grown + Number(side_.fall[m]);
  return {{Read(left_begin_) - rise, fall - Read(right_end_) + Number(1)},
          {Read(left_end_) - Number(1) - rise, fall - Read(right_begin_)}};
}

std::array<Expr, 2> Diamonds::TwicePlaces() const {
  // Twice a point's place is u - v - rise + fall.
  std::vector<std::int64_t> skews;
  for (std::size_t m = 0; m < side_.rise.size(); ++m) {
    skews.push_back(side_.fall[m] - side_.rise[m]);
  }
  const auto [least, most] = std::minmax_element(skews.begin(), skews.end());
  return {Read(left_begin_) - Read(right_end_) + Number(*least + 1),
          Read(left_end_) - Read(right_begin_) + Number(*most - 1)};
}

}  // namespace stencilgen::lower::cpp
