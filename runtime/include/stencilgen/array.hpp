#ifndef STENCILGEN_ARRAY_HPP
#define STENCILGEN_ARRAY_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "stencilgen/memory.hpp"

// C++11 and later; no CUDA.

namespace stencilgen {

/// Numbers one after the other in memory for large arrays (AllocateArray). It may be moved, not
/// copied.
template <typename T>
class Array {
  static_assert(std::is_trivial<T>::value, "an array of numbers");

 public:
  using value_type = T;

  Array() = default;
  /// Elements without a value. Each page of memory comes near to the thread that first writes to
  /// it, where that matters.
  explicit Array(std::size_t size) : size_(size) {
    if (size <= SIZE_MAX / sizeof(T)) data_ = static_cast<T*>(AllocateArray(size * sizeof(T)));
    if (data_ != nullptr) return;
#if defined(__cpp_exceptions)
    throw std::bad_alloc();
#else
    std::abort();
#endif
  }
  /// All of them that value, set in parallel where OpenMP is on.
  Array(std::size_t size, T value) : Array(size) {
    T* const data = data_;
    const auto count = static_cast<long long>(size);
#if defined(_OPENMP)
#pragma omp parallel for schedule(static) if (count >= 16384)
#endif
    for (long long k = 0; k < count; ++k) data[k] = value;
  }
  Array(Array&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    FreeArray(data_);
  }

  T* data() {
    return data_;
  }
  const T* data() const {
    return data_;
  }
  std::size_t size() const {
    return size_;
  }
  bool empty() const {
    return size_ == 0;
  }
  T* begin() {
    return data_;
  }
  T* end() {
    return data_ + size_;
  }
  const T* begin() const {
    return data_;
  }
  const T* end() const {
    return data_ + size_;
  }
  T& operator[](std::size_t k) {
    return data_[k];
  }
  const T& operator[](std::size_t k) const {
    return data_[k];
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stencilgen

#endif  // STENCILGEN_ARRAY_HPP
