#ifndef STENCILGEN_EMULATOR_DEVICE_POINTERS_HPP
#define STENCILGEN_EMULATOR_DEVICE_POINTERS_HPP

#include <type_traits>

#include "errors.hpp"
#include "memory.hpp"
#include "scheduler.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// The memory a checked pointer may touch, and why it may not touch any.
struct Extent {
  char* begin = nullptr;
  char* end = nullptr;
  const char* problem = nullptr;
};

struct GlobalSpace {
  static constexpr const char* kName = "global";
  static Extent Find(const void* pointer);
  static void CountLoad(const void* address, std::size_t bytes) {
    scheduler.CountGlobalLoad(address, bytes);
  }
  static void CountStore(const void* address, std::size_t bytes) {
    scheduler.CountGlobalStore(address, bytes);
  }
};

#if !defined(STENCILGEN_EMULATOR_COMPILED)
STENCILGEN_EMULATOR_FUNCTION Extent GlobalSpace::Find(const void* pointer) {
  if (pointer == nullptr) return {nullptr, nullptr, "through a null pointer"};
  std::uintptr_t start = 0;
  const Allocation* allocation = heap.Find(pointer, &start);
  if (allocation == nullptr) return {nullptr, nullptr, "to what is not device memory"};
  if (allocation->freed) return {nullptr, nullptr, "to freed memory"};
  auto* const begin = reinterpret_cast<char*>(start);  // NOLINT(performance-no-int-to-ptr)
  return {begin, begin + allocation->bytes, nullptr};
}
#endif  // STENCILGEN_EMULATOR_COMPILED

struct SharedSpace {
  static constexpr const char* kName = "shared";
  static Extent Find(const void* pointer) {
    char* const begin = scheduler.shared_memory();
    char* const end = begin + scheduler.shared_bytes();
    if (pointer >= begin && pointer <= end) return {begin, end, nullptr};
    return {nullptr, nullptr, "to what is not the block's dynamic shared memory"};
  }
  static void CountLoad(const void*, std::size_t) {
    scheduler.MayYield();
    ++counters.shared_loads;
  }
  static void CountStore(const void*, std::size_t) {
    scheduler.MayYield();
    ++counters.shared_stores;
  }
};

template <typename T, typename Space>
class Reference;

/// A pointer that knows the bounds of the memory it points into.
template <typename T, typename Space>
class Pointer {
 public:
  using Value = std::remove_const_t<T>;
  using Result = std::conditional_t<std::is_const_v<T>, Value, Reference<T, Space>>;

  Pointer() = default;
  Pointer(T* pointer) : pointer_(pointer), extent_(Space::Find(pointer)) {}
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  Pointer(const Pointer<U, Space>& other) : pointer_(other.get()), extent_(other.extent()) {}

  Result operator[](long long index) const {
    T* const element = Check(index);
    if constexpr (std::is_const_v<T>) {
      Space::CountLoad(element, sizeof(T));
      return *element;
    } else {
      return Reference<T, Space>(Pointer(element, extent_));
    }
  }
  Result operator*() const { return (*this)[0]; }

  Pointer operator+(long long offset) const { return Pointer(pointer_ + offset, extent_); }
  Pointer operator-(long long offset) const { return *this + -offset; }
  Pointer& operator+=(long long offset) { return *this = *this + offset; }
  Pointer& operator++() { return *this += 1; }
  Pointer& operator-=(long long offset) { return *this = *this + -offset; }
  long long operator-(const Pointer& other) const { return pointer_ - other.pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  friend bool operator==(const Pointer& a, const Pointer& b) { return a.pointer_ == b.pointer_; }
  friend bool operator!=(const Pointer& a, const Pointer& b) { return a.pointer_ != b.pointer_; }

  /// The same memory as elements of another type, for vector accesses.
  template <typename U>
  Pointer<U, Space> As() const {
    return Pointer<U, Space>(reinterpret_cast<U*>(pointer_), extent_);
  }

  /// Faults where the `bytes` at the pointer are not all inside.
  void CheckBytes(std::size_t bytes) const {
    const char* const first = reinterpret_cast<const char*>(pointer_);
    if (extent_.problem != nullptr || first < extent_.begin || first > extent_.end ||
        bytes > static_cast<std::size_t>(extent_.end - first)) {
      Fail(0);
    }
  }
  T* get() const { return pointer_; }
  const Extent& extent() const { return extent_; }

 private:
  template <typename, typename>
  friend class Pointer;
  Pointer(T* pointer, const Extent& extent) : pointer_(pointer), extent_(extent) {}

  T* Check(long long index) const {
    T* const element = pointer_ + index;
    const char* const first = reinterpret_cast<const char*>(element);
    if (__builtin_expect(first < extent_.begin || first + sizeof(T) > extent_.end, 0)) Fail(index);
    if (__builtin_expect(reinterpret_cast<std::uintptr_t>(first) % alignof(T) != 0, 0)) {
      scheduler.Fault(cudaErrorIllegalAddress, "misaligned %s access", Space::kName);
    }
    return element;
  }
  [[noreturn]] void Fail(long long index) const {
    if (extent_.problem != nullptr) {
      scheduler.Fault(cudaErrorIllegalAddress, "%s access %s", Space::kName, extent_.problem);
    }
    const auto size = static_cast<long long>(sizeof(T));
    const long long start = (reinterpret_cast<const char*>(pointer_) - extent_.begin) / size;
    scheduler.Fault(cudaErrorIllegalAddress, "%s access out of bounds: element %lld of %lld",
                    Space::kName, start + index, (extent_.end - extent_.begin) / size);
  }

  T* pointer_ = nullptr;
  Extent extent_;
};

/// An element that counts when it is read and written.
template <typename T, typename Space>
class Reference {
 public:
  explicit Reference(Pointer<T, Space> pointer) : pointer_(pointer) {}
  Reference(const Reference&) = default;

  operator T() const {
    Space::CountLoad(pointer_.get(), sizeof(T));
    return *pointer_.get();
  }
  T operator=(T value) {
    Space::CountStore(pointer_.get(), sizeof(T));
    return *pointer_.get() = value;
  }
  T operator=(const Reference& other) { return *this = static_cast<T>(other); }
  /// Elements that are classes, as those of halves are: converted when they are read and written.
  template <typename Value, typename Element = T,
            typename = std::enable_if_t<std::is_class_v<Element> && std::is_arithmetic_v<Value>>>
  explicit operator Value() const {
    return static_cast<Value>(static_cast<T>(*this));
  }
  template <typename Value, typename Element = T,
            typename = std::enable_if_t<std::is_class_v<Element> && std::is_arithmetic_v<Value>>>
  T operator=(Value value) {
    T element;
    element = value;
    return *this = element;
  }
  T operator+=(T value) { return *this = static_cast<T>(static_cast<T>(*this) + value); }
  T operator-=(T value) { return *this = static_cast<T>(static_cast<T>(*this) - value); }
  T operator*=(T value) { return *this = static_cast<T>(static_cast<T>(*this) * value); }
  T operator/=(T value) { return *this = static_cast<T>(static_cast<T>(*this) / value); }
  T operator&=(T value) { return *this = static_cast<T>(static_cast<T>(*this) & value); }
  T operator|=(T value) { return *this = static_cast<T>(static_cast<T>(*this) | value); }
  Pointer<T, Space> operator&() const { return pointer_; }

 private:
  Pointer<T, Space> pointer_;
};

}  // namespace STENCILGEN_EMULATOR_HIDDEN

/// Device memory as a kernel sees it; on CUDA `T* __restrict__`.
template <typename T>
using Global = emulator::Pointer<T, emulator::GlobalSpace>;

/// A block's shared memory; on CUDA `T*`.
template <typename T>
using Shared = emulator::Pointer<T, emulator::SharedSpace>;

/// The block's dynamic shared memory from `byte_offset` on.
template <typename T>
inline Shared<T> DynamicShared(std::size_t byte_offset = 0) {
  return Shared<T>(reinterpret_cast<T*>(emulator::scheduler.shared_memory() + byte_offset));
}

}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_DEVICE_POINTERS_HPP
