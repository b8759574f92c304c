#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/code.h"
#include "stencilgen/chunks.hpp"

/// How the host starts a kernel of a grid: what it computes from the program's sizes, the grid, and
/// the arguments.
namespace stencilgen::kernel {

/// Positions from `first` to `last`; none where `condition` is valid and fails. Or the smallest
/// range with all of some ranges before it.
struct LaunchRange {
  std::string name;  ///< unique among the launch's ranges and values
  Expr first, last, condition = {};
  std::vector<std::size_t> hull = {};
  VarRef lo = nullptr, hi = nullptr;  ///< the arguments with its ends; null where it has none
};

/// A number that follows from a range.
struct LaunchValue {
  enum class Kind : std::uint8_t {
    Chunk,  ///< points that a block walks along a stream: `points`, or all of the range where that
            ///< is 0; more where the grid's axis would not reach the end
    FittedChunk,  ///< the same, chosen by what chunks cost and how many blocks the device runs
    Start,  ///< where the first tile begins: `before` after a multiple of `points`, so that it
            ///< covers the range
    Tiles   ///< of `points` each that cover the range from its beginning, or from `start` on, but
            ///< for `spared` points, which the first and the last cover besides; at least one
  };
  Kind kind = Kind::Tiles;
  VarRef var;
  std::size_t range = 0;
  std::int64_t points = 1;
  std::int64_t before = 0;
  VarRef start = nullptr;
  std::int64_t spared = 0;
  VarRef chunk = nullptr;  ///< Tiles: a chunk's number instead of `points`
  ChunkCosts costs = {};   ///< FittedChunk
};

/// The blocks along an axis: so many points of a range each, or of a chunk's number.
struct GridAxis {
  std::size_t range = 0;
  std::int64_t points = 1;
  VarRef chunk = nullptr;  ///< instead of `points`
};

/// Elements of an array, so many, move at once, where the array and its rows begin at multiples.
struct RowAlignment {
  VarRef array;
  int elements = 1;
  int bytes = 8;
  Expr row;  ///< elements of a row; invalid where it is the only one
};

struct Launch {
  std::string name;      ///< of the function that starts the kernel
  std::string function;  ///< the kernel
  Expr condition;        ///< nothing is computed where it fails; invalid: always holds
  std::vector<LaunchRange> ranges;
  std::vector<std::size_t> covered;  ///< ranges without whose points nothing is computed
  bool short_coordinates = false;    ///< ranges must fit 32-bit coordinates
  bool adds_coordinates = false;     ///< so must sums of two of them
  std::vector<LaunchValue> values;
  /// The grid: axes, x first, which are clamped to what a grid may have; or the product of values,
  /// all along x.
  std::vector<GridAxis> axes;
  std::vector<VarRef> tiles;
  std::vector<int> threads = {1};  ///< of a block, x first; 1 along the axes that are not there
  std::int64_t shared_bytes = 0;
  /// Where the kernel may move rows as vectors: what must hold for that.
  std::optional<std::vector<RowAlignment>> vectors;
  /// Of a function with either index: shapes that hold all its positions. Where these and the
  /// ranges fit 32 bits, the function with an `Index` of those is started. Empty: there is one
  /// function.
  std::vector<std::vector<Expr>> shapes;
  std::vector<VarRef> arguments;  ///< as the function has them
};

/// The host chooses the length of chunks.
bool HasFittedChunks(const Launch& launch);

/// A kernel of a grid, and how it is started.
struct LaunchedKernel {
  Function function;
  Launch launch;
};

}  // namespace stencilgen::kernel
