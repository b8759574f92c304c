#ifndef STENCILGEN_PROGRAM_HPP
#define STENCILGEN_PROGRAM_HPP

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "stencilgen/error.hpp"

// What the classes of generated headers share. C++11 and later; no CUDA.

namespace stencilgen {

/// Extents and strides of an array, in elements, outermost dimension first.
struct ArrayShape {
  int rank = 0;
  long long extent[4] = {1, 1, 1, 1};
  long long stride[4] = {1, 1, 1, 1};

  /// Number of elements.
  long long size() const { return extent[0] * extent[1] * extent[2] * extent[3]; }
};

/// Elements in memory of another layout than the program's: one stride for each dimension, in
/// elements, outermost first. An array of rows that are `pitch` bytes apart has strides
/// {pitch / sizeof(T), 1}.
template <typename T>
struct View {
  T* data = nullptr;
  int rank = 0;
  long long stride[4] = {1, 1, 1, 1};

  View(T* first, std::initializer_list<long long> strides) : data(first) {
    for (const long long s : strides) {
      if (rank < 4) stride[rank] = s;
      ++rank;
    }
  }
};

/// Names a type for std::span, std::vector and others that have their elements in a row.
template <typename Span>
using IfSpan = decltype(std::declval<Span&>().data() + std::declval<Span&>().size());

/// Throws where a view or a span does not fit an array.
inline void RequireRank(const char* name, int rank, int given) {
  if (rank == given) return;
  throw Error("array " + std::string(name) + " has " + std::to_string(rank) +
              " dimensions, but the view has " + std::to_string(given));
}
inline void RequireSize(const char* name, long long size, std::size_t given) {
  if (static_cast<unsigned long long>(size) == given) return;
  throw Error("array " + std::string(name) + " has " + std::to_string(size) +
              " elements, but the span has " + std::to_string(given));
}

}  // namespace stencilgen

#endif  // STENCILGEN_PROGRAM_HPP
