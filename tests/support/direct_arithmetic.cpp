#include "support/direct_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>

namespace stencilgen::testing {
namespace {

double Wrap(double value) {
  return static_cast<double>(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value))));
}

double Integers(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::Div:
      return b == 0 ? 0 : Wrap(std::trunc(a / b));
    case BinaryOp::Mod:
      return b == 0 ? 0 : std::fmod(a, b);
    case BinaryOp::BitAnd:
      return static_cast<double>(static_cast<std::int64_t>(a) & static_cast<std::int64_t>(b));
    case BinaryOp::BitOr:
      return static_cast<double>(static_cast<std::int64_t>(a) | static_cast<std::int64_t>(b));
    case BinaryOp::Add:
      return Wrap(a + b);
    case BinaryOp::Sub:
      return Wrap(a - b);
    case BinaryOp::Mul:
      return Wrap(a * b);
    default:
      throw std::logic_error("no integer operator");
  }
}

}  // namespace

DirectNumber DirectUnary(UnaryOp op, DirectNumber a) {
  if (op == UnaryOp::Not) return {a.value == 0 ? 1.0 : 0.0, true, a.defined};
  return {op == UnaryOp::Negate ? -a.value : a.value, a.integer, a.defined};
}

DirectNumber DirectBinary(BinaryOp op, DirectNumber a, DirectNumber b) {
  const double x = a.value;
  const double y = b.value;
  const bool integer = a.integer && b.integer;
  const bool defined = a.defined && b.defined;
  const auto truth = [&](bool t) { return DirectNumber{t ? 1.0 : 0.0, true, defined}; };
  switch (op) {
    case BinaryOp::Less:
      return truth(x < y);
    case BinaryOp::LessEqual:
      return truth(x <= y);
    case BinaryOp::Greater:
      return truth(x > y);
    case BinaryOp::GreaterEqual:
      return truth(x >= y);
    case BinaryOp::Equal:
      return truth(x == y);
    case BinaryOp::NotEqual:
      return truth(x != y);
    case BinaryOp::And:
      return truth(x != 0 && y != 0);
    case BinaryOp::Or:
      return truth(x != 0 || y != 0);
    case BinaryOp::Power:
      return {std::pow(x, y), integer && y >= 0, defined};
    default:
      break;
  }
  if (integer) return {Integers(op, x, y), true, defined};
  const double value = op == BinaryOp::Add   ? x + y
                       : op == BinaryOp::Sub ? x - y
                       : op == BinaryOp::Mul ? x * y
                                             : x / y;
  return {value, false, defined};
}

DirectNumber DirectCall(const std::string& function, const std::vector<DirectNumber>& arguments) {
  bool integer = true;
  bool defined = true;
  for (const DirectNumber& argument : arguments) {
    integer = integer && argument.integer;
    defined = defined && argument.defined;
  }
  const double x = arguments[0].value;
  const double y = arguments.size() > 1 ? arguments[1].value : 0;
  const double z = arguments.size() > 2 ? arguments[2].value : 0;
  if (function == "min") return {std::min(x, y), integer, defined};
  if (function == "max") return {std::max(x, y), integer, defined};
  if (function == "abs") return {std::fabs(x), integer, defined};
  if (function == "fma") return {x * y + z, false, defined};
  static const std::map<std::string, double (*)(double, double)> kBinary = {
      {"pow", [](double a, double b) { return std::pow(a, b); }},
      {"atan2", [](double a, double b) { return std::atan2(a, b); }},
      {"fmod", [](double a, double b) { return std::fmod(a, b); }},
      {"hypot", [](double a, double b) { return std::hypot(a, b); }}};
  static const std::map<std::string, double (*)(double)> kUnary = {
      {"fabs", std::fabs},   {"sqrt", std::sqrt},   {"cbrt", std::cbrt}, {"exp", std::exp},
      {"exp2", std::exp2},   {"log", std::log},     {"log2", std::log2}, {"log10", std::log10},
      {"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},   {"asin", std::asin},
      {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh}, {"cosh", std::cosh},
      {"tanh", std::tanh},   {"floor", std::floor}, {"ceil", std::ceil}, {"round", std::round},
      {"trunc", std::trunc}, {"erf", std::erf}};
  // Floating numbers are not rounded.
  if (function == "round_half" || function == "round_bfloat16") return {x, false, defined};
  const auto binary = kBinary.find(function);
  if (binary != kBinary.end()) return {binary->second(x, y), false, defined};
  return {kUnary.at(function)(x), false, defined};
}

DirectNumber DirectConvert(DirectNumber a, ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return {a.value != 0 ? 1.0 : 0.0, true, a.defined};
    case ScalarType::Int:
      return {std::trunc(a.value), true, a.defined};
    case ScalarType::Float:
    case ScalarType::Double:
      return {a.value, false, a.defined};
  }
  return a;
}

DirectNumber DirectStore(DirectNumber a, ScalarType type, ElementFormat format) {
  a = DirectConvert(a, type);
  const bool whole = ElementFormat::Int8 <= format && format <= ElementFormat::UInt16;
  if (!whole) return a;
  static const std::map<ElementFormat, std::pair<double, double>> kEnds = {
      {ElementFormat::Int8, {-128, 127}},
      {ElementFormat::UInt8, {0, 255}},
      {ElementFormat::Int16, {-32768, 32767}},
      {ElementFormat::UInt16, {0, 65535}}};
  const auto [least, largest] = kEnds.at(format);
  return {std::min(std::max(a.value, least), largest), true, a.defined};
}

}  // namespace stencilgen::testing
