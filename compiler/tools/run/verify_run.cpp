#include "tools/run/verify_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "support/check.h"
#include "support/match.h"

namespace stencilgen::driver {

namespace {

/// What the expressions of a graph say about the precision of its results.
struct Precision {
  bool single = false;   ///< some value is computed in single precision
  bool rounds = false;   ///< some floating value becomes a whole number
  bool library = false;  ///< some library function is called that vendors round differently
};

Precision FindPrecision(const graph::Graph& graph) {
  Precision precision;
  for (const graph::Expr& expr : graph.exprs) {
    const bool computed = !std::holds_alternative<graph::Access>(expr.node) &&
                          !std::holds_alternative<graph::Literal>(expr.node);
    if (computed && expr.type == ScalarType::Float) precision.single = true;
    if (const auto* convert = std::get_if<graph::Convert>(&expr.node)) {
      const bool from_floating = IsFloating(graph.exprs[convert->operand].type);
      precision.rounds = precision.rounds || (from_floating && expr.type == ScalarType::Int);
    }
    if (const auto* call = std::get_if<graph::Call>(&expr.node)) {
      precision.library = precision.library || !RoundsAlike(call->function);
    }
    if (const auto* binary = std::get_if<graph::Binary>(&expr.node)) {
      precision.library = precision.library || binary->op == BinaryOp::Power;
    }
  }
  return precision;
}

double ToleranceOf(const graph::Array& array, const Precision& precision, Executor executor,
                   FpMode fp) {
  constexpr double kSingle = 1e-5;
  constexpr double kDouble = 1e-12;
  // A last bit, where sums in another order are rounded to another number.
  constexpr double kHalf = 0x1p-9;
  constexpr double kBFloat16 = 0x1p-6;
  constexpr double kWhole = 1e-2;
  const ScalarType type = array.type;
  const bool narrow = array.format != ElementFormat::Plain;
  const bool exact = (!IsFloating(type) && !(narrow && precision.rounds)) ||
                     (fp == FpMode::Strict && (executor != Executor::Cuda || !precision.library));
  if (exact) return 0;
  if (array.format == ElementFormat::Half) return kHalf;
  if (array.format == ElementFormat::BFloat16) return kBFloat16;
  if (narrow) return kWhole;
  return type == ScalarType::Float || precision.single ? kSingle : kDouble;
}

template <typename T>
bool SameBits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
    if (std::signbit(a) != std::signbit(b)) return false;
  }
  return a == b;
}

std::vector<std::int64_t> IndexOf(std::size_t position, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  auto rest = static_cast<std::int64_t>(position);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = rest % shape[d];
    rest /= shape[d];
  }
  return index;
}

template <typename T>
void Compare(const std::vector<T>& values, const std::vector<T>& reference,
             const std::vector<std::uint8_t>& defined, const std::vector<std::int64_t>& shape,
             Comparison& comparison) {
  STENCILGEN_CHECK(values.size() == reference.size() && values.size() == defined.size());
  // Wider than double, so that squares of large values do not overflow.
  long double difference_sum = 0;
  long double reference_sum = 0;
  double worst = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (defined[i] == 0) continue;
    ++comparison.elements;
    const auto value = static_cast<double>(values[i]);
    const auto expected = static_cast<double>(reference[i]);
    const bool same = SameBits(values[i], reference[i]);
    comparison.equal = comparison.equal && same;
    if (std::isfinite(expected)) {
      comparison.largest = std::max(comparison.largest, std::fabs(expected));
    } else {
      ++comparison.not_finite;
    }
    // Equal infinities, and NaN for NaN, differ by nothing and have no size.
    if (same && !std::isfinite(expected)) continue;
    double difference = same ? 0 : std::fabs(value - expected);
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    difference_sum += static_cast<long double>(difference) * difference;
    if (std::isfinite(expected)) reference_sum += static_cast<long double>(expected) * expected;
    comparison.max_abs_error = std::max(comparison.max_abs_error, difference);
    if (!same && difference > worst) {
      worst = difference;
      comparison.worst = IndexOf(i, shape);
      comparison.worst_value = value;
      comparison.worst_reference = expected;
    }
  }
  if (difference_sum > 0) {
    comparison.rel_rms = reference_sum > 0
                             ? static_cast<double>(std::sqrt(difference_sum / reference_sum))
                             : std::numeric_limits<double>::infinity();
  }
}

}  // namespace

std::vector<Comparison> CompareOutputs(const graph::Graph& graph, const RunInputs& inputs,
                                       const std::vector<graph::Values>& outputs,
                                       const graph::InterpretResult& reference, Executor executor,
                                       FpMode fp) {
  const Precision precision = FindPrecision(graph);
  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const graph::Array& array = graph.arrays[graph.outputs[i].array];
    Comparison comparison;
    comparison.name = array.name;
    comparison.tolerance = ToleranceOf(array, precision, executor, fp);
    Match(outputs[i], [&](const auto& values) {
      const auto& expected = std::get<std::decay_t<decltype(values)>>(reference.outputs[i]);
      Compare(values, expected, reference.defined[i], inputs.Array(array.name).shape, comparison);
    });
    comparison.passed = comparison.equal ||
                        (comparison.tolerance > 0 && comparison.rel_rms <= comparison.tolerance);
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

std::string ElementText(const std::string& array, const std::vector<std::int64_t>& index) {
  std::string text = array;
  for (const std::int64_t i : index) text += fmt::format("[{}]", i);
  return text;
}

}  // namespace stencilgen::driver
