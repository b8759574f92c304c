#include "support/functions.h"

namespace stencilgen {

const std::vector<FunctionInfo>& AllFunctions() {
  static const std::vector<FunctionInfo> kFunctions = {
      {Function::Min, "min", 2},
      {Function::Max, "max", 2},
      {Function::Abs, "abs", 1},
      {Function::Fabs, "fabs", 1},
      {Function::Sqrt, "sqrt", 1},
      {Function::Cbrt, "cbrt", 1},
      {Function::Pow, "pow", 2},
      {Function::Exp, "exp", 1},
      {Function::Exp2, "exp2", 1},
      {Function::Log, "log", 1},
      {Function::Log2, "log2", 1},
      {Function::Log10, "log10", 1},
      {Function::Sin, "sin", 1},
      {Function::Cos, "cos", 1},
      {Function::Tan, "tan", 1},
      {Function::Asin, "asin", 1},
      {Function::Acos, "acos", 1},
      {Function::Atan, "atan", 1},
      {Function::Atan2, "atan2", 2},
      {Function::Sinh, "sinh", 1},
      {Function::Cosh, "cosh", 1},
      {Function::Tanh, "tanh", 1},
      {Function::Floor, "floor", 1},
      {Function::Ceil, "ceil", 1},
      {Function::Round, "round", 1},
      {Function::Trunc, "trunc", 1},
      {Function::Fmod, "fmod", 2},
      {Function::Fma, "fma", 3},
      {Function::Hypot, "hypot", 2},
      {Function::Erf, "erf", 1},
      {Function::RoundHalf, "round_half", 1},
      {Function::RoundBFloat16, "round_bfloat16", 1},
  };
  return kFunctions;
}

const FunctionInfo& Info(Function function) {
  return AllFunctions()[static_cast<std::size_t>(function)];
}

bool RoundsAlike(Function function) {
  switch (function) {
    case Function::Min:
    case Function::Max:
    case Function::Abs:
    case Function::Fabs:
    case Function::Sqrt:
    case Function::Floor:
    case Function::Ceil:
    case Function::Round:
    case Function::Trunc:
    case Function::Fma:
    case Function::Fmod:
    case Function::RoundHalf:
    case Function::RoundBFloat16:
      return true;
    default:
      return false;
  }
}

std::optional<Function> FindFunction(std::string_view name) {
  for (const FunctionInfo& info : AllFunctions()) {
    if (info.name == name) return info.function;
  }
  return std::nullopt;
}

}  // namespace stencilgen
