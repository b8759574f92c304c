#ifndef STENCILGEN_BOX_HPP
#define STENCILGEN_BOX_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

/// Boxes of the elements of arrays that ranks share.
namespace stencilgen::mpi {

/// A dimension of an array: along an axis of the grid, or of `points` elements on each rank.
struct Dimension {
  int axis = -1;
  long long points = 0;  ///< of the whole array
  long long excess = 0;  ///< elements more than the axis has points
};

/// An array of the program.
struct FieldShape {
  const char* name = "";
  std::size_t element_bytes = 8;
  std::vector<Dimension> dimensions;
};

/// A box of an array's elements, by dimension.
struct Box {
  std::vector<long long> first, end;
  long long Elements() const {
    long long elements = 1;
    for (std::size_t d = 0; d < first.size(); ++d) {
      elements *= std::max(0LL, end[d] - first[d]);
    }
    return elements;
  }
};

/// Copies the box of an array of that shape to `packed`, row after row, or back.
inline void CopyBox(char* array, const std::vector<long long>& shape, const Box& box,
                    std::size_t element_bytes, char* packed, bool pack) {
  if (box.Elements() == 0) return;
  const std::size_t last = shape.size() - 1;
  const std::size_t row = static_cast<std::size_t>(box.end[last] - box.first[last]) * element_bytes;
  std::vector<long long> at = box.first;
  for (;;) {
    long long position = 0;
    for (std::size_t d = 0; d <= last; ++d) position = position * shape[d] + at[d];
    char* const elements = array + static_cast<std::size_t>(position) * element_bytes;
    if (pack) {
      std::memcpy(packed, elements, row);
    } else {
      std::memcpy(elements, packed, row);
    }
    packed += row;
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == box.end[d - 1]) {
      at[d - 1] = box.first[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

/// Copies a box of one array to a box of another one, of as many elements along each dimension, or
/// back.
inline void CopyBetween(char* array, const std::vector<long long>& shape, const Box& box,
                        char* other, const std::vector<long long>& other_shape,
                        const Box& other_box, std::size_t element_bytes, bool to_other) {
  if (box.Elements() == 0) return;
  const std::size_t last = shape.size() - 1;
  const std::size_t row = static_cast<std::size_t>(box.end[last] - box.first[last]) * element_bytes;
  std::vector<long long> at = box.first;
  for (;;) {
    long long position = 0;
    long long other_position = 0;
    for (std::size_t d = 0; d <= last; ++d) {
      position = position * shape[d] + at[d];
      other_position = other_position * other_shape[d] + at[d] - box.first[d] + other_box.first[d];
    }
    char* const elements = array + static_cast<std::size_t>(position) * element_bytes;
    char* const others = other + static_cast<std::size_t>(other_position) * element_bytes;
    std::memcpy(to_other ? others : elements, to_other ? elements : others, row);
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == box.end[d - 1]) {
      at[d - 1] = box.first[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_BOX_HPP
