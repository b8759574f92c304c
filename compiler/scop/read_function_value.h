#pragma once

#include <optional>
#include <string>
#include <vector>

#include <clang-c/Index.h>

#include "scop/read_expr.h"

namespace stencilgen::scop {

constexpr DiagnosticKind<std::string, std::string> kFunction{"c-function", Severity::Error,
                                                             "`{}` is called, and {}"};
constexpr const char* kKnownFunctions =
    "functions may declare scalars, assign to them, decide by `if`, turn in loops of known "
    "numbers, "
    "and return a number";

/// Reads the body of a function that has been entered as the value it returns: what its variables
/// hold is known as expressions of the region.
class ExprReader::FunctionValue {
 public:
  FunctionValue(ExprReader& reader, CXCursor definition, Span span)
      : reader_(reader), definition_(definition), span_(span) {}

  /// What the statements return, one after the other. Empty where an error was reported.
  std::optional<ExprId> Of(const std::vector<CXCursor>& statements);

 private:
  /// What is to be done next: a statement, or a part of a loop that turns.
  struct Step {
    enum class What { Statement, Test, Advance };
    CXCursor cursor;
    What what = What::Statement;
  };
  using Steps = std::vector<Step>;
  /// Where statements led to: to a value that is returned, to their end, or to an error.
  struct End {
    enum class What { Returned, Reached, Refused };
    What what = What::Refused;
    ExprId value = {};
  };

  static Steps StepsOf(const std::vector<CXCursor>& statements);
  static Steps Before(Steps first, const Steps& rest);
  Frame& frame() { return reader_.calls_.back(); }
  void Refuse(const std::string& why);

  End Run(Steps steps);
  End Return(CXCursor cursor);
  bool Declare(CXCursor cursor);
  bool DeclareVariable(CXCursor declaration);
  bool DeclareArray(CXCursor declaration);
  bool Assign(CXCursor cursor);
  bool Increment(CXCursor cursor);
  /// The target, which ValueOf knows, gets what it holds of the value.
  bool Set(CXCursor target, ExprId value, CXCursor from);
  std::optional<ExprId> Updated(CXCursor target, BinaryOp op, ExprId value);
  /// Where the value of a scalar or an element of its own is kept; null where that was refused.
  std::optional<ExprId>* ValueOf(CXCursor target);
  /// What comes after the step of a loop. Empty where that was refused.
  std::optional<Steps> Turn(const Step& step, const Steps& rest);
  /// The branch that a known condition chooses, or what both together make of the variables; empty
  /// where that was refused, or `end` says where both led to.
  std::optional<Steps> Decide(CXCursor cursor, const Steps& rest, End& end);
  End DecideValue(ExprId condition, const Steps& then_steps, const Steps& else_steps);
  /// Makes each variable that a branch changes a choice: true where all of them are no integers.
  std::optional<bool> Merge(ExprId condition, const Steps& then_steps, const Steps& else_steps);
  /// An integer that is known is a number: it may be a subscript, or end a loop.
  ExprId Folded(ExprId value);

  ExprReader& reader_;
  CXCursor definition_;
  Span span_;
  int turns_ = 0;
};

/// The type of a parameter's or a variable's value.
CXType ValueType(CXType type);
/// True for arrays, pointers and containers.
bool IsArrayType(CXType type);

}  // namespace stencilgen::scop
