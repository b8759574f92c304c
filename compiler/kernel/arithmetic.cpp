#include "kernel/arithmetic.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernel/arithmetic_handlers.h"

namespace stencilgen::kernel::bytecode {
namespace {

template <typename T>
using Bits = std::make_unsigned_t<T>;

/// Integers wrap.
template <typename T>
T Sum(T a, T b) {
  if constexpr (kIsFloating<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
  }
}
template <typename T>
T Difference(T a, T b) {
  if constexpr (kIsFloating<T>) {
    return a - b;
  } else {
    return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
  }
}
template <typename T>
T Product(T a, T b) {
  if constexpr (kIsFloating<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
  }
}
template <typename T>
T Negative(T a) {
  if constexpr (kIsFloating<T>) {
    return -a;
  } else {
    return Difference(T{0}, a);
  }
}
template <typename T>
T Same(T a) {
  return a;
}
bool Not(bool a) {
  return !a;
}
template <typename T>
bool IsLess(T a, T b) {
  return a < b;
}
template <typename T>
bool IsAtMost(T a, T b) {
  return a <= b;
}
template <typename T>
bool IsGreater(T a, T b) {
  return a > b;
}
template <typename T>
bool IsAtLeast(T a, T b) {
  return a >= b;
}
template <typename T>
bool IsEqual(T a, T b) {
  return a == b;
}
template <typename T>
bool IsOther(T a, T b) {
  return a != b;
}
template <typename T>
T BitAnd(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
T BitOr(T a, T b) {
  return static_cast<T>(a | b);
}
bool Both(bool a, bool b) {
  return a && b;
}
bool Either(bool a, bool b) {
  return a || b;
}

/// Division, of which C++ leaves some undefined.
template <typename T, bool remainder>
void Divide(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    const T a = Get<T>(thread.cells[it.a + k]);
    const T b = Get<T>(thread.cells[it.b + k]);
    const std::uint8_t known = thread.known[it.a + k] & thread.known[it.b + k];
    thread.known[it.dest + k] = known;
    if constexpr (kIsFloating<T>) {
      Set<T>(thread.cells[it.dest + k], a / b);
    } else {
      if (b == 0 && known != 0) return thread.Fault(it, "division by zero");
      if (b == 0 || b == -1) {
        Set<T>(thread.cells[it.dest + k], remainder || b == 0 ? T{0} : Negative(a));
      } else {
        Set<T>(thread.cells[it.dest + k], static_cast<T>(remainder ? a % b : a / b));
      }
    }
  }
}

template <typename T>
Handler Comparison(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return &Apply2<bool, T, &IsLess<T>>;
    case BinaryOp::LessEqual:
      return &Apply2<bool, T, &IsAtMost<T>>;
    case BinaryOp::Greater:
      return &Apply2<bool, T, &IsGreater<T>>;
    case BinaryOp::GreaterEqual:
      return &Apply2<bool, T, &IsAtLeast<T>>;
    case BinaryOp::Equal:
      return &Apply2<bool, T, &IsEqual<T>>;
    default:
      return &Apply2<bool, T, &IsOther<T>>;
  }
}

Handler OfTruths(BinaryOp op) {
  switch (op) {
    case BinaryOp::And:
    case BinaryOp::BitAnd:
      return &Apply2<bool, bool, &Both>;
    case BinaryOp::Or:
    case BinaryOp::BitOr:
      return &Apply2<bool, bool, &Either>;
    default:
      return IsComparison(op) ? Comparison<bool>(op) : nullptr;
  }
}

template <typename T>
Handler OfNumbers(BinaryOp op) {
  if (IsComparison(op)) return Comparison<T>(op);
  switch (op) {
    case BinaryOp::Add:
      return &Apply2<T, T, &Sum<T>>;
    case BinaryOp::Sub:
      return &Apply2<T, T, &Difference<T>>;
    case BinaryOp::Mul:
      return &Apply2<T, T, &Product<T>>;
    case BinaryOp::Div:
      return &Divide<T, false>;
    default:
      break;
  }
  if constexpr (!kIsFloating<T>) {
    if (op == BinaryOp::Mod) return &Divide<T, true>;
    if (op == BinaryOp::BitAnd) return &Apply2<T, T, &BitAnd<T>>;
    if (op == BinaryOp::BitOr) return &Apply2<T, T, &BitOr<T>>;
  }
  return nullptr;
}

/// As C converts; from floating to integer types values that do not fit are clamped.
template <typename To, typename From>
To Converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (kIsFloating<From> && !kIsFloating<To>) {
    constexpr From kEnd = -static_cast<From>(std::numeric_limits<To>::min());
    if (!(value == value)) return 0;
    if (value >= kEnd) return std::numeric_limits<To>::max();
    return value < -kEnd ? std::numeric_limits<To>::min() : static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace

Handler UnaryHandler(UnaryOp op, Elementary type) {
  if (op == UnaryOp::Not) return type == Elementary::Bool ? &Apply1<bool, bool, &Not> : nullptr;
  return WithType(type, [op](auto zero) -> Handler {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return nullptr;
    } else {
      return op == UnaryOp::Negate ? &Apply1<T, T, &Negative<T>> : &Apply1<T, T, &Same<T>>;
    }
  });
}

Handler BinaryHandler(BinaryOp op, Elementary type) {
  return WithType(type, [op](auto zero) -> Handler {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return OfTruths(op);
    } else {
      return OfNumbers<T>(op);
    }
  });
}

Handler ConvertHandler(Elementary to, Elementary from) {
  // Integers are kept as the widest.
  const bool widens = (to == Elementary::Index && from == Elementary::Int) ||
                      (from == Elementary::Bool && !kernel::IsFloating(Type{to}));
  if (to == from || widens) return nullptr;
  return WithType(to, [from](auto to_zero) {
    return WithType(from, [](auto from_zero) -> Handler {
      using To = decltype(to_zero);
      using From = decltype(from_zero);
      return &Apply1<To, From, &Converted<To, From>>;
    });
  });
}

}  // namespace stencilgen::kernel::bytecode
