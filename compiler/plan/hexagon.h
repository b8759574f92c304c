#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "plan/plan.h"

/// Hexagonal tiles of a band on a GPU: Grosser, Verdoolaege, Cohen, Sadayappan, *The promises of
/// hybrid hexagonal/classical tiling for GPU*, INRIA RR-8339, 2013, section 3. A launch runs tiles
/// side by side, each a block's:
///
///     t |  \______/  \______/  \____     half h: tiles of launch h shrink in it, then those of
///       |  /      \  /      \  /         launch h + 1, which lie between them, grow
///       |_/________\/________\/_____ x
///
/// A tile grows for `half` turns and shrinks for as many, so that nothing is computed twice. Turn
/// `turn` of a half, launch m of the loop's body: in a tile that shrinks the points with
/// slope turn + x + rise[m] < base + Widest and slope turn - x + fall[m] <= -base, in one that
/// grows what those beside it leave. As neither side falls along a dependence, a tile needs of
/// tiles beside it only what earlier launches made. Along the other iterators a block walks
/// parallelograms, one after the other.
///
/// What the tile reads and writes is in shared memory: along the first iterator all its rows, along
/// the last a window that moves with the parallelograms, in which an element keeps its place, so
/// that each is loaded once; along the one between what a parallelogram needs.
namespace stencilgen::plan {

/// Elements from the first to the last.
struct ElementRange {
  std::int64_t first = 0, last = -1;
  std::int64_t size() const { return last - first + 1; }
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

/// Memory that tiles hold in shared memory.
struct HexagonBox {
  BufferId buffer;       ///< that has the memory in turn 0
  bool written = false;  ///< then it goes back
  ElementRange rows;     ///< that are loaded, from the tile's base
  std::int64_t byte_offset = 0;
};

/// What tiles hold.
struct HexagonStorage {
  std::vector<HexagonBox> boxes;
  ElementRange stored;  ///< rows, from the tile's base, that go back
  /// By iterator after the first: elements that a strip's turns use, and those that they write,
  /// from the strip's beginning in the tile's first turn.
  std::vector<ElementRange> used, written;
  /// By iterator after the first: elements in shared memory; the last a power of two.
  std::vector<std::int64_t> extents;
  std::int64_t bytes = 0;
};

/// Rows of launch m in a turn of the half in which a tile grows, or shrinks; from its base.
/// Requires: the band has a hexagon; the others too.
ElementRange GrowingRows(const TimeBand& band, std::size_t launch, std::int64_t turn);
ElementRange ShrinkingRows(const TimeBand& band, std::size_t launch, std::int64_t turn);
/// All rows that a tile computes.
ElementRange RowsOf(const TimeBand& band);
/// Rows of the widest turn of a tile that shrinks, and from tile to tile of a launch: even.
std::int64_t WidestOf(const TimeBand& band);
std::int64_t PitchOf(const TimeBand& band);

HexagonStorage StorageOf(const Plan& plan, const Repeat& repeat);

/// How large tiles are.
struct HexagonSize {
  int half = 4;
  std::int64_t width = 8;
  std::vector<std::int64_t> strips;  ///< by further iterator
  std::array<int, 2> block = {32, 8};
};

/// The band of the loop in hexagons, as wide as asked for or as they must be; or why it has none.
/// Requires: a plan for a GPU, without tiles and streams in the loop.
std::variant<TimeBand, std::string> FindHexagon(const Plan& plan, const Repeat& repeat,
                                                const HexagonSize& size, std::int64_t shared_limit);

/// Kernels whose turns are all in hexagons; they are launched nowhere else.
std::set<KernelId> KernelsInHexagons(const Plan& plan);

/// What is wrong with the hexagons of the loop's band, besides what VerifyTimeBand says.
std::vector<std::string> VerifyHexagon(const Plan& plan, const Repeat& repeat);

}  // namespace stencilgen::plan
