#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// What overlapped tiles should move, by the formulas of the literature and nothing of the
/// compiler: Rawat, Table 3.1, with what the table leaves out: blocks at the edge of an array load
/// only what there is of it.
namespace stencilgen::testing {

/// By dimension, outermost first; a program of two dimensions has only the last two.
using Extents = std::array<std::int64_t, 3>;

/// Points of a box that an array has and an operator leaves out, at either end.
struct Margins {
  Extents lo = {0, 0, 0}, hi = {0, 0, 0};
};

/// An array that a launch reads.
struct Read {
  Extents before, after;       ///< points around those that a block stores
  bool computed_only = false;  ///< of the points that are computed, none that keeps its value
};

/// What `steps` fused steps of a program of suite A read and write.
struct Moved {
  std::int64_t halo = 0;  ///< of the tile, at each side of each dimension
  Margins grid;           ///< of all points that are stored
  std::vector<Read> reads;
  std::vector<Margins> stored;  ///< of each array that is stored
};

/// Requires: a time-iterated program of suite A.
Moved MovedBy(const std::string& program, int steps);

struct Traffic {
  std::int64_t loads = 0, stores = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// How blocks cut the points: elements of a tile, halo included; the outermost dimension may be
/// walked along instead, from end to end.
struct Cut {
  Extents tile = {1, 1, 1};
  bool streamed = false;
};

/// Elements that the blocks of one launch load and store.
Traffic TrafficOfLaunch(const Moved& moved, const Cut& cut, const Extents& size);

/// Elements that lie outside what the launch stores: copied once to the array it writes.
std::int64_t Outside(const Moved& moved, const Extents& size);

}  // namespace stencilgen::testing
