#pragma once

#include <cstdint>
#include <string_view>

namespace stencilgen {

enum class UnaryOp : std::uint8_t { Negate, Plus, Not };
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  BitAnd,
  BitOr,
  And,
  Or,
  Power
};
enum class AssignOp : std::uint8_t { Assign, Add, Sub, Mul, Div, And, Or };

/// The language's spelling; C's too, except for Power.
std::string_view ToString(UnaryOp op);
std::string_view ToString(BinaryOp op);
std::string_view ToString(AssignOp op);

/// The binary operator of a compound assignment. Requires: op is not Assign.
BinaryOp UpdateOperator(AssignOp op);

constexpr bool IsComparison(BinaryOp op) {
  return op >= BinaryOp::Less && op <= BinaryOp::NotEqual;
}
constexpr bool IsLogical(BinaryOp op) {
  return op == BinaryOp::And || op == BinaryOp::Or;
}
constexpr bool IsBitwise(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr;
}

/// Binding strength in the language's own syntax, larger binds tighter; unary operators sit
/// between Mul (10) and Power (12). `a ? b : c` is 1.
int Precedence(BinaryOp op);
inline constexpr int kConditionalPrecedence = 1;
inline constexpr int kUnaryPrecedence = 11;
inline constexpr int kPrimaryPrecedence = 13;

}  // namespace stencilgen
