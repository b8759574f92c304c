#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "support/functions.h"
#include "support/id.h"
#include "support/operators.h"
#include "support/scalar_type.h"

/// HOW a point is computed: straight-line three-address code with accumulations ([S] Figure A.2:
/// Rawat, *Optimization of Stencil Computations on GPUs*, Ohio State 2018), of one or several
/// statements at one or several neighbouring points.
namespace stencilgen::kernel {

using ValueId = Id<struct ValueTag>;

/// An element of memory, where the iterators stand for the body's first point: the indices contain
/// the offset of the unrolled point. Equal accesses are one value.
struct Element {
  graph::Access access;
};
/// The position of the body's first point along an iterator, plus an offset.
struct Position {
  int iterator = 0;
  std::int64_t offset = 0;
};
/// An expression of an operator that is the same at every point, computed before the loops.
struct Uniform {
  int op = 0;  ///< as Statement::op
  graph::ExprId expr;
};
/// Computed by the body.
struct Temporary {};

/// What an operand names; [S] 5.3.1 calls it a label.
struct Value {
  std::variant<Element, graph::Literal, graph::ParameterRef, Position, Uniform, Temporary> what;
  ScalarType type = ScalarType::Double;
  std::string name;  ///< for listings: `in[-1][2]`, `t3`; unique among temporaries
  /// In a register of the code around the body, whatever the body's order: an element that it
  /// holds, or a sum to which the body adds, whose contributions all update it and which no
  /// instruction reads. Takes no register of the body's own.
  bool held = false;
};

struct Copy {};
/// operands: condition, value where it holds, value elsewhere. Both values are computed.
struct Select {};
/// Conversion to the type of the destination, as C converts.
struct Convert {};
/// Operands as in the graph: one type but for what comparisons give; Power has its exponent second.
using Operation = std::variant<Copy, UnaryOp, BinaryOp, stencilgen::Function, Select, Convert>;

/// How contributions to one destination come together.
enum class Combine : std::uint8_t { None, Sum, Product };

/// `dest = operation(operands)`, or a contribution to an accumulation: the first of a destination
/// in the body's order sets it, `dest = ...`, and each later one updates it, `dest += ...`. The
/// order of contributions is free, so any order of instructions in which operands are complete
/// before they are used means the same, but for rounding.
struct Instruction {
  ValueId dest;
  Combine combine = Combine::None;
  bool negative = false;  ///< Sum alone: the contribution is subtracted
  Operation operation;
  std::vector<ValueId> operands;
  int statement = 0;  ///< of Body::statements
};

/// What was lowered: an operator at one of the unrolled points.
struct Statement {
  int op = 0;                        ///< place in the list of operators that was lowered
  std::vector<std::int64_t> offset;  ///< from the body's first point, by iterator of the operator
};
/// What is done with a result when it is complete: it is stored, or stays in its register to the
/// body's end, or is added to a sum of the code around the body (to which it already is where the
/// value is `held`).
enum class Sink : std::uint8_t { Store, Keep, Add };
struct Result {
  ValueId value;
  int statement = 0;
  Sink sink = Sink::Store;
};

struct Body {
  Store<ValueId, Value> values;
  std::vector<Instruction> instructions;
  std::vector<Statement> statements;
  std::vector<Result> results;
};

/// True for what takes a register of its own while it is live: temporaries, and elements at places
/// that depend on the point, but for what is `held`. Literals, parameters, positions, uniform
/// values, scalars and elements at fixed places (coefficients) do not count: they are immediate
/// operands, or come from constant memory or a cache at each use.
bool TakesRegister(const Value& value);
/// True for the others that a GPU keeps in uniform registers between their uses: floating-point
/// literals, and elements and values that are the same at every point.
bool IsCoefficient(const Value& value);
inline bool IsTemporary(const Value& value) {
  return std::holds_alternative<Temporary>(value.what);
}

}  // namespace stencilgen::kernel
