#ifndef STENCILGEN_BOX_HPP
#define STENCILGEN_BOX_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

/// Boxes of the elements of arrays that ranks share.
namespace stencilgen::mpi {

/// A dimension of an array: along an axis of the grid, `scale` elements at each point, or of
/// `points` elements on each rank.
struct Dimension {
  int axis = -1;
  long long points = 0;  ///< of the whole array
  long long excess = 0;  ///< elements more than the axis' points have
  long long scale = 1;
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

/// The number of the box's first element in an array of that shape whose elements it has one after
/// the other; -1 where there are others between them, or the box is empty.
inline long long FirstOfRun(const Box& box, const std::vector<long long>& shape) {
  if (box.Elements() == 0) return -1;
  long long first = 0;
  bool several = false;  // of a dimension before
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const long long count = box.end[d] - box.first[d];
    if (several && count != shape[d]) return -1;
    several = several || count > 1;
    first = first * shape[d] + box.first[d];
  }
  return first;
}

/// A box of the elements of an array of that shape.
struct ArrayBox {
  char* array = nullptr;
  std::vector<long long> shape;
  Box box;
};
/// Elements that go from one array to another one, to a box of as many along each dimension.
struct BoxCopy {
  ArrayBox from, to;
  std::size_t element_bytes = 8;
};

/// Copies in the memory of the CPU.
inline void CopyElements(const BoxCopy& copy) {
  const ArrayBox& from = copy.from;
  const ArrayBox& to = copy.to;
  const std::size_t row = RowBytes(from.box, copy.element_bytes);
  ForEachRow(from.box, [&](const std::vector<long long>& at) {
    long long position = 0;
    long long other = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      position = position * from.shape[d] + at[d];
      other = other * to.shape[d] + at[d] - from.box.first[d] + to.box.first[d];
    }
    std::memcpy(to.array + static_cast<std::size_t>(other) * copy.element_bytes,
                from.array + static_cast<std::size_t>(position) * copy.element_bytes, row);
  });
}

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_BOX_HPP
