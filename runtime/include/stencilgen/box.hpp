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
  const char* npy_type = "<f8";  ///< of its elements, in files of NumPy
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

/// Calls `visit(first)` for each row of the box along the last dimension, in order, with the place
/// of its first element.
template <typename Visit>
void ForEachRow(const Box& box, Visit visit) {
  if (box.Elements() == 0) return;
  std::vector<long long> at = box.first;
  for (;;) {
    visit(static_cast<const std::vector<long long>&>(at));
    std::size_t d = at.size() - 1;
    while (d > 0 && ++at[d - 1] == box.end[d - 1]) {
      at[d - 1] = box.first[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

/// The bytes of a row of the box.
inline std::size_t RowBytes(const Box& box, std::size_t element_bytes) {
  return static_cast<std::size_t>(box.end.back() - box.first.back()) * element_bytes;
}

/// Copies the box of an array of that shape to `packed`, row after row, or back.
inline void CopyBox(char* array, const std::vector<long long>& shape, const Box& box,
                    std::size_t element_bytes, char* packed, bool pack) {
  const std::size_t row = RowBytes(box, element_bytes);
  ForEachRow(box, [&](const std::vector<long long>& at) {
    long long position = 0;
    for (std::size_t d = 0; d < at.size(); ++d) position = position * shape[d] + at[d];
    char* const elements = array + static_cast<std::size_t>(position) * element_bytes;
    std::memcpy(pack ? packed : elements, pack ? elements : packed, row);
    packed += row;
  });
}

/// Copies a box of one array to a box of another one, of as many elements along each dimension, or
/// back.
inline void CopyBetween(char* array, const std::vector<long long>& shape, const Box& box,
                        char* other, const std::vector<long long>& other_shape,
                        const Box& other_box, std::size_t element_bytes, bool to_other) {
  const std::size_t row = RowBytes(box, element_bytes);
  ForEachRow(box, [&](const std::vector<long long>& at) {
    long long position = 0;
    long long other_position = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      position = position * shape[d] + at[d];
      other_position = other_position * other_shape[d] + at[d] - box.first[d] + other_box.first[d];
    }
    char* const elements = array + static_cast<std::size_t>(position) * element_bytes;
    char* const others = other + static_cast<std::size_t>(other_position) * element_bytes;
    std::memcpy(to_other ? others : elements, to_other ? elements : others, row);
  });
}

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_BOX_HPP
