#include "support/expression_generator.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace stencilgen::testing {
namespace {

// Binding strength of what we print, as in the language.
constexpr int kConditional = 1, kOr = 2, kAnd = 3, kEquality = 6, kRelational = 7, kSum = 9,
              kProduct = 10, kSign = 11, kPower = 12, kPrimary = 13;

std::string AtLeast(const Term& term, int level) {
  return term.level >= level ? term.text : fmt::format("({})", term.text);
}

Term Binary(const Term& a, std::string_view op, const Term& b, int level, double bound) {
  return {fmt::format("{} {} {}", AtLeast(a, level), op, AtLeast(b, level + 1)), level, bound};
}

Term Literal(std::string text, double bound) {
  return {std::move(text), kPrimary, bound};
}

}  // namespace

std::string ExpressionGenerator::Fraction() {
  const int hundredths = prng_.Range(1, 99);
  switch (prng_.Below(8)) {
    case 0:
      return fmt::format(".{:02}", hundredths);
    case 1:
      return fmt::format("{}e-2", hundredths);
    case 2:
      return fmt::format("{}.e-2", hundredths);
    case 3:
      return fmt::format("0.{:02}f", hundredths);
    default:
      return fmt::format("0.{:02}", hundredths);
  }
}

std::string ExpressionGenerator::TurnIndex(const std::vector<std::string>& turns, int extent) {
  const std::string& turn = prng_.Pick(turns);
  switch (prng_.Below(6)) {
    case 0:
      return extent > 1 ? turn + "+1" : turn;
    case 1:
      return "2*" + turn;
    case 2:
      return fmt::format("{}-{}", extent - 1, turn);
    default:
      return turn;
  }
}

std::string ExpressionGenerator::Index(const Scope& scope, const Dimension& dim, bool local) {
  const bool by_turn = !scope.turns.empty() && !local;
  if (dim.iterator < 0 && by_turn && prng_.Percent(70)) {
    return TurnIndex(scope.turns, dim.extent);
  }
  if (dim.iterator < 0) return fmt::format("{}", prng_.Below(dim.extent));
  int iterator = dim.iterator;
  // An iterator of another dimension now and then: a transposed or diagonal access.
  if (prng_.Percent(3)) iterator = prng_.Below(static_cast<int>(scope.iterators.size()));
  const auto it = static_cast<std::size_t>(iterator);
  if (!scope.varies[it] || (!local && prng_.Percent(3))) {
    const std::string& size = scope.parameters[static_cast<std::size_t>(dim.iterator)];
    if (by_turn && prng_.Percent(40)) return prng_.Pick(scope.turns);
    switch (prng_.Below(4)) {
      case 0:
        return fmt::format("{}-1", size);
      case 1:
        return fmt::format("{}", prng_.Below(4));
      default:
        return "0";
    }
  }
  const int offset = prng_.Percent(40) ? 0 : prng_.Range(-scope.reach, scope.reach);
  const std::string scale = prng_.Percent(2) ? fmt::format("{}*", prng_.Range(2, 3)) : "";
  if (offset == 0) return scale + scope.iterators[it];
  return fmt::format("{}{}{:+}", scale, scope.iterators[it], offset);
}

std::string ExpressionGenerator::Access(const Scope& scope, const ReadableArray& array) {
  std::vector<std::string> indices;
  for (const Dimension& dim : array.dims) {
    const bool place = scope.places != nullptr && !array.local && scope.places->Percent(12);
    indices.push_back(place ? Place(scope, dim) : Index(scope, dim, array.local));
  }
  if (prng_.Percent(5)) return fmt::format("{}[{}]", array.name, fmt::join(indices, ","));
  return fmt::format("{}[{}]", array.name, fmt::join(indices, "]["));
}

/// An index that is a value, inside of small arrays or not.
std::string ExpressionGenerator::Place(const Scope& scope, const Dimension& dim) {
  std::vector<std::string> values;
  for (const ReadableScalar& scalar : scope.scalars) {
    if (scalar.type == ScalarType::Int) values.push_back(scalar.name);
  }
  if (CanRead(scope, false)) values.push_back(Access(scope, PickArray(scope, false)));
  if (values.empty()) return Index(scope, dim, false);
  const std::string value = scope.places->Pick(values);
  const bool moves = dim.iterator >= 0 && scope.varies[static_cast<std::size_t>(dim.iterator)];
  switch (scope.places->Below(4)) {
    case 0:
      return value;
    case 1:
      return fmt::format("{} & 7", value);
    case 2:
      return fmt::format("abs({}) % 5", value);
    default:
      return fmt::format("{} % 3 + {}", value,
                         moves ? scope.iterators[static_cast<std::size_t>(dim.iterator)] : "2");
  }
}

bool ExpressionGenerator::CanRead(const Scope& scope, bool floating) const {
  return std::any_of(scope.arrays.begin(), scope.arrays.end(), [&](const ReadableArray& array) {
    return floating ? IsFloating(array.type) : array.type == ScalarType::Int;
  });
}

const ReadableArray& ExpressionGenerator::PickArray(const Scope& scope, bool floating) {
  std::vector<const ReadableArray*> fitting;
  for (const ReadableArray& array : scope.arrays) {
    if (floating ? IsFloating(array.type) : array.type == ScalarType::Int) {
      fitting.push_back(&array);
    }
  }
  return *prng_.Pick(fitting);
}

Term ExpressionGenerator::FloatLeaf(const Scope& scope) {
  if (CanRead(scope, true) && prng_.Percent(70)) {
    return Literal(Access(scope, PickArray(scope, true)), kFloatBound);
  }
  std::vector<std::string> names;
  for (const ReadableScalar& scalar : scope.scalars) {
    if (IsFloating(scalar.type)) names.push_back(scalar.name);
  }
  if (!names.empty() && prng_.Percent(60)) return Literal(prng_.Pick(names), kFloatBound);
  if (prng_.Percent(15)) {
    const Term value = IntTerm(scope, 1);
    return {fmt::format("{}*({} % 9)", Fraction(), AtLeast(value, kProduct)), kProduct, 8};
  }
  return Literal(Fraction(), 1);
}

Term ExpressionGenerator::FloatCall(const Scope& scope, int depth) {
  const Term x = FloatTerm(scope, depth - 1);
  const std::string& t = x.text;
  // Arguments keep clear of the points where a function is steep or not defined.
  switch (prng_.Below(24)) {
    case 0:
      return Literal(fmt::format("sqrt(fabs({}) + 1.0)", t), std::sqrt(x.bound + 1));
    case 1:
      return Literal(fmt::format("cbrt(fabs({}) + 1.0)", t), std::cbrt(x.bound + 1));
    case 2:
      return Literal(fmt::format("exp(-fabs({}))", t), 1);
    case 3:
      return Literal(fmt::format("exp2(-fabs({}))", t), 1);
    case 4:
      return Literal(fmt::format("log(fabs({}) + 1.5)", t), std::log(x.bound + 1.5));
    case 5:
      return Literal(fmt::format("log2(fabs({}) + 1.5)", t), std::log2(x.bound + 1.5));
    case 6:
      return Literal(fmt::format("log10(fabs({}) + 1.5)", t), std::log10(x.bound + 1.5));
    case 7:
      return Literal(fmt::format("sin({})", t), 1);
    case 8:
      return Literal(fmt::format("cos({})", t), 1);
    case 9:
      return Literal(fmt::format("tan(0.7*sin({}))", t), 1);
    case 10:
      return Literal(fmt::format("asin(0.8*sin({}))", t), 1);
    case 11:
      return Literal(fmt::format("acos(0.8*cos({}))", t), 3);
    case 12:
      return Literal(fmt::format("atan({})", t), 1.6);
    case 13:
      return Literal(fmt::format("sinh(sin({}))", t), 1.2);
    case 14:
      return Literal(fmt::format("cosh(tanh({}))", t), 1.6);
    case 15:
      return Literal(fmt::format("erf({})", t), 1);
    case 16:
      return Literal(fmt::format("pow(fabs({}) + 0.5, 0.7)", t), x.bound + 0.5);
    case 17:
      return {fmt::format("{}^2", AtLeast(x, kPrimary)), kPower, x.bound * x.bound};
    case 18:
      return {fmt::format("{}^3", AtLeast(x, kPrimary)), kPower, x.bound * x.bound * x.bound};
    default:
      break;
  }
  const Term y = FloatTerm(scope, depth - 1);
  switch (prng_.Below(6)) {
    case 0:
      return Literal(fmt::format("min({}, {})", t, y.text), std::max(x.bound, y.bound));
    case 1:
      return Literal(fmt::format("max({}, {})", t, y.text), std::max(x.bound, y.bound));
    case 2:
      return Literal(fmt::format("atan2({}, fabs({}) + 1.0)", t, y.text), 1.6);
    case 3:
      return Literal(fmt::format("hypot({}, {})", t, y.text), x.bound + y.bound);
    case 4:
      return Literal(fmt::format("fma({}, {}, {})", t, y.text, Fraction()), x.bound * y.bound + 1);
    default:
      return Literal(fmt::format("fabs({})", t), x.bound);
  }
}

Term ExpressionGenerator::DiscontinuousCall(const Scope& scope, int depth) {
  const Term x = FloatTerm(scope, depth - 1);
  switch (prng_.Below(5)) {
    case 0:
      return Literal(fmt::format("floor(3.0*{})", AtLeast(x, kSign)), 3 * x.bound + 1);
    case 1:
      return Literal(fmt::format("ceil(2.5*{})", AtLeast(x, kSign)), 3 * x.bound + 1);
    case 2:
      return Literal(fmt::format("round(4.0*{})", AtLeast(x, kSign)), 4 * x.bound + 1);
    case 3:
      return Literal(fmt::format("trunc(5.0*{})", AtLeast(x, kSign)), 5 * x.bound + 1);
    default:
      return Literal(fmt::format("fmod({}, 0.7)", x.text), 0.7);
  }
}

Term ExpressionGenerator::FloatTerm(const Scope& scope, int depth) {
  if (depth <= 0) return FloatLeaf(scope);
  const int choice = prng_.Below(100);
  if (choice < 8) return FloatLeaf(scope);
  if (choice < 20) return FloatCall(scope, depth);
  if (choice < 26) {
    const Term condition = BoolTerm(scope, depth - 1);
    const Term a = FloatTerm(scope, depth - 1), b = FloatTerm(scope, depth - 1);
    return {fmt::format("{} ? {} : {}", AtLeast(condition, kOr), AtLeast(a, kOr),
                        AtLeast(b, kConditional)),
            kConditional, std::max(a.bound, b.bound)};
  }
  if (choice < 30) {
    const Term a = FloatTerm(scope, depth - 1);
    return {fmt::format("{}{}", prng_.Percent(80) ? "-" : "+", AtLeast(a, kPower)), kSign, a.bound};
  }
  if (choice < 34 && scope.discontinuous) return DiscontinuousCall(scope, depth);
  const Term a = FloatTerm(scope, depth - 1), b = FloatTerm(scope, depth - 1);
  if (choice < 62) return Binary(a, "+", b, kSum, a.bound + b.bound);
  if (choice < 76) return Binary(a, "-", b, kSum, a.bound + b.bound);
  if (choice < 93) return Binary(a, "*", b, kProduct, a.bound * b.bound);
  return {fmt::format("{} / (fabs({}) + 1.5)", AtLeast(a, kProduct), b.text), kProduct, a.bound};
}

Term ExpressionGenerator::IntLeaf(const Scope& scope) {
  if (CanRead(scope, false) && prng_.Percent(60)) {
    return Literal(Access(scope, PickArray(scope, false)), kIntBound);
  }
  std::vector<std::string> names;
  for (const ReadableScalar& scalar : scope.scalars) {
    if (scalar.type == ScalarType::Int) names.push_back(scalar.name);
  }
  if (!names.empty() && prng_.Percent(30)) return Literal(prng_.Pick(names), kIntBound);
  if (!scope.turns.empty() && prng_.Percent(30)) return Literal(prng_.Pick(scope.turns), 100);
  const int it = prng_.Below(static_cast<int>(scope.iterators.size()));
  if (scope.varies[static_cast<std::size_t>(it)] && prng_.Percent(40)) {
    return Literal(scope.iterators[static_cast<std::size_t>(it)], 100);
  }
  if (prng_.Percent(20)) return Literal(scope.parameters[static_cast<std::size_t>(it)], 100);
  return Literal(fmt::format("{}", prng_.Below(10)), 9);
}

Term ExpressionGenerator::IntBinary(const Scope& scope, int depth) {
  const Term a = IntTerm(scope, depth - 1), b = IntTerm(scope, depth - 1);
  switch (prng_.Below(8)) {
    case 0:
      return Binary(a, "-", b, kSum, a.bound + b.bound);
    case 1:
      if (a.bound * b.bound < 1e6) return Binary(a, "*", b, kProduct, a.bound * b.bound);
      break;
    case 2:
      return Binary(a, "/", Literal(fmt::format("{}", prng_.Range(2, 7)), 7), kProduct, a.bound);
    case 3:
      return Binary(a, "%", Literal(fmt::format("{}", prng_.Range(2, 11)), 11), kProduct, 11);
    case 4: {
      // Division by an element may be by zero, which gives 0; by a constant zero it is an error.
      if (!CanRead(scope, false)) break;
      const Term divisor = Literal(Access(scope, PickArray(scope, false)), kIntBound);
      return Binary(a, prng_.Percent(50) ? "/" : "%", divisor, kProduct, a.bound);
    }
    case 5:
      return Literal(fmt::format("({} & {})", AtLeast(a, kSum), prng_.Range(1, 15)), 15);
    default:
      break;
  }
  return Binary(a, "+", b, kSum, a.bound + b.bound);
}

Term ExpressionGenerator::IntTerm(const Scope& scope, int depth) {
  if (depth <= 0) return IntLeaf(scope);
  const int choice = prng_.Below(100);
  if (choice < 15) return IntLeaf(scope);
  if (choice < 75) return IntBinary(scope, depth);
  const Term a = IntTerm(scope, depth - 1);
  if (choice < 79) return {fmt::format("-{}", AtLeast(a, kPower)), kSign, a.bound};
  if (choice < 83) return Literal(fmt::format("abs({})", a.text), a.bound);
  if (choice < 86) {
    return {fmt::format("({} % 10)^{}", AtLeast(a, kProduct), prng_.Range(0, 3)), kPower, 729};
  }
  if (choice < 89 && scope.discontinuous) {
    const Term x = FloatTerm(scope, depth - 1);
    return {fmt::format("({} < 0.1 ? {} : 3)", AtLeast(x, kSum), a.text), kPrimary,
            std::max(a.bound, 3.0)};
  }
  const Term b = IntTerm(scope, depth - 1);
  if (choice < 94) {
    return Literal(fmt::format("{}({}, {})", prng_.Percent(50) ? "min" : "max", a.text, b.text),
                   std::max(a.bound, b.bound));
  }
  const Term condition = BoolTerm(scope, depth - 1);
  return {fmt::format("({} ? {} : {})", AtLeast(condition, kOr), a.text, b.text), kPrimary,
          std::max(a.bound, b.bound)};
}

Term ExpressionGenerator::BoolTerm(const Scope& scope, int depth) {
  std::vector<const ReadableArray*> masks;
  for (const ReadableArray& array : scope.arrays) {
    if (array.type == ScalarType::Bool) masks.push_back(&array);
  }
  if (!masks.empty() && prng_.Percent(40)) return Literal(Access(scope, *prng_.Pick(masks)), 1);
  if (depth > 0 && prng_.Percent(20)) {
    const bool both = prng_.Percent(50);
    const Term a = BoolTerm(scope, depth - 1), b = BoolTerm(scope, depth - 1);
    return Binary(a, both ? "&&" : "||", b, both ? kAnd : kOr, 1);
  }
  if (depth > 0 && prng_.Percent(10)) {
    return {fmt::format("!{}", AtLeast(BoolTerm(scope, depth - 1), kPrimary)), kSign, 1};
  }
  static const std::vector<std::string> kOps = {"<", "<=", ">", ">=", "==", "!="};
  const int op = prng_.Below(6);
  const int level = op < 4 ? kRelational : kEquality;
  const std::string& name = kOps[static_cast<std::size_t>(op)];
  if (scope.discontinuous && op < 4 && prng_.Percent(60)) {
    const Term a = FloatTerm(scope, depth - 1), b = FloatTerm(scope, depth - 1);
    return Binary(a, name, b, level, 1);
  }
  const Term a = IntTerm(scope, depth - 1), b = IntTerm(scope, depth - 1);
  return Binary(a, name, b, level, 1);
}

std::string ExpressionGenerator::Float(const Scope& scope, int depth) {
  const Term term = FloatTerm(scope, depth);
  if (term.bound <= kFloatBound) return term.text;
  const double factor = kFloatBound / term.bound;
  if (factor < 0.01) {
    return fmt::format("{} / {:.0f}.0", AtLeast(term, kProduct), std::ceil(1 / factor));
  }
  return fmt::format("0.{:02}*{}", static_cast<int>(factor * 100), AtLeast(term, kSign));
}

std::string ExpressionGenerator::Int(const Scope& scope, int depth) {
  const Term term = IntTerm(scope, depth);
  return fmt::format("{} % {}", AtLeast(term, kProduct), prng_.Range(5, 97));
}

std::string ExpressionGenerator::Bool(const Scope& scope, int depth) {
  return BoolTerm(scope, depth).text;
}

std::string ExpressionGenerator::Neighbours(const Scope& scope) {
  if (!CanRead(scope, true)) return "";
  const ReadableArray& array = PickArray(scope, true);
  const int count = prng_.Range(2, 7);
  std::string text;
  for (int n = 0; n < count; ++n) {
    // Weights of at most 1/count keep the sum within the array's own bound.
    const std::string weight = fmt::format("0.{:03}", prng_.Range(1, 999 / count));
    const char* const sign = n == 0 ? "" : prng_.Percent(75) ? " + " : " - ";
    text += fmt::format("{}{}*{}", sign, weight, Access(scope, array));
  }
  return text;
}

}  // namespace stencilgen::testing
