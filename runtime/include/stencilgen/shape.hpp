#ifndef STENCILGEN_SHAPE_HPP
#define STENCILGEN_SHAPE_HPP

#include <cstddef>
#include <cstdint>

#include "stencilgen/math.hpp"

namespace stencilgen {

/// The integers from lo to hi.
struct Range {
  long long lo = 0;
  long long hi = -1;

  STENCILGEN_HOST_DEVICE bool Empty() const { return hi < lo; }
  STENCILGEN_HOST_DEVICE long long size() const { return hi < lo ? 0 : hi - lo + 1; }
};

/// The smallest range with all of both.
inline Range Hull(const Range& a, const Range& b) {
  if (a.Empty()) return b;
  if (b.Empty()) return a;
  return {a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/// Dimensions of an array, at most: of space, and one for components or time.
constexpr int kDimensions = 4;

/// Extents of an array, outermost first, filled up with ones in front.
struct Shape {
  long long extent[kDimensions] = {1, 1, 1, 1};

  explicit Shape(long long x) : extent{1, 1, 1, x} {}
  Shape(long long y, long long x) : extent{1, 1, y, x} {}
  Shape(long long z, long long y, long long x) : extent{1, z, y, x} {}
  Shape(long long w, long long z, long long y, long long x) : extent{w, z, y, x} {}

  /// False where no memory could hold an array of elements of that size.
  bool Fits(std::size_t element_size) const {
    return HasAtMost(static_cast<std::size_t>(PTRDIFF_MAX) / element_size);
  }
  /// True where an array has so many elements, or fewer.
  bool HasAtMost(std::size_t elements) const {
    std::size_t left = elements;
    for (const long long n : extent) {
      if (n <= 0) return true;
    }
    for (const long long n : extent) {
      if (static_cast<unsigned long long>(n) > left) return false;
      left /= static_cast<std::size_t>(n);
    }
    return true;
  }
  /// Bytes of such an array. Requires: Fits(element_size).
  std::size_t Bytes(std::size_t element_size) const {
    std::size_t bytes = element_size;
    for (const long long n : extent) bytes *= n > 0 ? static_cast<std::size_t>(n) : 0;
    return bytes;
  }
};

/// The n-th of equal parts of an array, counted from 0, each of the shape.
template <typename T>
T* Part(T* array, std::size_t n, const Shape& shape) {
  return array + n * shape.Bytes(1);
}

/// A box of points, outermost dimension first, filled up with [0, 0] in front.
struct Box {
  Range range[kDimensions] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};

  Box() = default;
  explicit Box(Range x) : range{{0, 0}, {0, 0}, {0, 0}, x} {}
  Box(Range y, Range x) : range{{0, 0}, {0, 0}, y, x} {}
  Box(Range z, Range y, Range x) : range{{0, 0}, z, y, x} {}
  Box(Range w, Range z, Range y, Range x) : range{w, z, y, x} {}

  STENCILGEN_HOST_DEVICE bool Empty() const {
    return range[0].Empty() || range[1].Empty() || range[2].Empty() || range[3].Empty();
  }
  STENCILGEN_HOST_DEVICE long long size() const {
    return range[0].size() * range[1].size() * range[2].size() * range[3].size();
  }
};

/// The points of a shape outside a box, as two boxes a dimension of which some may be empty.
struct Outside {
  Box slab[2 * kDimensions];

  Outside(const Shape& shape, const Box& inside) {
    Box rest;
    Box clipped = inside;
    for (int d = 0; d < kDimensions; ++d) {
      const long long last = shape.extent[d] - 1;
      rest.range[d] = {0, last};
      if (clipped.range[d].lo < 0) clipped.range[d].lo = 0;
      if (clipped.range[d].hi > last) clipped.range[d].hi = last;
    }
    if (clipped.Empty()) {
      for (Box& box : slab) box.range[kDimensions - 1] = {0, -1};
      slab[0] = rest;
      return;
    }
    Box* next = slab;
    for (int d = 0; d < kDimensions; ++d) {
      Box& below = *next++;
      below = rest;
      below.range[d].hi = clipped.range[d].lo - 1;
      Box& above = *next++;
      above = rest;
      above.range[d].lo = clipped.range[d].hi + 1;
      rest.range[d] = clipped.range[d];
    }
  }
};

/// Where an array must be and where its contents are.
struct Move {
  void* home;
  const void* contents;
  std::size_t bytes;
};

/// Brings every array home, whatever permutation they are in. `copy(to, from, bytes)` and
/// `allocate(bytes)`, for the one array of a cycle that must step aside, are false and null when
/// they fail.
template <typename Copy, typename Allocate>
bool MoveHome(Move* moves, int count, Copy copy, Allocate allocate) {
  const auto pending = [&](int k) { return moves[k].home != moves[k].contents; };
  for (;;) {
    int blocked = -1;
    bool moved = false;
    for (int k = 0; k < count; ++k) {
      if (!pending(k)) continue;
      bool needed = false;
      for (int other = 0; other < count; ++other) {
        needed = needed || (other != k && pending(other) && moves[other].contents == moves[k].home);
      }
      if (needed) {
        blocked = k;
        continue;
      }
      if (!copy(moves[k].home, moves[k].contents, moves[k].bytes)) return false;
      moves[k].contents = moves[k].home;
      moved = true;
    }
    if (blocked < 0) return true;
    if (moved) continue;
    void* aside = allocate(moves[blocked].bytes);
    if (aside == nullptr || !copy(aside, moves[blocked].home, moves[blocked].bytes)) return false;
    for (int k = 0; k < count; ++k) {
      if (pending(k) && moves[k].contents == moves[blocked].home) moves[k].contents = aside;
    }
  }
}

}  // namespace stencilgen

#endif  // STENCILGEN_SHAPE_HPP
