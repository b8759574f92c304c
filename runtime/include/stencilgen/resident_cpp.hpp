#ifndef STENCILGEN_RESIDENT_CPP_HPP
#define STENCILGEN_RESIDENT_CPP_HPP

#include <memory>

#include "stencilgen/cpp.hpp"
#include "stencilgen/resident.hpp"

namespace stencilgen {

/// The arrays of a program, inputs and outputs first, then scratch, kept between its runs.
template <int array_count>
class HostArrays {
 public:
  HostArrays() = default;
  HostArrays(const HostArrays&) = delete;
  HostArrays& operator=(const HostArrays&) = delete;
  ~HostArrays() {
    for (ResidentArray& array : arrays_) FreeArray(array.owned);
  }

  bool Open(ErrorText&) { return true; }

  /// Adds the next array, without contents.
  template <typename T>
  bool Add(ErrorText& error, const char* name, int rank, const Shape& shape, bool is_input) {
    ResidentArray& array = arrays_[count_];
    if (!SetUp<T>(error, array, name, rank, shape, is_input)) return false;
    const std::size_t bytes = array.bytes();
    array.memory = array.owned = AllocateArray(bytes);
    if (array.owned == nullptr) {
      return error.Fail(kOutOfMemory, "out of memory: array %s needs %zu bytes", name, bytes);
    }
    ++count_;
    return true;
  }

  template <typename T>
  T* Get(int number) {
    return static_cast<T*>(arrays_[number].memory);
  }
  void Forget(int number) { arrays_[number].is_defined = false; }
  void Define(int number) { arrays_[number].is_defined = true; }

  bool Upload(ErrorText& error, ResidentArray* array, const void* from, const long long* strides) {
    if (!CanCopy(error, array, from, strides)) return false;
    Copy(*array, array->memory, Layout(array->shape), from, Layout(*array, strides));
    array->is_defined = true;
    array->is_changed = true;
    return true;
  }
  bool Download(ErrorText& error, ResidentArray* array, void* to, const long long* strides) {
    if (!CanCopy(error, array, to, strides)) return false;
    Copy(*array, to, Layout(*array, strides), array->memory, Layout(array->shape));
    return true;
  }
  bool Wait(ErrorText&) { return true; }

  /// False where the application may have changed the array since the last run.
  bool IsAsLeft(int number) const {
    return !arrays_[number].is_changed && !arrays_[number].IsOpen();
  }
  /// A run has ended.
  void Leave(int number) { arrays_[number].is_changed = false; }

  /// Gives arrays the memory in which their contents are, and what they had to the arrays that had
  /// it, where the application has no pointer to either. What is left is for MoveHome. The first
  /// `count` of `numbers` are the arrays of the moves, all `known` those that may give their memory
  /// away: their contents are in a move, or nobody needs them.
  void TakeOver(Move* moves, int count, const int* numbers, int known) {
    for (int k = 0; k < count; ++k) {
      ResidentArray& array = arrays_[numbers[k]];
      for (int other = 0; other < known && array.memory != moves[k].contents; ++other) {
        ResidentArray& holder = arrays_[numbers[other]];
        if (holder.memory != moves[k].contents || holder.IsOpen() || array.IsOpen() ||
            holder.bytes() != array.bytes()) {
          continue;
        }
        std::swap(array.owned, holder.owned);
        array.memory = array.owned;
        holder.memory = holder.owned;
      }
    }
    for (int k = 0; k < count; ++k) moves[k].home = arrays_[numbers[k]].memory;
  }

  ResidentArray* arrays() { return arrays_; }

 private:
  static bool CanCopy(ErrorText& error, const ResidentArray* array, const void* memory,
                      const long long* strides) {
    if (array == nullptr) return false;
    if (memory == nullptr) {
      return error.Fail(kBadArgument, "array %s is a null pointer", array->name);
    }
    return Layout(*array, strides).Check(error, *array);
  }
  static void Copy(const ResidentArray& array, void* to, const Layout& target, const void* from,
                   const Layout& source) {
    const std::size_t size = array.element_size;
    const long long* n = array.shape.extent;
    if (array.bytes() == 0 || to == from) return;
    if (target.IsDense(array.shape) && source.IsDense(array.shape)) {
      CopyBytes(to, from, array.bytes());
      return;
    }
    const auto start = [&](const Layout& layout, long long row) {
      const long long plane = row / n[2];
      return static_cast<std::size_t>(plane / n[1] * layout.stride[0] +
                                      plane % n[1] * layout.stride[1] +
                                      row % n[2] * layout.stride[2]) *
             size;
    };
    STENCILGEN_PARALLEL_FOR(n[0] * n[1] * n[2] * n[3])
    for (long long row = 0; row < n[0] * n[1] * n[2]; ++row) {
      char* t = static_cast<char*>(to) + start(target, row);
      const char* s = static_cast<const char*>(from) + start(source, row);
      for (long long x = 0; x < n[3]; ++x) {
        std::memcpy(t, s, size);
        t += static_cast<std::size_t>(target.stride[3]) * size;
        s += static_cast<std::size_t>(source.stride[3]) * size;
      }
    }
  }

  ResidentArray arrays_[array_count > 0 ? array_count : 1];
  int count_ = 0;
};

}  // namespace stencilgen

#endif  // STENCILGEN_RESIDENT_CPP_HPP
