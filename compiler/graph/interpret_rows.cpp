#include "graph/interpret_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "stencilgen/half.hpp"
#include "support/check.h"

// The rows that most time goes into are compiled for wider vectors too, where the processor has
// them: the same operations on each element, none of them contracted, and so the same bits.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STENCILGEN_WIDE __attribute__((target_clones("avx2", "default"), flatten))
#else
#define STENCILGEN_WIDE
#endif

namespace stencilgen::graph {
namespace {

using Bool = std::uint8_t;
using Int = std::int32_t;

/// Calls `body` with a value of the C++ type of the elements.
template <typename Body>
void WithType(ScalarType type, Body body) {
  switch (type) {
    case ScalarType::Bool:
      return body(Bool{});
    case ScalarType::Int:
      return body(Int{});
    case ScalarType::Float:
      return body(float{});
    case ScalarType::Double:
      return body(double{});
  }
}

template <typename Body>
void WithFloatingType(ScalarType type, Body body) {
  STENCILGEN_CHECK(IsFloating(type));
  if (type == ScalarType::Float) return body(float{});
  body(double{});
}

template <typename To, typename From>
To ConvertValue(From value) {
  if constexpr (std::is_same_v<To, Bool>) {
    return value != From{0} ? 1 : 0;
  } else if constexpr (std::is_same_v<To, Int> && std::is_floating_point_v<From>) {
    // 2^31 is exact in both floating types, INT_MAX is not.
    constexpr From kEnd = static_cast<From>(2147483648.0);
    if (!(value == value)) return 0;
    if (value >= kEnd) return std::numeric_limits<Int>::max();
    if (value < -kEnd) return std::numeric_limits<Int>::min();
    return static_cast<Int>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// Integers wrap: they are computed without sign.
template <typename T>
T Wrapped(std::uint32_t bits) {
  if constexpr (std::is_same_v<T, Bool>) return bits != 0 ? 1 : 0;
  return static_cast<T>(static_cast<std::int32_t>(bits));
}

template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a + b;
  return Wrapped<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

template <typename T>
T Difference(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a - b;
  return Wrapped<T>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

template <typename T>
T Product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a * b;
  return Wrapped<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

template <typename T>
T Quotient(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    // In 64 bits, because INT_MIN / -1 overflows.
    return Wrapped<T>(static_cast<std::uint32_t>(std::int64_t{a} / std::int64_t{b}));
  }
}

template <typename T>
T Remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return 0;
    return Wrapped<T>(static_cast<std::uint32_t>(std::int64_t{a} % std::int64_t{b}));
  }
}

template <typename T>
T Magnitude(T a) {
  if constexpr (std::is_floating_point_v<T>) return std::fabs(a);
  return a < T{0} ? Difference(T{0}, a) : a;
}

template <typename T, typename Out, typename F>
void Map(const void* a, void* out, std::size_t count, F f) {
  const T* in = static_cast<const T*>(a);
  Out* result = static_cast<Out*>(out);
  for (std::size_t k = 0; k < count; ++k) result[k] = f(in[k]);
}

template <typename T, typename Out, typename F>
void Map(const void* a, const void* b, void* out, std::size_t count, F f) {
  const T* lhs = static_cast<const T*>(a);
  const T* rhs = static_cast<const T*>(b);
  Out* result = static_cast<Out*>(out);
  for (std::size_t k = 0; k < count; ++k) result[k] = f(lhs[k], rhs[k]);
}

template <typename T, typename F>
void Map(const void* a, const void* b, const void* c, void* out, std::size_t count, F f) {
  const T* first = static_cast<const T*>(a);
  const T* second = static_cast<const T*>(b);
  const T* third = static_cast<const T*>(c);
  T* result = static_cast<T*>(out);
  for (std::size_t k = 0; k < count; ++k) result[k] = f(first[k], second[k], third[k]);
}

template <typename T>
void MapBits(BinaryOp op, const void* a, const void* b, void* out, std::size_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    STENCILGEN_CHECK(!IsBitwise(op));
  } else if (op == BinaryOp::BitAnd) {
    Map<T, T>(a, b, out, count, [](T x, T y) { return static_cast<T>(x & y); });
  } else {
    Map<T, T>(a, b, out, count, [](T x, T y) { return static_cast<T>(x | y); });
  }
}

template <typename T>
void MapBinary(BinaryOp op, const void* a, const void* b, void* out, std::size_t count) {
  const auto arithmetic = [&](auto f) { Map<T, T>(a, b, out, count, f); };
  const auto test = [&](auto f) { Map<T, Bool>(a, b, out, count, f); };
  switch (op) {
    case BinaryOp::Add:
      return arithmetic([](T x, T y) { return Sum(x, y); });
    case BinaryOp::Sub:
      return arithmetic([](T x, T y) { return Difference(x, y); });
    case BinaryOp::Mul:
      return arithmetic([](T x, T y) { return Product(x, y); });
    case BinaryOp::Div:
      return arithmetic([](T x, T y) { return Quotient(x, y); });
    case BinaryOp::Mod:
      return arithmetic([](T x, T y) { return Remainder(x, y); });
    case BinaryOp::Less:
      return test([](T x, T y) { return x < y; });
    case BinaryOp::LessEqual:
      return test([](T x, T y) { return x <= y; });
    case BinaryOp::Greater:
      return test([](T x, T y) { return x > y; });
    case BinaryOp::GreaterEqual:
      return test([](T x, T y) { return x >= y; });
    case BinaryOp::Equal:
      return test([](T x, T y) { return x == y; });
    case BinaryOp::NotEqual:
      return test([](T x, T y) { return x != y; });
    case BinaryOp::And:
      return test([](T x, T y) { return x != T{0} && y != T{0}; });
    case BinaryOp::Or:
      return test([](T x, T y) { return x != T{0} || y != T{0}; });
    case BinaryOp::BitAnd:
    case BinaryOp::BitOr:
      return MapBits<T>(op, a, b, out, count);
    case BinaryOp::Power:
      if constexpr (std::is_floating_point_v<T>) {
        return arithmetic([](T x, T y) { return std::pow(x, y); });
      }
  }
  STENCILGEN_CHECK(!"operator of another type");
}

/// The functions that integers have too. False where `function` is none of them.
template <typename T>
bool MapCommonCall(Function function, const void* a, const void* b, void* out, std::size_t count) {
  switch (function) {
    case Function::Min:
      Map<T, T>(a, b, out, count, [](T x, T y) { return y < x ? y : x; });
      return true;
    case Function::Max:
      Map<T, T>(a, b, out, count, [](T x, T y) { return x < y ? y : x; });
      return true;
    case Function::Abs:
      Map<T, T>(a, out, count, [](T x) { return Magnitude(x); });
      return true;
    default:
      return false;
  }
}

template <typename T>
void MapCall(Function function, const void* a, const void* b, const void* c, void* out,
             std::size_t count) {
  const auto one = [&](auto f) { Map<T, T>(a, out, count, f); };
  const auto two = [&](auto f) { Map<T, T>(a, b, out, count, f); };
  switch (function) {
    case Function::Min:
    case Function::Max:
    case Function::Abs:
      break;
    case Function::Fabs:
      return one([](T x) { return std::fabs(x); });
    case Function::Sqrt:
      return one([](T x) { return std::sqrt(x); });
    case Function::Cbrt:
      return one([](T x) { return std::cbrt(x); });
    case Function::Pow:
      return two([](T x, T y) { return std::pow(x, y); });
    case Function::Exp:
      return one([](T x) { return std::exp(x); });
    case Function::Exp2:
      return one([](T x) { return std::exp2(x); });
    case Function::Log:
      return one([](T x) { return std::log(x); });
    case Function::Log2:
      return one([](T x) { return std::log2(x); });
    case Function::Log10:
      return one([](T x) { return std::log10(x); });
    case Function::Sin:
      return one([](T x) { return std::sin(x); });
    case Function::Cos:
      return one([](T x) { return std::cos(x); });
    case Function::Tan:
      return one([](T x) { return std::tan(x); });
    case Function::Asin:
      return one([](T x) { return std::asin(x); });
    case Function::Acos:
      return one([](T x) { return std::acos(x); });
    case Function::Atan:
      return one([](T x) { return std::atan(x); });
    case Function::Atan2:
      return two([](T x, T y) { return std::atan2(x, y); });
    case Function::Sinh:
      return one([](T x) { return std::sinh(x); });
    case Function::Cosh:
      return one([](T x) { return std::cosh(x); });
    case Function::Tanh:
      return one([](T x) { return std::tanh(x); });
    case Function::Floor:
      return one([](T x) { return std::floor(x); });
    case Function::Ceil:
      return one([](T x) { return std::ceil(x); });
    case Function::Round:
      return one([](T x) { return std::round(x); });
    case Function::Trunc:
      return one([](T x) { return std::trunc(x); });
    case Function::Fmod:
      return two([](T x, T y) { return std::fmod(x, y); });
    case Function::Hypot:
      return two([](T x, T y) { return std::hypot(x, y); });
    case Function::Erf:
      return one([](T x) { return std::erf(x); });
    case Function::RoundHalf:
      return one([](T x) { return RoundHalf(x); });
    case Function::RoundBFloat16:
      return one([](T x) { return RoundBFloat16(x); });
    case Function::Fma: {
      const T* addend = static_cast<const T*>(c);
      return two([&addend](T x, T y) { return std::fma(x, y, *addend++); });
    }
  }
  STENCILGEN_CHECK(!"function of another type");
}

}  // namespace

void FillRow(ScalarType type, double floating, std::int64_t integer, void* out, std::size_t count) {
  WithType(type, [&](auto zero) {
    using T = decltype(zero);
    T value{};
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(floating);
    } else {
      value = Wrapped<T>(static_cast<std::uint32_t>(integer));
    }
    std::fill_n(static_cast<T*>(out), count, value);
  });
}

void IotaRow(std::int64_t first, std::int32_t* out, std::size_t count) {
  auto value = static_cast<std::uint32_t>(first);
  for (std::size_t k = 0; k < count; ++k) out[k] = Wrapped<Int>(value++);
}

void GatherRow(ScalarType type, const void* in, std::int64_t step, void* out, std::size_t count) {
  WithType(type, [&](auto zero) {
    using T = decltype(zero);
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    for (std::size_t k = 0; k < count; ++k) to[k] = from[static_cast<std::int64_t>(k) * step];
  });
}

void ScatterRow(ScalarType type, const void* in, void* out, std::int64_t step, std::size_t count) {
  WithType(type, [&](auto zero) {
    using T = decltype(zero);
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    for (std::size_t k = 0; k < count; ++k) to[static_cast<std::int64_t>(k) * step] = from[k];
  });
}

void UnaryRow(UnaryOp op, ScalarType type, const void* in, void* out, std::size_t count) {
  WithType(type, [&](auto zero) {
    using T = decltype(zero);
    switch (op) {
      case UnaryOp::Not:
        return Map<T, Bool>(in, out, count, [](T x) { return x == T{0}; });
      case UnaryOp::Plus:
        return Map<T, T>(in, out, count, [](T x) { return x; });
      case UnaryOp::Negate:
        break;
    }
    Map<T, T>(in, out, count, [](T x) {
      if constexpr (std::is_floating_point_v<T>) return -x;
      return Difference(T{0}, x);
    });
  });
}

STENCILGEN_WIDE void BinaryRow(BinaryOp op, ScalarType type, const void* a, const void* b,
                               void* out, std::size_t count) {
  WithType(type, [&](auto zero) { MapBinary<decltype(zero)>(op, a, b, out, count); });
}

STENCILGEN_WIDE void ProductSumRow(BinaryOp op, bool product_first, ScalarType type, const void* a,
                                   const void* b, const void* c, void* out, std::size_t count) {
  const bool add = op == BinaryOp::Add;
  WithFloatingType(type, [&](auto zero) {
    using T = decltype(zero);
    const auto map = [&](auto f) { Map<T>(a, b, c, out, count, f); };
    if (product_first && add) return map([](T x, T y, T z) { return x * y + z; });
    if (product_first) return map([](T x, T y, T z) { return x * y - z; });
    if (add) return map([](T x, T y, T z) { return x + y * z; });
    map([](T x, T y, T z) { return x - y * z; });
  });
}

void PowerRow(ScalarType type, const void* in, std::int64_t exponent, void* out,
              std::size_t count) {
  WithType(type, [&](auto zero) {
    using T = decltype(zero);
    Map<T, T>(in, out, count, [exponent](T x) {
      if (exponent == 0) return T{1};
      T product = x;
      for (std::int64_t n = 1; n < exponent; ++n) product = Product(product, x);
      return product;
    });
  });
}

STENCILGEN_WIDE void SelectRow(ScalarType type, const std::uint8_t* condition,
                               const void* then_value, const void* else_value, void* out,
                               std::size_t count) {
  WithType(type, [&](auto zero) {
    using T = decltype(zero);
    const std::uint8_t* chosen = condition;
    Map<T, T>(then_value, else_value, out, count,
              [&chosen](T yes, T no) { return *chosen++ != 0 ? yes : no; });
  });
}

void CallRow(Function function, ScalarType type, const void* a, const void* b, const void* c,
             void* out, std::size_t count) {
  WithType(type, [&](auto zero) {
    using T = decltype(zero);
    if (MapCommonCall<T>(function, a, b, out, count)) return;
    WithFloatingType(
        type, [&](auto floating) { MapCall<decltype(floating)>(function, a, b, c, out, count); });
  });
}

void ConvertRow(ScalarType from, const void* in, ScalarType to, void* out, std::size_t count) {
  WithType(from, [&](auto from_zero) {
    using From = decltype(from_zero);
    WithType(to, [&](auto to_zero) {
      using To = decltype(to_zero);
      Map<From, To>(in, out, count, [](From x) { return ConvertValue<To>(x); });
    });
  });
}

}  // namespace stencilgen::graph
