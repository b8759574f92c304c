#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stencilgen {

/// The mathematical functions of the language, by their C names where C has them.
enum class Function : std::uint8_t {
  Min,
  Max,
  Abs,
  Fabs,
  Sqrt,
  Cbrt,
  Pow,
  Exp,
  Exp2,
  Log,
  Log2,
  Log10,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Floor,
  Ceil,
  Round,
  Trunc,
  Fmod,
  Fma,
  Hypot,
  Erf,
  RoundHalf,     ///< the nearest number that a half holds; of a double by way of a float
  RoundBFloat16  ///< likewise a bfloat16
};

struct FunctionInfo {
  Function function;
  std::string_view name;
  int arity;
};

/// Every function, in declaration order.
const std::vector<FunctionInfo>& AllFunctions();
const FunctionInfo& Info(Function function);
/// True for the functions that every implementation rounds alike, or that do not round: vendors'
/// libraries differ in the others.
bool RoundsAlike(Function function);
/// Empty where the language has no function of that name.
std::optional<Function> FindFunction(std::string_view name);

}  // namespace stencilgen
