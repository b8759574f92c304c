#ifndef STENCILGEN_SIMD_HPP
#define STENCILGEN_SIMD_HPP

#include <cmath>
#include <cstdint>
#include <cstring>

// Neighbouring values of a row at once, by the vector extensions of GCC and Clang, as wide as the
// registers that the compiler may use. Elsewhere, or with STENCILGEN_NO_VECTORS, a vector is one
// value.
#if defined(__GNUC__) && !defined(STENCILGEN_NO_VECTORS)
#define STENCILGEN_VECTORS 1
#define STENCILGEN_INLINE inline __attribute__((always_inline))
#if defined(STENCILGEN_VECTOR_BYTES)
// As the user says: a power of two.
#elif defined(__AVX512F__)
#define STENCILGEN_VECTOR_BYTES 64
#elif defined(__AVX__)
#define STENCILGEN_VECTOR_BYTES 32
#else
#define STENCILGEN_VECTOR_BYTES 16
#endif
#else
#define STENCILGEN_VECTORS 0
#define STENCILGEN_INLINE inline
#endif

namespace stencilgen {

#if STENCILGEN_VECTORS
template <typename T>
struct VectorOf;
template <>
struct VectorOf<double> {
  using Type __attribute__((vector_size(STENCILGEN_VECTOR_BYTES))) = double;
  using InMemory __attribute__((vector_size(STENCILGEN_VECTOR_BYTES), aligned(8), may_alias)) =
      double;
  using Bits __attribute__((vector_size(STENCILGEN_VECTOR_BYTES))) = std::int64_t;
  static constexpr std::int64_t kMagnitude = INT64_MAX;
  static constexpr int kLanes = STENCILGEN_VECTOR_BYTES / 8;
};
template <>
struct VectorOf<float> {
  using Type __attribute__((vector_size(STENCILGEN_VECTOR_BYTES))) = float;
  using InMemory __attribute__((vector_size(STENCILGEN_VECTOR_BYTES), aligned(4), may_alias)) =
      float;
  using Bits __attribute__((vector_size(STENCILGEN_VECTOR_BYTES))) = std::int32_t;
  static constexpr std::int32_t kMagnitude = INT32_MAX;
  static constexpr int kLanes = STENCILGEN_VECTOR_BYTES / 4;
};
#else
template <typename T>
struct VectorOf {
  using Type = T;
  using InMemory = T;
  static constexpr int kLanes = 1;
};
#endif

/// kLanes<T> neighbouring values. Operators work on each.
template <typename T>
using Vector = typename VectorOf<T>::Type;
/// What comparing vectors gives.
template <typename T>
using VectorMask = decltype(Vector<T>{} < Vector<T>{});
template <typename T>
constexpr int kLanes = VectorOf<T>::kLanes;
#if STENCILGEN_VECTORS
/// Elements of such arrays that a vector has, where compilers make vectors of loops.
template <typename T>
constexpr int kLoopLanes = STENCILGEN_VECTOR_BYTES / static_cast<int>(sizeof(T));
#endif

/// Vectors that a pack has where nobody says otherwise: bodies are made for 16 registers, and twice
/// as many hold two vectors of everything.
#if defined(STENCILGEN_PACK_VECTORS)
constexpr int kPackVectors = STENCILGEN_PACK_VECTORS;
#elif STENCILGEN_VECTORS && defined(__AVX512F__)
constexpr int kPackVectors = 2;
#else
constexpr int kPackVectors = 1;
#endif

/// n vectors of neighbouring values, side by side through the same operations: n times as many
/// independent ones, for values that are the same at every point loaded once.
template <typename T, int n = kPackVectors>
struct Pack {
  static constexpr int kWidth = n * kLanes<T>;

  Vector<T> first;
  Pack<T, n - 1> rest;

  Pack() = default;
  /// The vector n times.
  STENCILGEN_INLINE Pack(Vector<T> each) : first(each), rest(each) {}
};
template <typename T>
struct Pack<T, 1> {
  static constexpr int kWidth = kLanes<T>;

  Vector<T> first;

  Pack() = default;
  STENCILGEN_INLINE Pack(Vector<T> each) : first(each) {}
};

/// Where conditions hold.
template <typename T, int n>
struct PackMask {
  VectorMask<T> first;
  PackMask<T, n - 1> rest;
};
template <typename T>
struct PackMask<T, 1> {
  VectorMask<T> first;
};

// Operations take packs, and vectors that stand for packs of equal vectors.
template <typename V>
STENCILGEN_INLINE V First(V a) {
  return a;
}
template <typename V>
STENCILGEN_INLINE V Rest(V a) {
  return a;
}
template <typename T, int n>
STENCILGEN_INLINE Vector<T> First(Pack<T, n> a) {
  return a.first;
}
template <typename T, int n>
STENCILGEN_INLINE Pack<T, n - 1> Rest(Pack<T, n> a) {
  return a.rest;
}

/// The pack that two operands make, of which one at least is a pack.
template <typename A, typename B>
struct Joined {};
template <typename T, int n>
struct Joined<Pack<T, n>, Pack<T, n>> {
  using Values = Pack<T, n>;
  using Mask = PackMask<T, n>;
  static constexpr bool kMore = n > 1;
};
template <typename T, int n>
struct Joined<Pack<T, n>, Vector<T>> : Joined<Pack<T, n>, Pack<T, n>> {};
template <typename T, int n>
struct Joined<Vector<T>, Pack<T, n>> : Joined<Pack<T, n>, Pack<T, n>> {};

#define STENCILGEN_PACK_OPERATOR(Result, op)                                    \
  template <typename A, typename B, typename R = typename Joined<A, B>::Result> \
  STENCILGEN_INLINE R operator op(A a, B b) {                                   \
    R result;                                                                   \
    result.first = First(a) op First(b);                                        \
    if constexpr (Joined<A, B>::kMore) result.rest = Rest(a) op Rest(b);        \
    return result;                                                              \
  }
STENCILGEN_PACK_OPERATOR(Values, +)
STENCILGEN_PACK_OPERATOR(Values, -)
STENCILGEN_PACK_OPERATOR(Values, *)
STENCILGEN_PACK_OPERATOR(Values, /)
STENCILGEN_PACK_OPERATOR(Mask, <)
STENCILGEN_PACK_OPERATOR(Mask, <=)
STENCILGEN_PACK_OPERATOR(Mask, >)
STENCILGEN_PACK_OPERATOR(Mask, >=)
STENCILGEN_PACK_OPERATOR(Mask, ==)
STENCILGEN_PACK_OPERATOR(Mask, !=)
#undef STENCILGEN_PACK_OPERATOR

template <typename T, int n>
STENCILGEN_INLINE Pack<T, n> operator-(Pack<T, n> a) {
  a.first = -a.first;
  if constexpr (n > 1) a.rest = -a.rest;
  return a;
}
template <typename T, int n>
STENCILGEN_INLINE PackMask<T, n> operator&(PackMask<T, n> a, PackMask<T, n> b) {
  a.first = a.first & b.first;
  if constexpr (n > 1) a.rest = a.rest & b.rest;
  return a;
}
template <typename T, int n>
STENCILGEN_INLINE PackMask<T, n> operator|(PackMask<T, n> a, PackMask<T, n> b) {
  a.first = a.first | b.first;
  if constexpr (n > 1) a.rest = a.rest | b.rest;
  return a;
}
template <typename T, int n>
STENCILGEN_INLINE PackMask<T, n> operator!(PackMask<T, n> a) {
  a.first = a.first == VectorMask<T>{};
  if constexpr (n > 1) a.rest = !a.rest;
  return a;
}

/// a * b + c, and c - a * b: one instruction where the machine has it.
template <typename A, typename B, typename T, int n>
STENCILGEN_INLINE Pack<T, n> MulAdd(A a, B b, Pack<T, n> c) {
  c.first = First(a) * First(b) + c.first;
  if constexpr (n > 1) c.rest = MulAdd(Rest(a), Rest(b), c.rest);
  return c;
}
template <typename A, typename B, typename T, int n>
STENCILGEN_INLINE Pack<T, n> MulSub(A a, B b, Pack<T, n> c) {
  c.first = c.first - First(a) * First(b);
  if constexpr (n > 1) c.rest = MulSub(Rest(a), Rest(b), c.rest);
  return c;
}

/// The values from `from` on, at any address; and back.
template <typename P>
struct PackMemory;
template <typename T, int n>
struct PackMemory<Pack<T, n>> {
  using InMemory = typename VectorOf<T>::InMemory;

  static STENCILGEN_INLINE Pack<T, n> Load(const T* from) {
    Pack<T, n> pack;
    pack.first = *reinterpret_cast<const InMemory*>(from);
    if constexpr (n > 1) pack.rest = PackMemory<Pack<T, n - 1>>::Load(from + kLanes<T>);
    return pack;
  }
};
template <typename P, typename T>
STENCILGEN_INLINE P Load(const T* from) {
  return PackMemory<P>::Load(from);
}
template <typename T, int n>
STENCILGEN_INLINE void Store(T* to, Pack<T, n> pack) {
  *reinterpret_cast<typename VectorOf<T>::InMemory*>(to) = pack.first;
  if constexpr (n > 1) Store(to + kLanes<T>, pack.rest);
}

/// Whether a shift of lanes by d is one instruction that costs less than a load across lines of the
/// cache, as loads of 64 bytes nearly always are.
template <int d, typename T>
constexpr bool ShiftsAtOnce() {
#if STENCILGEN_VECTORS && defined(__AVX512F__)
  return sizeof(Vector<T>) == 64 && -kLanes<T> < d && d < kLanes<T>;
#else
  return false;
#endif
}

/// The values `d` behind those in `here`, where `before` and `after` are beside it. Requires: |d|
/// is at most their lanes.
template <int d, typename T>
STENCILGEN_INLINE Pack<T, 1> Shifted(Pack<T, 1> before, Pack<T, 1> here, Pack<T, 1> after) {
  static_assert(-kLanes<T> <= d && d <= kLanes<T>, "lanes that no vector has");
#if STENCILGEN_VECTORS && defined(__AVX512F__)
  if constexpr (ShiftsAtOnce<d, T>() && d != 0) {
    const Vector<T> low = d < 0 ? before.first : here.first;
    const Vector<T> high = d < 0 ? here.first : after.first;
    constexpr int kFirst = d < 0 ? kLanes<T> + d : d;
    // <immintrin.h> has a name for it, and takes g++ longer than all else that programs include.
    if constexpr (sizeof(T) == 8) {
      asm("valignq {%3, %2, %1, %0|%0, %1, %2, %3}"
          : "=v"(here.first)
          : "v"(high), "v"(low), "i"(kFirst));
    } else {
      asm("valignd {%3, %2, %1, %0|%0, %1, %2, %3}"
          : "=v"(here.first)
          : "v"(high), "v"(low), "i"(kFirst));
    }
    return here;
  }
#endif
  if (d == 0) return here;
  T values[3 * kLanes<T>];
  Store(values, before);
  Store(values + kLanes<T>, here);
  Store(values + 2 * kLanes<T>, after);
  return PackMemory<Pack<T, 1>>::Load(values + kLanes<T> + d);
}

/// The same of vectors that are neighbours in memory, `here` at `from`: by a shift where that costs
/// less than a load.
template <int d, typename T>
STENCILGEN_INLINE Pack<T, 1> Beside(const T* from, Pack<T, 1> before, Pack<T, 1> here,
                                    Pack<T, 1> after) {
  if constexpr (ShiftsAtOnce<d, T>()) {
    return Shifted<d>(before, here, after);
  } else {
    return d == 0 ? here : PackMemory<Pack<T, 1>>::Load(from + d);
  }
}

/// The value in every lane of a vector.
template <typename T>
STENCILGEN_INLINE Vector<T> Broadcast(T value) {
#if STENCILGEN_VECTORS
  return value - Vector<T>{};
#else
  return value;
#endif
}

/// The value is in registers at this place of the program: compilers neither move its computation
/// past another such place nor do it twice, so that a body keeps the order it is written in.
template <typename V>
STENCILGEN_INLINE void Keep(V& value) {
#if STENCILGEN_VECTORS && defined(__AVX512F__)
  asm volatile("" : "+v"(value));
#elif STENCILGEN_VECTORS && defined(__SSE2__)
  asm volatile("" : "+x"(value));
#elif STENCILGEN_VECTORS && defined(__aarch64__)
  asm volatile("" : "+w"(value));
#else
  static_cast<void>(value);
#endif
}
template <typename T, int n>
STENCILGEN_INLINE void Keep(Pack<T, n>& pack) {
  Keep(pack.first);
  if constexpr (n > 1) Keep(pack.rest);
}

/// The pointer, in a register from here on: compilers neither form addresses near it by themselves
/// nor read through it earlier.
template <typename T>
STENCILGEN_INLINE T* Anchor(T* pointer) {
#if STENCILGEN_VECTORS
  asm volatile("" : "+r"(pointer));
#endif
  return pointer;
}

/// In each lane: `a` where the condition holds, else `b`.
template <typename T, int n, typename A, typename B>
STENCILGEN_INLINE Pack<T, n> Select(PackMask<T, n> condition, A a, B b) {
  Pack<T, n> result;
  result.first = condition.first ? First(a) : First(b);
  if constexpr (n > 1) result.rest = Select(condition.rest, Rest(a), Rest(b));
  return result;
}

/// The functions of the language in each lane: Min and Max as in math.hpp.
template <typename A, typename B, typename R = typename Joined<A, B>::Values>
STENCILGEN_INLINE R PackMin(A a, B b) {
  return Select(b < a, b, a);
}
template <typename A, typename B, typename R = typename Joined<A, B>::Values>
STENCILGEN_INLINE R PackMax(A a, B b) {
  return Select(a < b, b, a);
}
template <typename T, int n>
STENCILGEN_INLINE Pack<T, n> PackFabs(Pack<T, n> a) {
#if STENCILGEN_VECTORS
  typename VectorOf<T>::Bits bits;
  std::memcpy(&bits, &a.first, sizeof bits);
  bits &= VectorOf<T>::kMagnitude;
  std::memcpy(&a.first, &bits, sizeof bits);
#else
  a.first = std::fabs(a.first);
#endif
  if constexpr (n > 1) a.rest = PackFabs(a.rest);
  return a;
}
template <typename T, int n>
STENCILGEN_INLINE Pack<T, n> PackSqrt(Pack<T, n> a) {
#if STENCILGEN_VECTORS
  T lanes[kLanes<T>];
  std::memcpy(lanes, &a.first, sizeof lanes);
  // One instruction with -fno-math-errno.
  for (T& lane : lanes) lane = std::sqrt(lane);
  std::memcpy(&a.first, lanes, sizeof lanes);
#else
  a.first = std::sqrt(a.first);
#endif
  if constexpr (n > 1) a.rest = PackSqrt(a.rest);
  return a;
}

}  // namespace stencilgen

#endif  // STENCILGEN_SIMD_HPP
