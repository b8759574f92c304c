#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "support/id.h"
#include "support/operators.h"
#include "support/scalar_type.h"
#include "support/source.h"

/// The syntax of an `.idsl` program, as written: nothing resolved, nothing checked.
namespace stencilgen::ast {

using ExprId = Id<struct ExprTag>;

/// A use or definition of an identifier.
struct Name {
  std::string text;
  Span span;
};

struct IntLiteral {
  std::int64_t value = 0;
};
/// `single` is true for a literal with the suffix `f`, `imaginary` for one with the suffix `i`.
struct FloatLiteral {
  double value = 0;
  bool single = false;
  bool imaginary = false;
};
struct NameRef {
  std::string name;
};
/// `name[...][...]`; indices outermost first. `A[j,i]` means the same as `A[j][i]`.
struct Access {
  Name name;
  std::vector<ExprId> indices;
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
  Name function;
  std::vector<ExprId> arguments;
};

struct Expr {
  std::variant<IntLiteral, FloatLiteral, NameRef, Access, Unary, Binary, Conditional, Call> node;
  Span span;
};

/// `lo : hi` or `lo .. hi`, inclusive.
struct Range {
  ExprId lo, hi;
};
struct DomainSpec {
  std::vector<Range> ranges;
  Span span;
};

struct Parameter {
  Name name;
  std::optional<ExprId> value;
};

/// `name`, `name[e]...` or, for local scalars, `name = init`.
struct Declarator {
  Name name;
  std::vector<ExprId> extents;
  std::optional<ExprId> init;
};
struct Declaration {
  ScalarType type = ScalarType::Double;
  std::vector<Declarator> declarators;
  Span span;
  ElementFormat format = ElementFormat::Plain;
  bool complex = false;   ///< pairs of that type
  bool inferred = false;  ///< of scalars that sema::ExpandComplex makes: their values' type
};

enum class ListKind { CopyIn, CopyOut, AllocIn, Constant, Coefficient };
struct NameList {
  ListKind kind = ListKind::CopyIn;
  std::vector<Name> names;
};

enum class BoundaryKind { None, Clamp, Mirror, Mirror101, Wrap, Extrapolate, Constant };
struct BoundaryMode {
  BoundaryKind kind = BoundaryKind::Clamp;
  std::optional<ExprId> value;  ///< for Constant
  Span span;
};
/// `boundary u = clamp;` (one mode, `per_dimension` false) or `boundary u = [wrap, clamp];`.
struct BoundarySpec {
  Name array;
  std::vector<BoundaryMode> modes;
  bool per_dimension = false;
};

struct UnrollFactor {
  Name iterator;
  ExprId factor;
};
struct UnrollSpec {
  std::vector<UnrollFactor> factors;
};

enum class PlacementKind { SharedMemory, GlobalMemory, NoSharedMemory };
struct Placement {
  PlacementKind kind = PlacementKind::SharedMemory;
  std::vector<Name> names;
};

/// `domain : target op value ;`; target is a NameRef or an Access.
struct Assignment {
  std::optional<DomainSpec> domain;
  ExprId target;
  AssignOp op = AssignOp::Assign;
  ExprId value;
  Span span;
  /// One assignment together with the next: both read before either assigns, and they run at the
  /// same points. Made by sema::ExpandComplex.
  bool with_next = false;
};

/// `domain : stencil ( actuals ) ;`. Actuals are expressions for the parser; sema allows names and
/// numbers.
struct StencilCall {
  std::optional<DomainSpec> domain;
  Name stencil;
  std::vector<ExprId> actuals;
  Span span;
};

using StencilItem = std::variant<Declaration, Placement, UnrollSpec, Assignment, StencilCall>;

struct Formal {
  Name name;
  bool inout = false;
};
struct Stencil {
  Name name;
  std::vector<Formal> formals;
  std::vector<StencilItem> items;
  Span span;
};

struct Swap {
  Name first, second;
  Span span;
};
struct Iterate;
struct Every;
using CallItem = std::variant<StencilCall, Swap, Iterate, Every>;
/// `every turns : call;` or `every turns : { ... }`: what a loop does after so many turns only.
struct Every {
  ExprId turns;
  std::vector<CallItem> body;
  Span span;
};
/// `until condition`, or `until condition every turns`.
struct Until {
  ExprId condition;
  std::optional<ExprId> every = {};
};
/// `iterate count { ... }`, or `iterate turn : count until condition every turns { ... }`.
struct Iterate {
  ExprId count;
  std::vector<CallItem> body;
  Span span;
  std::optional<Name> turn = {};
  std::optional<Until> until = {};
};

/// Sections keep their textual order within their kind; calls keep theirs.
struct Program {
  Store<ExprId, Expr> exprs;
  std::vector<Parameter> parameters;
  std::vector<Name> iterators;
  std::vector<Declaration> declarations;
  std::vector<NameList> lists;
  std::vector<BoundarySpec> boundaries;
  std::vector<UnrollSpec> unrolls;
  std::vector<Stencil> stencils;
  std::vector<CallItem> calls;
};

}  // namespace stencilgen::ast
