#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/graph.h"
#include "graph/loop_builder.h"
#include "support/diagnostics.h"

/// Graphs built by a program, as a front end does it:
///   Builder b("smooth", {"j", "i"});
///   const auto m = b.Parameter("M", 512);
///   const auto in = b.Array("in", {m, m}).CopyIn(), out = b.Array("out", {m, m}).CopyOut();
///   b.Assign(out, {{1, m - 2}, {1, m - 2}}, 0.5 * (in(0, -1) + in(0, 1)));
///   std::optional<Graph> graph = b.Finish(sink);
/// Whatever is wrong is noted and building goes on; Finish reports it.
namespace stencilgen::graph {

class Builder;

/// An expression. Operands of one operator must have one type; numbers take that of the other.
struct BuiltExpr {
  Builder* builder = nullptr;
  ExprId id;
};

/// Affine indices, for Builder::Read and AssignTo.
Index At(int iterator, std::int64_t offset = 0, std::int64_t coefficient = 1);
Index Fixed(LinearForm position);

/// A declared array; calling it reads its present version.
class BuiltArray {
 public:
  BuiltArray(Builder* builder, ArrayId id) : builder_(builder), id_(id) {}
  BuiltArray CopyIn() const;
  BuiltArray CopyOut() const;
  /// Read-only in the whole program.
  BuiltArray Constant() const;
  /// No argument of the host function; it has no value before it is assigned.
  BuiltArray Local() const;
  ArrayId id() const { return id_; }

  /// At the last iterators plus offsets, one a dimension.
  template <typename... Offsets>
  BuiltExpr operator()(Offsets... offsets) const {
    return ReadAt({static_cast<std::int64_t>(offsets)...});
  }

 private:
  friend class Builder;
  BuiltExpr ReadAt(const std::vector<std::int64_t>& offsets) const;

  Builder* builder_;
  ArrayId id_;
};

/// A number or a form of parameters.
struct Size {
  LinearForm form;
  Size(LinearForm value) : form(std::move(value)) {}               // NOLINT: implicit
  Size(std::int64_t value) : form(LinearForm::Constant(value)) {}  // NOLINT: implicit
};

/// Inclusive bounds of one iterator.
struct BuiltBounds {
  Size lo, hi;
};

class Builder {
 public:
  /// `name`: a C identifier, the host function's; iterators outermost first. `fixed`: values of
  /// parameters that are known, as of `-D NAME=VALUE`.
  Builder(std::string name, std::vector<std::string> iterators,
          std::map<std::string, std::int64_t> fixed = {});
  // Expressions and arrays point to it.
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// A parameter, or its value where that is known.
  LinearForm Parameter(const std::string& name, std::optional<std::int64_t> default_value = {});
  BuiltArray Array(const std::string& name, const std::vector<Size>& extents,
                   ScalarType type = ScalarType::Double);
  /// One of narrow elements: what is assigned to it is rounded to what they hold.
  BuiltArray Array(const std::string& name, const std::vector<Size>& extents, ElementFormat format);
  /// A scalar of the program, passed by value; read it with no offsets.
  BuiltArray Scalar(const std::string& name, ScalarType type = ScalarType::Double);

  BuiltExpr Number(double value, ScalarType type = ScalarType::Double);
  /// The value of a form of parameters.
  BuiltExpr ParameterValue(const LinearForm& form);
  BuiltExpr Iterator(int iterator);
  BuiltExpr Read(const BuiltArray& array, std::vector<Index> indices,
                 std::vector<Boundary> boundary = {});
  BuiltExpr Binary(BinaryOp op, BuiltExpr lhs, BuiltExpr rhs);
  BuiltExpr Unary(UnaryOp op, BuiltExpr operand);
  BuiltExpr Convert(BuiltExpr operand, ScalarType type);
  BuiltExpr Choose(BuiltExpr condition, BuiltExpr then_value, BuiltExpr else_value);
  BuiltExpr Call(Function function, const std::vector<BuiltExpr>& arguments);
  /// Any other node.
  BuiltExpr Node(Expr expr);
  /// Adds a let to the operator that the next Assign makes.
  BuiltExpr Let(const std::string& name, BuiltExpr value);

  /// The array's next version, over its present one if it has a value; the domain is that of the
  /// last rank iterators. Returns the operator's node.
  NodeId Assign(const BuiltArray& array, const std::vector<BuiltBounds>& domain, BuiltExpr value);
  /// The same with a target and iterators of its own.
  NodeId AssignTo(const BuiltArray& array, std::vector<int> iterators,
                  const std::vector<BuiltBounds>& domain, std::vector<Index> target,
                  BuiltExpr value);

  /// A loop around what `body` adds. `carried`: every array that the body assigns or swaps.
  NodeId Repeat(const LinearForm& count, const std::vector<BuiltArray>& carried,
                const std::function<void()>& body);
  /// The same with a name for its turn, which `body` gets: a form for indices and ParameterValue,
  /// from 0 on. Requires: no parameter is added later.
  NodeId Repeat(const std::string& turn, const LinearForm& count,
                const std::vector<BuiltArray>& carried,
                const std::function<void(const LinearForm& turn)>& body);
  /// Ends the loop that is built where the condition, a Bool, holds after a turn whose number,
  /// counted from 1, is a multiple of `every`. The last that a loop's body adds.
  void Until(BuiltExpr condition, const LinearForm& every = LinearForm::Constant(1));
  void Swap(const BuiltArray& a, const BuiltArray& b);

  /// The graph; its outputs are the present versions of the copyout arrays. Reports what was wrong
  /// on the way, or else what graph::Verify finds.
  /// Ensures: empty exactly when an error was reported.
  std::optional<Graph> Finish(DiagnosticSink& sink);

  /// The graph so far, without its outputs.
  Graph& graph() { return graph_; }
  const std::vector<std::string>& errors() const { return errors_; }
  VersionId Present(const BuiltArray& array) const { return present_[array.id().index]; }

 protected:
  /// The graph as it is, with its outputs.
  Graph Take();

 private:
  friend class BuiltArray;

  template <typename... Args>
  void Require(bool good, fmt::format_string<Args...> what, Args&&... args) {
    if (!good) errors_.push_back(fmt::format(what, std::forward<Args>(args)...));
  }
  NodeId AddLoop(LoopBuilder loop, const std::vector<BuiltArray>& carried,
                 const std::function<void()>& body);
  /// Its expression; that of a number where there is none.
  ExprId Own(BuiltExpr expr);
  const std::string& NameOf(const BuiltArray& array) const;
  void RequireOwn(const BuiltArray& array);
  /// May be given a new version here.
  void RequireWritable(const BuiltArray& array);

  Graph graph_;
  std::map<std::string, std::int64_t> fixed_;
  std::vector<std::string> errors_;
  std::vector<VersionId> present_;             // by array
  std::vector<graph::Let> lets_;               // of the next operator
  std::vector<NodeId>* nodes_;                 // of the region that is built
  std::vector<NodeId> root_;                   // of the whole program
  std::optional<Stop> stop_;                   // of the loop that is built
  std::vector<std::vector<ArrayId>> carried_;  // by the loops around, innermost last
  int operators_ = 0;
};

BuiltExpr operator+(BuiltExpr a, BuiltExpr b);
BuiltExpr operator-(BuiltExpr a, BuiltExpr b);
BuiltExpr operator*(BuiltExpr a, BuiltExpr b);
BuiltExpr operator/(BuiltExpr a, BuiltExpr b);
BuiltExpr operator*(double a, BuiltExpr b);
BuiltExpr operator+(BuiltExpr a, double b);

}  // namespace stencilgen::graph
