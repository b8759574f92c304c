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
  int pack = 0;           ///< vectors side by side in each operation; 0: as many as the machine has
                          ///< registers for
  std::vector<int> tile;  ///< points of a tile, by iterator; 0: not tiled. The first never is
  int threads = 0;        ///< of the outermost loop; 0: as OpenMP sees fit
};

/// A plain nest for operators of so many iterators.
LoopNest PlainNest(std::size_t iterators);

/// `vectors of 2x4 points in the order of trees, tiles of 32 along j`; `point by point`.
/// `iterators`: names of the nest's.
std::string ToString(const LoopNest& nest, const std::vector<std::string>& iterators);

/// What is wrong with the nest for so many operators with so many iterators each; empty for
/// nothing.
std::string Verify(const LoopNest& nest, std::size_t operators, std::size_t iterators);

}  // namespace stencilgen::plan
