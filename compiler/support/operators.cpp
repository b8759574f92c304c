#include "support/operators.h"

#include "support/check.h"

namespace stencilgen {

std::string_view ToString(UnaryOp op) {
  switch (op) {
    case UnaryOp::Negate:
      return "-";
    case UnaryOp::Plus:
      return "+";
    case UnaryOp::Not:
      return "!";
  }
  return "?";
}

std::string_view ToString(BinaryOp op) {
  constexpr std::string_view kNames[] = {"+",  "-",  "*",  "/", "%", "<",  "<=", ">",
                                         ">=", "==", "!=", "&", "|", "&&", "||", "^"};
  return kNames[static_cast<int>(op)];
}

std::string_view ToString(AssignOp op) {
  constexpr std::string_view kNames[] = {"=", "+=", "-=", "*=", "/=", "&=", "|="};
  return kNames[static_cast<int>(op)];
}

BinaryOp UpdateOperator(AssignOp op) {
  STENCILGEN_CHECK(op != AssignOp::Assign);
  constexpr BinaryOp kOps[] = {BinaryOp::Add, BinaryOp::Add,    BinaryOp::Sub,  BinaryOp::Mul,
                               BinaryOp::Div, BinaryOp::BitAnd, BinaryOp::BitOr};
  return kOps[static_cast<int>(op)];
}

int Precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return 2;
    case BinaryOp::And:
      return 3;
    case BinaryOp::BitOr:
      return 4;
    case BinaryOp::BitAnd:
      return 5;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return 6;
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual:
      return 7;
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return 9;
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::Mod:
      return 10;
    case BinaryOp::Power:
      return 12;
  }
  return 0;
}

}  // namespace stencilgen
