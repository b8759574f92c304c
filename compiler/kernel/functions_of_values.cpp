#include <cmath>
#include <type_traits>

#include "kernel/arithmetic.h"
#include "kernel/arithmetic_handlers.h"
#include "stencilgen/half.hpp"
#include "stencilgen/math.hpp"

/// Functions with the meaning that they have in generated code: its own headers', and C++'s.
namespace stencilgen::kernel::bytecode {
namespace {

using MathFunction = stencilgen::Function;

template <MathFunction function, typename T>
T Value1(T a) {
  if constexpr (function == MathFunction::Fabs || function == MathFunction::Abs)
    return std::fabs(a);
  if constexpr (function == MathFunction::Sqrt) return std::sqrt(a);
  if constexpr (function == MathFunction::Cbrt) return std::cbrt(a);
  if constexpr (function == MathFunction::Exp) return std::exp(a);
  if constexpr (function == MathFunction::Exp2) return std::exp2(a);
  if constexpr (function == MathFunction::Log) return std::log(a);
  if constexpr (function == MathFunction::Log2) return std::log2(a);
  if constexpr (function == MathFunction::Log10) return std::log10(a);
  if constexpr (function == MathFunction::Sin) return std::sin(a);
  if constexpr (function == MathFunction::Cos) return std::cos(a);
  if constexpr (function == MathFunction::Tan) return std::tan(a);
  if constexpr (function == MathFunction::Asin) return std::asin(a);
  if constexpr (function == MathFunction::Acos) return std::acos(a);
  if constexpr (function == MathFunction::Atan) return std::atan(a);
  if constexpr (function == MathFunction::Sinh) return std::sinh(a);
  if constexpr (function == MathFunction::Cosh) return std::cosh(a);
  if constexpr (function == MathFunction::Tanh) return std::tanh(a);
  if constexpr (function == MathFunction::Floor) return std::floor(a);
  if constexpr (function == MathFunction::Ceil) return std::ceil(a);
  if constexpr (function == MathFunction::Round) return std::round(a);
  if constexpr (function == MathFunction::Trunc) return std::trunc(a);
  if constexpr (function == MathFunction::Erf) return std::erf(a);
  if constexpr (function == MathFunction::RoundHalf) return stencilgen::RoundHalf(a);
  if constexpr (function == MathFunction::RoundBFloat16) return stencilgen::RoundBFloat16(a);
}

template <MathFunction function, typename T>
T Value2(T a, T b) {
  if constexpr (function == MathFunction::Min) return stencilgen::Min(a, b);
  if constexpr (function == MathFunction::Max) return stencilgen::Max(a, b);
  if constexpr (function == MathFunction::Pow) return std::pow(a, b);
  if constexpr (function == MathFunction::Atan2) return std::atan2(a, b);
  if constexpr (function == MathFunction::Fmod) return std::fmod(a, b);
  if constexpr (function == MathFunction::Hypot) return std::hypot(a, b);
}

template <typename T>
T Fused(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <typename T>
T MulAdd(T a, T b, T c) {
  return a * b + c;
}
template <typename T>
T MulSub(T a, T b, T c) {
  return c - a * b;
}

template <typename T>
Handler OfFloating(MathFunction function) {
#define STENCILGEN_ONE(name) \
  case MathFunction::name:   \
    return &Apply1<T, T, &Value1<MathFunction::name, T>>;
#define STENCILGEN_TWO(name) \
  case MathFunction::name:   \
    return &Apply2<T, T, &Value2<MathFunction::name, T>>;
  switch (function) {
    STENCILGEN_TWO(Min)
    STENCILGEN_TWO(Max)
    STENCILGEN_ONE(Abs)
    STENCILGEN_ONE(Fabs)
    STENCILGEN_ONE(Sqrt)
    STENCILGEN_ONE(Cbrt)
    STENCILGEN_ONE(RoundHalf)
    STENCILGEN_ONE(RoundBFloat16)
    STENCILGEN_TWO(Pow)
    STENCILGEN_ONE(Exp)
    STENCILGEN_ONE(Exp2)
    STENCILGEN_ONE(Log)
    STENCILGEN_ONE(Log2)
    STENCILGEN_ONE(Log10)
    STENCILGEN_ONE(Sin)
    STENCILGEN_ONE(Cos)
    STENCILGEN_ONE(Tan)
    STENCILGEN_ONE(Asin)
    STENCILGEN_ONE(Acos)
    STENCILGEN_ONE(Atan)
    STENCILGEN_TWO(Atan2)
    STENCILGEN_ONE(Sinh)
    STENCILGEN_ONE(Cosh)
    STENCILGEN_ONE(Tanh)
    STENCILGEN_ONE(Floor)
    STENCILGEN_ONE(Ceil)
    STENCILGEN_ONE(Round)
    STENCILGEN_ONE(Trunc)
    STENCILGEN_TWO(Fmod)
    case MathFunction::Fma:
      return &Apply3<T, &Fused<T>>;
      STENCILGEN_TWO(Hypot)
      STENCILGEN_ONE(Erf)
  }
#undef STENCILGEN_ONE
#undef STENCILGEN_TWO
  return nullptr;
}

template <typename T>
Handler OfIntegers(MathFunction function) {
  if (function == MathFunction::Min) return &Apply2<T, T, &Value2<MathFunction::Min, T>>;
  if (function == MathFunction::Max) return &Apply2<T, T, &Value2<MathFunction::Max, T>>;
  if constexpr (std::is_same_v<T, int>) {
    if (function == MathFunction::Abs) return &Apply1<int, int, &stencilgen::Abs>;
  }
  return nullptr;
}

/// Its exponent is a constant of the code, not of the compiler: the loop of the header's IntPower.
template <typename T, bool exact>
void Power(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    const T x = Get<T>(thread.cells[it.a + k]);
    T product = it.number == 0 ? T{1} : x;
    for (std::int64_t n = 1; n < it.number; ++n) {
      if constexpr (std::is_floating_point_v<T>) {
        product = exact ? stencilgen::MulRn(product, x) : product * x;
      } else {
        product = static_cast<T>(static_cast<unsigned>(product) * static_cast<unsigned>(x));
      }
    }
    Set<T>(thread.cells[it.dest + k], product);
    thread.known[it.dest + k] = thread.known[it.a + k];
  }
}

template <typename T>
T Clamp(T index, T extent) {
  return stencilgen::ClampIndex(index, extent);
}
template <typename T>
T Mirror(T index, T extent) {
  return stencilgen::MirrorIndex(index, extent);
}
template <typename T>
T Mirror101(T index, T extent) {
  return stencilgen::Mirror101Index(index, extent);
}
template <typename T>
T Wrap(T index, T extent) {
  return stencilgen::WrapIndex(index, extent);
}
template <typename T>
bool Inside(T index, T extent) {
  return stencilgen::IsInside(index, extent);
}

/// What is defined where b is at least 1.
template <typename T, T (*f)(T, T)>
void OfExtent(Thread& thread, const Instruction& it) {
  const bool known = (thread.known[it.a] & thread.known[it.b]) != 0;
  thread.known[it.dest] = known ? 1 : 0;
  if (!known) return;
  const T extent = Get<T>(thread.cells[it.b]);
  if (extent < 1) return thread.Fault(it, "an extent or divisor below 1");
  Set<T>(thread.cells[it.dest], f(Get<T>(thread.cells[it.a]), extent));
}

template <typename T>
Handler OfPositions(Routine routine) {
  switch (routine) {
    case Routine::ClampIndex:
      return &OfExtent<T, &Clamp<T>>;
    case Routine::MirrorIndex:
      return &OfExtent<T, &Mirror<T>>;
    case Routine::Mirror101Index:
      return &OfExtent<T, &Mirror101<T>>;
    case Routine::WrapIndex:
      return &OfExtent<T, &Wrap<T>>;
    case Routine::IsInside:
      return &Apply2<bool, T, &Inside<T>>;
    default:
      return nullptr;
  }
}

Handler OfLong(Routine routine) {
  using Long = long long;
  switch (routine) {
    case Routine::FloorDiv:
      return &OfExtent<Long, &stencilgen::FloorDiv>;
    case Routine::CeilDiv:
      return &OfExtent<Long, &stencilgen::CeilDiv>;
    case Routine::Largest:
      return &Apply2<Long, Long, &Value2<MathFunction::Max, Long>>;
    case Routine::Least:
      return &Apply2<Long, Long, &Value2<MathFunction::Min, Long>>;
    default:
      return nullptr;
  }
}

template <typename T>
Handler OfFloating(Routine routine) {
  if (routine == Routine::MulRn) return &Apply2<T, T, &stencilgen::MulRn>;
  if (routine == Routine::ReciprocalRoot) return &Apply1<T, T, &stencilgen::ReciprocalRoot>;
  if constexpr (std::is_same_v<T, float>) {
    if (routine == Routine::FastDivide) return &Apply2<T, T, &stencilgen::FastDivide>;
  }
  if (routine == Routine::IntPower) return &Power<T, false>;
  if (routine == Routine::IntPowerRn) return &Power<T, true>;
  return nullptr;
}

Handler OfInt(Routine routine) {
  if (routine == Routine::SafeDivide) return &Apply2<int, int, &stencilgen::SafeDivide>;
  if (routine == Routine::SafeModulo) return &Apply2<int, int, &stencilgen::SafeModulo>;
  if (routine == Routine::IntPower) return &Power<int, false>;
  return OfPositions<int>(routine);
}

}  // namespace

Handler FunctionHandler(stencilgen::Function function, Elementary type) {
  return WithType(type, [function](auto zero) -> Handler {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return nullptr;
    } else if constexpr (std::is_floating_point_v<T>) {
      return OfFloating<T>(function);
    } else {
      return OfIntegers<T>(function);
    }
  });
}

Handler MulAddHandler(Elementary type) {
  return type == Elementary::Float ? &Apply3<float, &MulAdd<float>>
                                   : &Apply3<double, &MulAdd<double>>;
}

Handler MulSubHandler(Elementary type) {
  return type == Elementary::Float ? &Apply3<float, &MulSub<float>>
                                   : &Apply3<double, &MulSub<double>>;
}

Handler RoutineHandler(Routine routine, Elementary type) {
  if (type == Elementary::Float) return OfFloating<float>(routine);
  if (type == Elementary::Double) return OfFloating<double>(routine);
  if (type == Elementary::Int) return OfInt(routine);
  if (type != Elementary::Index) return nullptr;
  const Handler handler = OfPositions<long long>(routine);
  return handler != nullptr ? handler : OfLong(routine);
}

}  // namespace stencilgen::kernel::bytecode
