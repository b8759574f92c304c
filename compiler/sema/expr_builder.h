#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "sema/affine.h"
#include "sema/context.h"

namespace stencilgen::sema {

/// An expression of the graph. `flexible`: built from floating literals without suffix alone (and
/// integers), so that its type is still to be decided by what it meets.
struct Value {
  graph::ExprId id;
  bool flexible = false;
};

/// What an expression of a stencil body can see.
struct ExprScope {
  Resolver resolve;
  /// The definition a read of a local scalar sees now, -1 where it has none yet.
  std::function<int(std::uint32_t scalar)> current_definition;
  std::function<ScalarType(int definition)> definition_type;
  /// The value of a reduction of the expression; null where none may stand.
  std::function<std::optional<Value>(const ast::Call&, Span)> reduce = nullptr;
  /// Source iterator + shift = graph iterator: removes the offset of the left side.
  std::array<graph::LinearForm, kMostIterators> shift;
};

/// Builds typed graph expressions from syntax: resolves names to versions, decides the type of
/// literals, makes conversions explicit. LetRef::let holds the *definition* index of a local scalar
/// until the operator is finished.
class ExprBuilder {
 public:
  ExprBuilder(Context& context, const ExprScope& scope) : context_(context), scope_(scope) {}

  /// Empty where an error was reported.
  std::optional<Value> Build(ast::ExprId id);
  /// `lhs op rhs` with the usual conversions.
  std::optional<Value> Combine(BinaryOp op, Value lhs, Value rhs, Span span);
  /// The common type of a value and another type, as operators have it; bool counts as int.
  ScalarType CommonType(Value value, ScalarType other) const;
  /// The value converted to `type`; a flexible value takes it.
  graph::ExprId ConvertTo(Value value, ScalarType type);
  /// A name without index.
  std::optional<Value> BuildName(const ast::NameRef& name, Span span) {
    return BuildNode(name, span);
  }
  /// A read of `array` at `indices`, in its current version.
  std::optional<Value> Read(graph::ArrayId array, std::vector<graph::Index> indices, Span span);

  /// The indices of what a statement writes, shifted; empty where one is wrong (reported).
  std::optional<std::vector<graph::Index>> Indices(const std::vector<ast::ExprId>& indices);
  /// The same of what it reads, which may be places.
  std::optional<std::vector<graph::Index>> ReadIndices(const std::vector<ast::ExprId>& indices);

  /// Bit d is set where the value varies along iterator d by an iterator or an array index;
  /// definitions read are not followed.
  unsigned varies() const { return varies_; }
  bool reads_arrays() const { return reads_arrays_; }
  const std::vector<int>& definitions_read() const { return definitions_read_; }

 private:
  std::optional<Value> BuildNode(const ast::IntLiteral& n, Span span);
  std::optional<Value> BuildNode(const ast::FloatLiteral& n, Span span);
  std::optional<Value> BuildNode(const ast::NameRef& n, Span span);
  std::optional<Value> BuildNode(const ast::Access& n, Span span);
  std::optional<Value> BuildNode(const ast::Unary& n, Span span);
  std::optional<Value> BuildNode(const ast::Binary& n, Span span);
  std::optional<Value> BuildNode(const ast::Conditional& n, Span span);
  std::optional<Value> BuildNode(const ast::Call& n, Span span);

  std::optional<graph::Index> AffineIndex(ast::ExprId index);
  std::optional<graph::Index> PlaceIndex(ast::ExprId index);
  template <typename ToIndexOf>
  std::optional<std::vector<graph::Index>> Indices(const std::vector<ast::ExprId>& indices,
                                                   const ToIndexOf& to_index);
  Value IntegerLiteral(std::int64_t value, Span span);
  Value IteratorValue(std::uint32_t iterator, Span span);
  std::optional<Value> BuildPower(Value base, Value exponent, Span span);
  std::optional<Value> RequireIntegers(std::string_view op, Value lhs, Value rhs, Span span);
  /// Converts both to their common type; bool counts as int.
  std::pair<Value, Value> Promote(Value a, Value b);
  /// Decides the type of a flexible value, downward.
  void Retype(graph::ExprId id, ScalarType type);

  ScalarType TypeOf(Value value) const { return context_.graph.exprs[value.id].type; }
  const graph::Expr& ExprOf(Value value) const { return context_.graph.exprs[value.id]; }
  template <typename Node>
  Value Add(Node node, ScalarType type, Span span, bool flexible = false) {
    return {context_.AddExpr({std::move(node), type, span}), flexible};
  }

  Context& context_;
  const ExprScope& scope_;
  unsigned varies_ = 0;
  bool reads_arrays_ = false;
  std::vector<int> definitions_read_;
};

}  // namespace stencilgen::sema
