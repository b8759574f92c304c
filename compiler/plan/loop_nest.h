#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stencilgen::plan {

/// The order of the operations of a turn in vectors: the program's, or that of a scheduler
/// (passes::Reorder).
enum class NestOrder : std::uint8_t { Program, Trees, Lars, LarsRows, LarsCoefficients };

/// How a kernel runs on a CPU: a nest of loops over its points, of which threads share the
/// outermost. By iterator means of its operators, outermost first.
struct LoopNest {
  std::vector<int> points;  ///< of a turn, by iterator
  /// In vectors along the last iterator, in an order of their own; else compilers make vectors of
  /// the innermost loop as they see fit.
  bool vectors = false;
  NestOrder order = NestOrder::Program;  ///< of a turn in vectors
  int pack = 0;  ///< vectors side by side in each operation; 0: as many as the machine has
                 ///< registers for
  /// Points of a tile, by iterator; 0: not tiled, kTileByCache: as many as a core's cache holds
  /// until they are read again, which is found out when the code runs. The first never is.
  std::vector<int> tile;
  /// Of a tile by the cache, for an element along the last iterator: bytes of one row of it in all
  /// planes that are read again, of the rows around it, and the most planes of an array. One plane:
  /// the last level of caches is as good as the core's own.
  int row_bytes = 0, rim_bytes = 0, planes = 0;
  /// Where arrays are larger than the caches, lines of results go past these: they are not read
  /// before they are written.
  bool past_caches = false;
  /// In tiles of several turns, whose rows are in caches: vectors along the last iterator stay in
  /// registers while points beside them are computed, and shifts make neighbours of them.
  bool shifts = false;
  int threads = 0;  ///< of the outermost loop; 0: as OpenMP sees fit
};

inline constexpr int kTileByCache = -1;

/// A plain nest for operators of so many iterators.
LoopNest PlainNest(std::size_t iterators);

/// `vectors of 2x4 points in the order of trees, tiles of 32 along j`; `point by point`.
/// `iterators`: names of the nest's.
std::string ToString(const LoopNest& nest, const std::vector<std::string>& iterators);

/// What is wrong with the nest for so many operators with so many iterators each; empty for
/// nothing.
std::string Verify(const LoopNest& nest, std::size_t operators, std::size_t iterators);

}  // namespace stencilgen::plan
