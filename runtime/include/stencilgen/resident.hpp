#ifndef STENCILGEN_RESIDENT_HPP
#define STENCILGEN_RESIDENT_HPP

#include <climits>
#include <cstddef>

#include "stencilgen/shape.hpp"
#include "stencilgen/status.hpp"

/// What the two targets share of arrays that are kept between runs of a program.

namespace stencilgen {

/// Parameters are `int` in a program.
inline bool IsInt(ErrorText& error, const char* name, long long value) {
  if (INT_MIN <= value && value <= INT_MAX) return true;
  return error.Fail(kBadArgument, "parameter %s must be at most %d, not %lld", name, INT_MAX,
                    value);
}

/// There is an object to work on, or the failure is recorded.
inline bool IsThere(ErrorText& error, const void* arrays) {
  return arrays != nullptr || error.Fail(kBadArgument, "the object is a null pointer");
}

/// An array that outlives the runs of its program.
struct ResidentArray {
  const char* name = "";
  std::size_t element_size = 0;
  int rank = 0;
  Shape shape{0};
  void* memory = nullptr;
  void* owned = nullptr;    ///< what `memory` was allocated as; it is the application's if bound
  bool is_input = false;    ///< a run reads what the application has put there
  bool is_defined = false;  ///< it has contents
  bool is_shared = false;   ///< the application has a pointer to `owned`
  bool is_changed = true;   ///< it may hold other contents than the last run has left there

  /// The application may write to its memory at any time.
  bool IsOpen() const { return is_shared || memory != owned; }
  /// Its memory, for the application.
  void* Share() {
    if (memory == owned) is_shared = true;
    is_defined = true;
    return memory;
  }
  /// Uses memory of the application instead of its own; null: its own again.
  void Bind(void* theirs) {
    memory = theirs != nullptr ? theirs : owned;
    is_defined = theirs != nullptr;
    is_changed = true;
  }

  std::size_t bytes() const { return shape.Bytes(element_size); }
};

/// An array's elements in memory of any layout: strides in elements, outermost first, filled up in
/// front like its shape.
struct Layout {
  long long stride[kDimensions] = {0, 0, 0, 1};

  /// One element after the other.
  explicit Layout(const Shape& shape)
      : stride{shape.extent[1] * shape.extent[2] * shape.extent[3],
               shape.extent[2] * shape.extent[3], shape.extent[3], 1} {}
  /// `strides`: one for each of the array's own dimensions; null for one element after the other.
  Layout(const ResidentArray& array, const long long* strides) : Layout(array.shape) {
    if (strides == nullptr) return;
    for (int d = 0; d < array.rank; ++d) stride[kDimensions - array.rank + d] = strides[d];
  }

  /// No element lies between those of the array, and none before another.
  bool IsDense(const Shape& shape) const {
    const Layout dense(shape);
    for (int d = 0; d < kDimensions; ++d) {
      if (shape.extent[d] > 1 && stride[d] != dense.stride[d]) return false;
    }
    return true;
  }
  /// Records a failure where a stride is below 1.
  bool Check(ErrorText& error, const ResidentArray& array) const {
    for (int d = kDimensions - array.rank; d < kDimensions; ++d) {
      if (stride[d] < 1 && array.shape.extent[d] > 1) {
        return error.Fail(kBadArgument, "array %s: a stride is %lld, but must be at least 1",
                          array.name, stride[d]);
      }
    }
    return true;
  }
};

/// Makes it an array of that shape, without memory. False, with a failure recorded, where no memory
/// would hold it.
template <typename T>
bool SetUp(ErrorText& error, ResidentArray& array, const char* name, int rank, const Shape& shape,
           bool is_input) {
  array.name = name;
  array.element_size = sizeof(T);
  array.rank = rank;
  array.shape = shape;
  array.is_input = is_input;
  return shape.Fits(sizeof(T)) ||
         error.Fail(kOutOfMemory, "array %s is too large for any memory", name);
}

/// The array of a number; null, with a failure recorded, where there is none.
inline ResidentArray* FindArray(ErrorText& error, ResidentArray* arrays, int count, int number) {
  if (number >= 0 && number < count) return arrays + number;
  error.Fail(kBadArgument, "there is no array %d", number);
  return nullptr;
}

/// Every input has contents, or the failure is recorded.
inline bool AreDefined(ErrorText& error, const ResidentArray* arrays, int count) {
  for (int k = 0; k < count; ++k) {
    if (arrays[k].is_input && !arrays[k].is_defined) {
      return error.Fail(kBadArgument,
                        "array %s has no contents: it was not uploaded, or the last run used it "
                        "up without copying it out",
                        arrays[k].name);
    }
  }
  return true;
}

/// Extents and strides of the array, outermost first; null pointers are left alone. Returns its
/// rank.
inline int Describe(const ResidentArray& array, long long* extents, long long* strides) {
  const Layout layout(array.shape);
  for (int d = 0; d < array.rank; ++d) {
    if (extents != nullptr) extents[d] = array.shape.extent[kDimensions - array.rank + d];
    if (strides != nullptr) strides[d] = layout.stride[kDimensions - array.rank + d];
  }
  return array.rank;
}

}  // namespace stencilgen

#endif  // STENCILGEN_RESIDENT_HPP
