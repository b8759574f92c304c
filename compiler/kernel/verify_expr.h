#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "kernel/code.h"

namespace stencilgen::kernel {

/// True where a value of one type may stand where the other is expected: int and Index mix, and a
/// number fits whatever is computed with. A vector stands for a pack of equal vectors.
bool Fits(const Expr& value, Type type);

/// Checks expressions: operands, calls, types.
class ExprVerifier {
 public:
  /// `use`: an expression refers to the variable, or to the type that it names. `report`: what is
  /// wrong.
  ExprVerifier(Target target, std::function<void(const VarRef&, bool is_type)> use,
               std::function<void(std::string)> report)
      : target_(target), use_(std::move(use)), report_(std::move(report)) {}

  void Check(const Expr& expr);
  /// It is an integer, of which there is one.
  void CheckPosition(const Expr& expr, const char* what);
  void CheckCondition(const Expr& expr);
  void CheckAddress(const Expr& expr);
  /// The element of an array, whose index is checked.
  void CheckElement(const ElementExpr& element);

 private:
  void CheckNode(const Expr& expr);
  void CheckUnary(const UnaryExpr& unary, const Expr& expr);
  void CheckBinary(const BinaryExpr& binary, const Expr& expr);
  void CheckConditional(const ConditionalExpr& conditional, const Expr& expr);
  void CheckCall(const CallExpr& call, const Expr& expr);
  void CheckFunction(stencilgen::Function function, const CallExpr& call, const Expr& expr);
  void CheckRoutine(Routine routine, const CallExpr& call, const Expr& expr);
  void CheckHostRoutine(Routine routine, const CallExpr& call, const Expr& expr);
  void CheckShuffle(const CallExpr& call, const Expr& expr);
  void CheckPackRoutine(Routine routine, const CallExpr& call, const Expr& expr);
  void CheckArguments(const CallExpr& call, std::size_t count, Type type, const Expr& expr);
  void Report(const Expr& expr, std::string_view what);

  Target target_;
  std::function<void(const VarRef&, bool is_type)> use_;
  std::function<void(std::string)> report_;
};

}  // namespace stencilgen::kernel
