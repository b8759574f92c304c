#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/linear.h"
#include "support/functions.h"
#include "support/id.h"
#include "support/operators.h"
#include "support/scalar_type.h"
#include "support/source.h"

/// WHAT a program computes: operators over array versions (SSA over whole arrays), each on a
/// domain. Names, formals, scopes, statement order and implicit conversions are gone.
namespace stencilgen::graph {

using ArrayId = Id<struct ArrayTag>;
using VersionId = Id<struct VersionTag>;
using NodeId = Id<struct NodeTag>;
using RegionId = Id<struct RegionTag>;
using ExprId = Id<struct GraphExprTag>;

/// A size that the caller gives; or the turn of a loop, by its name in the program.
struct Parameter {
  std::string name;
  std::optional<std::int64_t> default_value;
  /// Set by `-D`; a fixed parameter is an integer literal everywhere in the graph, but still an
  /// argument of the host function.
  std::optional<std::int64_t> fixed;
  Span span;
  bool turn = false;  ///< has a value in the loops that name it, and no argument
};

/// Mirror repeats the edge (-1 is 0), Mirror101 does not (-1 is 1).
enum class BoundaryKind : std::uint8_t { None, Clamp, Mirror, Mirror101, Wrap, Constant };
struct Boundary {
  BoundaryKind kind = BoundaryKind::None;
  double value = 0;  ///< for Constant
  friend bool operator==(const Boundary&, const Boundary&) = default;
};

enum class PlacementWish : std::uint8_t { None, SharedMemory, GlobalMemory, NoSharedMemory };

/// Which of equal parts of an array of the program an array of the graph is (passes/
/// split_components.h): the application gives that array, and the parts lie in it one after the
/// other.
struct Component {
  std::string whole;                 ///< the program's array
  std::vector<std::int64_t> counts;  ///< its first extents, outermost first: parts along each
  std::int64_t number = 0;           ///< of the part, in row-major order
};

/// A program-level array or scalar (rank 0), or a local array of one call. Gives its versions
/// their type and shape.
struct Array {
  std::string name;                      ///< unique in the graph; a local of call 3 is `t_3`
  ScalarType type = ScalarType::Double;  ///< of its values
  ElementFormat format = ElementFormat::Plain;
  std::vector<LinearForm> extents;  ///< outermost first, last is unit-stride; empty for a scalar
  bool local = false;
  bool copy_in = false;   ///< scalars always are
  bool copy_out = false;  ///< never for scalars
  bool constant = false;  ///< declared `constant` or `coefficient`: read-only in the whole program
  bool own_memory = false;  ///< that no other array uses before or after it
  PlacementWish wish = PlacementWish::None;
  Span span;
  std::optional<Component> component = {};  ///< of an array of the program; all parts are there,
                                            ///< in their order

  std::size_t rank() const { return extents.size(); }
};

/// coefficient * iterator + offset; `iterator` indexes Graph::iterators, -1 where there is none
/// (then coefficient is 0). Or the value of an expression, an Int, which is then all of it: only in
/// what is read, and where a boundary mode says what places outside of the array mean.
struct Index {
  int iterator = -1;
  std::int64_t coefficient = 0;
  LinearForm offset;
  ExprId place = {};
  friend bool operator==(const Index&, const Index&) = default;
};

struct Literal {
  double value = 0;          ///< Float, Double
  std::int64_t integer = 0;  ///< Int, Bool
};
struct ParameterRef {
  ParameterId parameter;
};
struct IteratorRef {
  int iterator = 0;
};
/// An element of a version. One index a dimension; `boundary` is empty or has one mode a
/// dimension. Rank-0 versions have no index.
struct Access {
  VersionId version;
  std::vector<Index> indices;
  std::vector<Boundary> boundary;
};
/// The value of Operator::lets[let] of the operator the expression belongs to.
struct LetRef {
  int let = 0;
};
struct Unary {
  UnaryOp op;
  ExprId operand;
};
/// Both operands have one type, the result's unless the operator compares or is logical.
/// Exceptions: Power (see below). Int Div and Mod by zero give 0. Power is x^n: with an Int literal
/// exponent 0 <= n <= 64 the product of n factors x (base may be any type, the literal stays Int),
/// else the library's pow on Float or Double operands of one type.
struct Binary {
  BinaryOp op;
  ExprId lhs, rhs;
};
/// condition is Bool; only the chosen value is evaluated.
struct Conditional {
  ExprId condition, then_value, else_value;
};
/// All arguments have the expression's type.
struct Call {
  Function function;
  std::vector<ExprId> arguments;
};
/// Conversion to the expression's type, as C converts.
struct Convert {
  ExprId operand;
};

struct Expr {
  std::variant<Literal, ParameterRef, IteratorRef, Access, LetRef, Unary, Binary, Conditional, Call,
               Convert>
      node;
  ScalarType type = ScalarType::Double;
  Span span;
};

/// The points an operator computes: one interval for each of its iterators, in their order, and
/// conditions on parameters alone (each form >= 0), without which the domain is empty.
struct Domain {
  std::vector<Interval> intervals;
  std::vector<LinearForm> guards;
  friend bool operator==(const Domain&, const Domain&) = default;
};

/// A point-local or uniform scalar of a stencil body, computed for each point before the value.
/// It may read earlier lets of its operator.
struct Let {
  std::string name;  ///< unique in its operator
  ScalarType type = ScalarType::Double;
  ExprId value;
  Span span;
};

/// How the values of many points become one.
enum class ReduceOp : std::uint8_t { Sum, Min, Max, Any, All };
/// The values at the points of an operator become sums (or minima, ...), one a lane: along its n-th
/// iterator, the points whose distance from the first one is the same modulo lanes[n] belong
/// together. A lane begins with the operation's identity and takes its points in their order, the
/// last iterator running fastest. See graph/reduction.h.
struct Reduction {
  ReduceOp op = ReduceOp::Sum;
  std::vector<std::int64_t> lanes;  ///< by iterator of the operator; at least 1
};

/// Defines `result`: value on the image of the domain under `target`, `background` elsewhere.
/// All reads happen before any write. A rank-0 result is a uniform scalar, computed once.
/// With a reduction there is no background: the result has an element a lane in row-major order, of
/// which `target` is the first, and along iterators with several lanes those have a value that have
/// a point.
struct Operator {
  std::string stencil;  ///< the stencil it comes from
  int call = 0;         ///< the call's place in textual order, from 0
  Span span;            ///< the statement
  VersionId result;
  VersionId background;        ///< invalid: points outside the domain have no value
  std::vector<int> iterators;  ///< ascending: outermost first
  Domain domain;
  std::vector<Index> target;  ///< one a dimension; plain `it` where the source had `it + c`
  std::vector<Let> lets;
  ExprId value;
  AssignOp op = AssignOp::Assign;  ///< as written; `value` already contains the old value
  int group = 0;                   ///< accumulation group; operators of one share their domain
  std::optional<Reduction> reduction = {};
};

/// One array carried around a loop: `entry` is its version at the start of an iteration, `next` at
/// the end; `result` is the version after the loop (`initial` where it runs zero times).
struct Carried {
  ArrayId array;
  VersionId initial, entry, next, result;
};
/// What ends a loop before its turns are over.
struct Stop {
  /// A Bool of rank 0. The last operator of the body defines it, and nothing else in it reads it.
  /// The loop may carry its array, to tell what follows whether it held.
  VersionId condition;
  /// It is looked at after each turn whose number, counted from 1, is a multiple of this; >= 1. The
  /// loop ends where it holds, with the versions at the end of that turn.
  LinearForm every = LinearForm::Constant(1);
  friend bool operator==(const Stop&, const Stop&) = default;
};
struct Loop {
  Turns turns;
  RegionId body;
  std::vector<Carried> carried;
  Span span;
  /// Holds the number of the turn, from 0 on, in its body; invalid where the loop names none. Loops
  /// one after the other may share it. In time tiles, the number of the tile.
  ParameterId turn = {};
  /// With it `turns` is the most there are; it is no remainder.
  std::optional<Stop> stop = {};
  /// A Bool of rank 0; where it holds before the loop, the loop has no turn. Invalid: it has all.
  VersionId unless = {};
};

using Node = std::variant<Operator, Loop>;

enum class DefKind : std::uint8_t { Initial, Operator, LoopEntry, LoopResult };
struct Version {
  ArrayId array;  ///< gives type and shape; after `swap` another name may hold it
  DefKind def = DefKind::Initial;
  NodeId node;  ///< the operator or loop; invalid for Initial
};

struct Region {
  std::vector<NodeId> nodes;
};

/// What an array holds after the program.
struct Output {
  ArrayId array;
  VersionId version;
};

/// Who calls the program needs of what it computes only the places from `first` to before `end` of
/// an iterator, and what these depend on: elsewhere outputs may hold anything.
struct WantedPlaces {
  int iterator = 0;
  LinearForm first, end;
};

struct Graph {
  // Of default form, but compiled once, in graph.cpp: they are large.
  Graph();
  Graph(const Graph&);
  Graph(Graph&&) noexcept;
  Graph& operator=(const Graph&);
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  std::string name;                          ///< the program's, a C identifier
  std::vector<std::string> iterators;        ///< outermost first
  Store<ParameterId, Parameter> parameters;  ///< sizes first, then turns of loops
  Store<ArrayId, Array> arrays;  ///< program level first, in declaration order, then locals
  Store<VersionId, Version> versions;
  Store<ExprId, Expr> exprs;
  Store<NodeId, Node> nodes;
  Store<RegionId, Region> regions;
  RegionId root;
  std::vector<Output> outputs;       ///< the copyout arrays, in declaration order
  std::vector<WantedPlaces> wanted;  ///< of iterators without an entry all places are
  std::vector<int> unroll_wishes;    ///< one an iterator, 1 where the program asks for nothing
};

/// Names of all parameters, by index.
std::vector<std::string> ParameterNames(const Graph& graph);
/// The parameters that the caller gives: all but turns of loops.
std::vector<ParameterId> SizesOf(const Graph& graph);

/// `name.k` where k counts the versions of the array in order of creation, from 0.
std::string VersionName(const Graph& graph, VersionId version);

/// True where the index is `iterator` itself.
inline bool IsPlain(const Index& index) {
  return index.iterator >= 0 && index.coefficient == 1 && index.offset == LinearForm{};
}

/// Every access below `expr`, in evaluation order; lets are not followed.
void CollectAccesses(const Graph& graph, ExprId expr, std::vector<ExprId>& out);
/// Every access of the operator: those of its lets, then those of its value.
std::vector<ExprId> Accesses(const Graph& graph, const Operator& op);

/// By let of the operator: its value needs it, directly or through other lets.
std::vector<bool> UsedLets(const Graph& graph, const Operator& op);

/// True where the value is the same at every point. `uniform_lets`: the same for each let it reads.
bool IsUniform(const Graph& graph, ExprId root, const std::vector<bool>& uniform_lets);

/// Floating-point operations of one point with its lets, but for uniform ones (evaluated once), and
/// the step of a reduction: + - * / and comparisons count 1, fma 2, every other library function 1,
/// integers 0.
std::int64_t FlopsPerPoint(const Graph& graph, const Operator& op);

}  // namespace stencilgen::graph
