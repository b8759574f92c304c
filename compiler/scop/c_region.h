#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/id.h"
#include "support/operators.h"
#include "support/scalar_type.h"
#include "support/source.h"

/// The code between `#pragma scop` and `#pragma endscop` as C means it: names resolved, macros
/// expanded, types known; nothing said yet about what may run in which order.
namespace stencilgen::scop {

using ExprId = Id<struct CExprTag>;
using VariableId = Id<struct CVariableTag>;
using StatementId = Id<struct CStatementTag>;

/// C's arithmetic types, as far as they matter: `Integer` stands for all signed integers other than
/// `int`, `Unsigned` for the unsigned ones from `unsigned` on. `Complex...` are std::complex.
enum class CType : std::uint8_t {
  Bool,
  Int,
  Integer,
  Unsigned,
  Float,
  Double,
  ComplexFloat,
  ComplexDouble,
  Pointer,
  Other
};

constexpr bool IsInteger(CType type) {
  return type <= CType::Unsigned;
}
constexpr bool IsFloating(CType type) {
  return type == CType::Float || type == CType::Double;
}
constexpr bool IsComplex(CType type) {
  return type == CType::ComplexFloat || type == CType::ComplexDouble;
}
/// The type of the parts of a complex number; other types as they are.
constexpr CType RealTypeOf(CType type) {
  return type == CType::ComplexFloat    ? CType::Float
         : type == CType::ComplexDouble ? CType::Double
                                        : type;
}

/// The type of what is read from narrow elements.
constexpr CType TypeReadFrom(ElementFormat format) {
  return ValueTypeOf(format) == ScalarType::Float ? CType::Float : CType::Int;
}

struct Integer {
  std::int64_t value = 0;
};
struct Floating {
  double value = 0;
  bool imaginary = false;
};
struct Use {
  VariableId variable;
};
/// `variable[subscripts]`, one subscript for each pair of brackets.
struct Element {
  VariableId variable;
  std::vector<ExprId> subscripts;
};
struct Unary {
  UnaryOp op;
  ExprId operand;
};
struct Binary {
  BinaryOp op;
  ExprId lhs, rhs;
};
struct Conditional {
  ExprId condition, then_value, else_value;
};
struct Call {
  std::string function;
  std::vector<ExprId> arguments;
};
/// A conversion that is written, to the type of the expression, or to what elements of a narrow
/// integer format hold: then the type is `int`, as what is computed with it.
struct Cast {
  ExprId operand;
  ElementFormat format = ElementFormat::Plain;
};

struct Expr {
  std::variant<Integer, Floating, Use, Element, Unary, Binary, Conditional, Call, Cast> node;
  CType type = CType::Other;
  Span span;
};

/// A variable, or a member of a structure, that the region names.
struct Variable {
  std::string name;           ///< an identifier that no other variable of the region has
  std::string text;           ///< what it is called in the file: `u`, `grid->u`
  std::string member;         ///< the same for one member of several objects that may be one
  std::string data;           ///< behind `text`, to point to the elements: `.data()` of a container
  CType type = CType::Other;  ///< of the elements, where there are dimensions
  ElementFormat format = ElementFormat::Plain;  ///< of narrow elements
  ElementFormat holds = ElementFormat::Plain;   ///< of narrow scalars, which are wider here
  /// Extents of an array, outermost first; the first is empty behind a pointer.
  std::vector<std::optional<ExprId>> extents;
  /// The elements of a constant array that is declared with them, in the order of memory.
  std::vector<std::variant<std::int64_t, double>> values;
  /// Of an integer that is declared with a number.
  std::optional<std::int64_t> first_value;
  bool is_pointer = false;         ///< the variable itself is a pointer, which could be assigned
  bool is_constant = false;        ///< its elements, or itself without dimensions, are `const`
  bool no_alias = false;           ///< an array of its own, or a pointer with `restrict`
  bool is_local = false;           ///< declared inside the region
  bool is_parameter = false;       ///< of a function that the region calls
  bool is_size = false;            ///< how many elements a container has
  bool is_scratch = false;         ///< an array that the region has for itself
  bool is_private = false;         ///< a written array of the function, not used outside the region
  bool is_linear = false;          ///< its dimensions come from subscripts like `i*n + j`
  Span used;                       ///< where the region names it first
  std::optional<Span> used_after;  ///< of scalars that the region assigns: who reads them later
};

/// The value of `m = fmax(m, operand)`, and of `operand > m ? operand : m`.
struct Extremum {
  bool largest = false;
  ExprId operand;
};
struct Assign {
  ExprId target;
  std::optional<BinaryOp> update;  ///< `+` of `+=`
  ExprId value;
  std::optional<Extremum> extremum = std::nullopt;  ///< what the value is, where that is known
};
struct Define {
  VariableId variable;
  std::optional<ExprId> value;
};
/// `< bound` of a loop's counter.
struct Bound {
  BinaryOp comparison = BinaryOp::Less;
  ExprId value;
};
/// `for (iterator = first; iterator < bound; iterator += step)`, with all bounds in `&&`.
struct Loop {
  VariableId iterator;
  ExprId first;
  std::vector<Bound> bounds;
  std::int64_t step = 1;
  std::vector<StatementId> body;
  bool declares = false;  ///< the loop declares its iterator
};
struct If {
  ExprId condition;
  std::vector<StatementId> then_body, else_body;
};
/// Two pointers exchange what they point to.
struct Swap {
  VariableId first, second;
};

struct Statement {
  std::variant<Assign, Define, Loop, If, Swap> node;
  Span span;  ///< of a loop or an `if`: its head
};

/// What a loop leaves in a scalar: after n turns the element n, of as many as there are and again.
struct LeftValue {
  VariableId scalar;
  StatementId loop;
  std::vector<std::int64_t> values;
};

/// Of an array behind a pointer, most of whose subscripts say row and place: an element that has
/// neither.
struct OutOfRows {
  ExprId element;
  bool is_sum = false;  ///< its subscript is a sum of products of integers all the same
};

struct Region {
  Store<ExprId, Expr> exprs;
  Store<VariableId, Variable> variables;
  Store<StatementId, Statement> statements;
  std::vector<StatementId> body;
  /// What scalars must hold before the region: else its own code runs.
  std::vector<std::pair<VariableId, std::int64_t>> assumed;
  /// Sizes of containers that must be the same: else its own code runs.
  std::vector<std::pair<ExprId, ExprId>> equal_sizes;
  std::vector<LeftValue> left;
  std::map<VariableId, OutOfRows> out_of_rows;
  Span begin;  ///< `#pragma scop`
  Span whole;  ///< all its text
};

ExprId AddExpr(Region& region, Expr expr);

/// The name, with a number where a variable of the region has it.
std::string FreeName(const Region& region, const std::string& base);

}  // namespace stencilgen::scop
