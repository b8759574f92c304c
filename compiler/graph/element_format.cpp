#include "graph/element_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "stencilgen/half.hpp"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

std::optional<Function> RoundingOf(ElementFormat format) {
  if (format == ElementFormat::Half) return Function::RoundHalf;
  if (format == ElementFormat::BFloat16) return Function::RoundBFloat16;
  return std::nullopt;
}

const std::int64_t* LiteralAt(const Graph& graph, ExprId id) {
  const auto* literal = std::get_if<Literal>(&graph.exprs[id].node);
  return literal == nullptr ? nullptr : &literal->integer;
}

bool IsBound(const Graph& graph, ExprId id, std::int64_t number) {
  const std::int64_t* literal = LiteralAt(graph, id);
  return literal != nullptr && *literal == number;
}

/// min(max(x, least), largest), as FitTo writes it.
bool IsClamped(const Graph& graph, const Call& outer, IntegerRange range) {
  if (outer.function != Function::Min || !IsBound(graph, outer.arguments[1], range.largest)) {
    return false;
  }
  const auto* inner = std::get_if<Call>(&graph.exprs[outer.arguments[0]].node);
  return inner != nullptr && inner->function == Function::Max &&
         IsBound(graph, inner->arguments[1], range.least);
}

/// `x & mask` and `x % divisor` by numbers that leave only values of the range.
bool IsMasked(const Graph& graph, const Binary& binary, IntegerRange range) {
  const auto contains = [&](std::int64_t value) {
    return value >= range.least && value <= range.largest;
  };
  const std::int64_t* right = LiteralAt(graph, binary.rhs);
  if (binary.op == BinaryOp::BitAnd) {
    const std::int64_t* mask = right != nullptr ? right : LiteralAt(graph, binary.lhs);
    return mask != nullptr && *mask >= 0 && contains(*mask);
  }
  if (binary.op != BinaryOp::Mod || right == nullptr || *right == 0) return false;
  const std::int64_t most = (*right < 0 ? -*right : *right) - 1;
  return contains(-most) && contains(most);
}

/// Calls with an element of the C++ type that the format has, as `elements` of values.
template <typename Value, typename Body>
void WithElement(ElementFormat format, Body body) {
  switch (format) {
    case ElementFormat::Plain:
      return body(Value{});
    case ElementFormat::Int8:
      return body(std::int8_t{});
    case ElementFormat::UInt8:
      return body(std::uint8_t{});
    case ElementFormat::Int16:
      return body(std::int16_t{});
    case ElementFormat::UInt16:
      return body(std::uint16_t{});
    case ElementFormat::Half:
      return body(Half{});
    case ElementFormat::BFloat16:
      return body(BFloat16{});
  }
}

template <typename Element, typename Value>
Element ElementOf(Value value) {
  if constexpr (std::is_arithmetic_v<Element>) {
    return static_cast<Element>(value);
  } else {
    Element element;
    element = static_cast<float>(value);
    return element;
  }
}
template <typename Value, typename Element>
Value ValueOf(Element element) {
  if constexpr (std::is_arithmetic_v<Element>) {
    return static_cast<Value>(element);
  } else {
    return static_cast<Value>(static_cast<float>(element));
  }
}

}  // namespace

double Nearest(ElementFormat format, double value) {
  switch (format) {
    case ElementFormat::Plain:
      return value;
    case ElementFormat::Half:
      return RoundHalf(value);
    case ElementFormat::BFloat16:
      return RoundBFloat16(value);
    default:
      const IntegerRange range = RangeOf(format);
      if (std::isnan(value)) return 0;
      return std::clamp<double>(std::trunc(value), range.least, range.largest);
  }
}

void RoundToNearest(ElementFormat format, Values& values) {
  if (format == ElementFormat::Plain) return;
  Match(values, [&](auto& all) {
    using Value = typename std::decay_t<decltype(all)>::value_type;
    for (Value& value : all) value = static_cast<Value>(Nearest(format, value));
  });
}

std::size_t BytesOf(const Values& values, ElementFormat format) {
  return Match(values, [&](const auto& all) {
    using Value = typename std::decay_t<decltype(all)>::value_type;
    std::size_t size = sizeof(Value);
    WithElement<Value>(format, [&](auto element) { size = sizeof element; });
    return all.size() * size;
  });
}

void StoreElements(const Values& values, ElementFormat format, void* to) {
  Match(values, [&](const auto& all) {
    using Value = typename std::decay_t<decltype(all)>::value_type;
    WithElement<Value>(format, [&](auto zero) {
      using Element = decltype(zero);
      auto* elements = static_cast<Element*>(to);
      for (std::size_t k = 0; k < all.size(); ++k) elements[k] = ElementOf<Element>(all[k]);
    });
  });
}

void LoadElements(const void* from, ElementFormat format, Values& values) {
  Match(values, [&](auto& all) {
    using Value = typename std::decay_t<decltype(all)>::value_type;
    WithElement<Value>(format, [&](auto zero) {
      const auto* elements = static_cast<const decltype(zero)*>(from);
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = ValueOf<Value>(elements[k]);
    });
  });
}

bool Fits(const Graph& graph, ExprId value, ElementFormat format) {
  if (format == ElementFormat::Plain) return true;
  const std::optional<Function> rounding = RoundingOf(format);
  return Match(
      graph.exprs[value].node,
      [&](const Literal& literal) {
        const double number = rounding ? literal.value : static_cast<double>(literal.integer);
        return Nearest(format, number) == number;
      },
      [&](const Access& access) {
        return graph.arrays[graph.versions[access.version].array].format == format;
      },
      [&](const Call& call) {
        return rounding ? call.function == *rounding : IsClamped(graph, call, RangeOf(format));
      },
      [&](const Conditional& conditional) {
        return Fits(graph, conditional.then_value, format) &&
               Fits(graph, conditional.else_value, format);
      },
      [&](const Binary& binary) { return !rounding && IsMasked(graph, binary, RangeOf(format)); },
      [&](const Convert& convert) {  // a truth is 0 or 1
        return !rounding && graph.exprs[convert.operand].type == ScalarType::Bool;
      },
      [](const auto&) { return false; });
}

ExprId FitTo(Graph& graph, ExprId value, ElementFormat format) {
  if (Fits(graph, value, format)) return value;
  const ScalarType type = ValueTypeOf(format);
  const Span span = graph.exprs[value].span;
  if (const auto rounding = RoundingOf(format)) {
    return graph.exprs.Add({Call{*rounding, {value}}, type, span});
  }
  const IntegerRange range = RangeOf(format);
  const auto number = [&](int integer) {
    return graph.exprs.Add({Literal{0, integer}, type, span});
  };
  const ExprId least =
      graph.exprs.Add({Call{Function::Max, {value, number(range.least)}}, type, span});
  return graph.exprs.Add({Call{Function::Min, {least, number(range.largest)}}, type, span});
}

}  // namespace stencilgen::graph
