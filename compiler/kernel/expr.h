#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/functions.h"
#include "support/operators.h"
#include "support/scalar_type.h"

/// Expressions of structured code (code.h): values with types, addresses included. An expression is
/// a tree that is never changed; copies share it.
namespace stencilgen::kernel {

/// Index: a position in arrays, `int` or `long long` as the module says. Address: of an element.
enum class Elementary : std::uint8_t { Bool, Int, Float, Double, Index, Address };

/// How many values at once. Vector: what a vector register holds. Pack: what a turn of a loop in
/// vectors takes, one register or two side by side.
enum class Width : std::uint8_t { One, Vector, Pack };

struct Type {
  Elementary of = Elementary::Index;
  Width width = Width::One;
  friend bool operator==(const Type&, const Type&) = default;
};
inline constexpr Type kBool = {Elementary::Bool};
inline constexpr Type kInt = {Elementary::Int};
inline constexpr Type kIndex = {Elementary::Index};
inline constexpr Type kAddress = {Elementary::Address};

constexpr Type TypeOf(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return kBool;
    case ScalarType::Int:
      return kInt;
    case ScalarType::Float:
      return {Elementary::Float};
    case ScalarType::Double:
      break;
  }
  return {Elementary::Double};
}
/// `double`, `Index`: of one value.
std::string_view ToString(Elementary type);
constexpr int SizeInBytes(Elementary type) {
  switch (type) {
    case Elementary::Bool:
      return 1;
    case Elementary::Int:
    case Elementary::Float:
      return 4;
    case Elementary::Double:
    case Elementary::Index:
    case Elementary::Address:
      break;
  }
  return 8;
}
/// The elements, or the value, of a variable in C++.
std::string_view ElementText(const struct Var& var);
/// Of an element of the variable in memory.
int ElementBytes(const struct Var& var);
constexpr bool IsFloating(Type type) {
  return type.of == Elementary::Float || type.of == Elementary::Double;
}
constexpr bool IsInteger(Type type) {
  return type.of == Elementary::Int || type.of == Elementary::Index;
}

/// Where a variable's value is. Registers: an array of `count` elements that one thread has.
/// Global, Constant, Shared: memory, of which the variable is the address of an element.
enum class Storage : std::uint8_t { Value, Registers, Global, Constant, Shared };

struct Var {
  std::string name;  ///< unique where it is known
  Type type;         ///< of the value, or of the elements
  Storage storage = Storage::Value;
  int count = 0;                                ///< of Registers
  ElementFormat format = ElementFormat::Plain;  ///< of Global and Constant: narrower elements
};
using VarRef = std::shared_ptr<const Var>;

/// Functions of the runtime and of the machine that code calls beside those of the language.
enum class Routine : std::uint8_t {
  SafeDivide,  ///< of integers; by zero it gives 0
  SafeModulo,
  FastDivide,      ///< of floats, approximate
  ReciprocalRoot,  ///< 1 / sqrt(x), likewise
  MulRn,           ///< a product that is not contracted into a multiply-add
  IntPower,        ///< x^n; constants: n
  IntPowerRn,
  ClampIndex,  ///< (index, extent): boundary modes
  MirrorIndex,
  Mirror101Index,
  WrapIndex,
  IsInside,  ///< (index, extent): 0 <= index < extent
  Opaque,    ///< its argument, of which compilers know nothing
  Anchor,    ///< the same of an address
  FloorDiv,
  CeilDiv,
  Largest,  ///< of any number of arguments
  Least,
  Threads,     ///< on the host: that share a parallel loop, at least 1
  PastCaches,  ///< on the host: arrays of so many bytes leave the caches before they are used again
  ToLine,      ///< on the host: elements from the address on before a line of the caches begins
  ToVector,    ///< the same, before an address where the processor's vectors are aligned
  TileRows,    ///< on the host: (rows, bytes of a row, bytes around a tile, planes that a point
               ///< reads): rows of a tile that caches hold until they are read again, at least 1
  ShuffleUp,   ///< (value, lanes, width of a row): the value of a lane before the thread's own
  ShuffleDown,  ///< or after it
  MulSub,       ///< (a, b, c): c - a * b, of packs
  Select,       ///< lane by lane (mask, value where it holds, value elsewhere)
  Broadcast,    ///< one value in all lanes
  AsPack,       ///< (name of the pack's type, vector): the vector, twice where packs have two
  LoadPack,     ///< (name of the pack's type, address): the elements from there on
  Beside,  ///< (address, before, here, after; constants: d): the elements d behind `here`, which
           ///< are those at the address; a vector on each side
  Shifted  ///< (before, here, after; constants: d): the same of vectors that need not be neighbours
           ///< in memory; at most a vector away
};

class Expr;

/// `value` of floating types, else `integer`.
struct ConstExpr {
  double value = 0;
  std::int64_t integer = 0;
};
struct VarExpr {
  VarRef var;
};
/// An element of registers or memory; what a store assigns to.
struct ElementExpr;
/// The address of an element: of memory from `var` on.
struct AddressExpr;
/// Of the place of a thread in the grid.
struct PlaceExpr {
  enum class What : std::uint8_t { Thread, Block, Blocks };
  What what = What::Thread;
  int axis = 0;  ///< x is 0
};
struct UnaryExpr;
struct BinaryExpr;
/// Only the chosen value is evaluated.
struct ConditionalExpr;
struct CallExpr;
/// To the expression's type, as C converts; from floating to integer types values that do not fit
/// are clamped.
struct ConvertExpr;

struct ExprNode;

class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
  Expr(const Expr&) = default;
  Expr(Expr&&) noexcept = default;
  Expr& operator=(const Expr&) = default;
  Expr& operator=(Expr&&) noexcept = default;
  /// A sum of many thousand terms is a tree of that depth, which must not end by recursion.
  ~Expr();
  bool Valid() const { return node_ != nullptr; }
  const ExprNode& node() const { return *node_; }
  Type type() const;
  /// Null where the expression is of another kind.
  template <typename Kind>
  const Kind* As() const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct ElementExpr {
  VarRef array;
  Expr index;
};
struct AddressExpr {
  VarRef array;
  Expr offset;
};
struct UnaryExpr {
  UnaryOp op;
  Expr operand;
};
struct BinaryExpr {
  BinaryOp op;
  Expr lhs, rhs;
};
struct ConditionalExpr {
  Expr condition, then_value, else_value;
};
struct CallExpr {
  std::variant<stencilgen::Function, Routine> callee;
  std::vector<Expr> arguments;
  std::vector<std::int64_t> constants = {};
};
struct ConvertExpr {
  Expr operand;
};

struct ExprNode {
  std::variant<ConstExpr, VarExpr, ElementExpr, AddressExpr, PlaceExpr, UnaryExpr, BinaryExpr,
               ConditionalExpr, CallExpr, ConvertExpr>
      what;
  Type type;
};

template <typename Kind>
const Kind* Expr::As() const {
  return node_ == nullptr ? nullptr : std::get_if<Kind>(&node_->what);
}

// --- Making expressions, nothing folded ---

template <typename Kind>
Expr Make(Kind what, Type type) {
  return Expr(std::make_shared<const ExprNode>(ExprNode{{std::move(what)}, type}));
}
VarRef MakeVar(std::string name, Type type, Storage storage = Storage::Value, int count = 0,
               ElementFormat format = ElementFormat::Plain);
Expr Read(const VarRef& var);
Expr ElementAt(const VarRef& array, Expr index);
Expr AddressAt(const VarRef& array, Expr offset);
Expr GridPlace(PlaceExpr::What what, int axis, Type type);
Expr Constant(Type type, double value);
Expr Constant(Type type, std::int64_t value);
Expr Apply(UnaryOp op, Expr operand);
/// Comparisons and logical operators give truths, the others what their operands are.
Expr Apply(BinaryOp op, Expr lhs, Expr rhs);
Expr Choose(Expr condition, Expr then_value, Expr else_value);
Expr Call(stencilgen::Function function, Type type, std::vector<Expr> arguments);
Expr Call(Routine routine, Type type, std::vector<Expr> arguments,
          std::vector<std::int64_t> constants = {});
Expr ConvertTo(Type type, Expr operand);
/// The expression reading other variables: `replace` gives each one's stead.
Expr Renamed(const Expr& expr, const std::function<VarRef(const VarRef&)>& replace);
/// The same operation, whose result has another type: C computes with truths as integers.
Expr WithType(const Expr& expr, Type type);

// --- Index arithmetic, folded where values are known; sums associate to the left ---

Expr Number(std::int64_t value);
/// The value of a number; empty where it is not known.
std::optional<std::int64_t> NumberOf(const Expr& expr);
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
/// All of the conditions that are valid; invalid where none is.
Expr And(const std::vector<Expr>& conditions);

// --- Text ---

/// The expression in C++, with the parentheses that keep its meaning and no compiler warns about.
std::string Print(const Expr& expr);
/// What is assigned to: of narrow elements the place, not the value.
std::string PrintTarget(const Expr& target);
/// In parentheses where it binds less than `context` (support/operators.h).
std::string Print(const Expr& expr, int context);

}  // namespace stencilgen::kernel
