#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

/// Small graphs for unit tests, written as one would write the program:
///   GraphBuilder b({"j", "i"});
///   const auto m = b.Parameter("M");
///   const auto in = b.Array("in", {m, m}).CopyIn(), out = b.Array("out", {m, m}).CopyOut();
///   b.Assign(out, {{1, m - 2}, {1, m - 2}}, 0.5 * (in(0, -1) + in(0, 1)));
///   const Graph graph = b.Finish();
namespace stencilgen::testing {

class GraphBuilder;

/// An expression. Operands of one operator must have one type; numbers take that of the other.
struct Ex {
  GraphBuilder* builder = nullptr;
  graph::ExprId id;
};

/// Affine indices, for GraphBuilder::Read and AssignTo.
graph::Index At(int iterator, std::int64_t offset = 0, std::int64_t coefficient = 1);
graph::Index Fixed(graph::LinearForm position);

/// A declared array; calling it reads its present version.
class ArrayHandle {
 public:
  ArrayHandle(GraphBuilder* builder, graph::ArrayId id) : builder_(builder), id_(id) {}
  ArrayHandle CopyIn() const;
  ArrayHandle CopyOut() const;
  ArrayHandle Local() const;
  graph::ArrayId id() const { return id_; }

  /// At the last iterators plus offsets, one a dimension.
  template <typename... Offsets>
  Ex operator()(Offsets... offsets) const {
    return ReadAt({static_cast<std::int64_t>(offsets)...});
  }

 private:
  Ex ReadAt(const std::vector<std::int64_t>& offsets) const;

  GraphBuilder* builder_;
  graph::ArrayId id_;
};

/// A number or a form of parameters.
struct Size {
  graph::LinearForm form;
  Size(graph::LinearForm value) : form(std::move(value)) {}               // NOLINT: implicit
  Size(std::int64_t value) : form(graph::LinearForm::Constant(value)) {}  // NOLINT: implicit
};

/// Inclusive bounds of one iterator.
struct Bounds {
  Size lo, hi;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(std::vector<std::string> iterators);

  graph::LinearForm Parameter(const std::string& name);
  ArrayHandle Array(const std::string& name, const std::vector<Size>& extents,
                    ScalarType type = ScalarType::Double);
  /// A scalar of the program, passed by value; read it with no offsets.
  ArrayHandle Scalar(const std::string& name, ScalarType type = ScalarType::Double);

  Ex Number(double value, ScalarType type = ScalarType::Double);
  Ex ParameterValue(const graph::LinearForm& parameter);
  Ex Iterator(int iterator);
  Ex Read(const ArrayHandle& array, std::vector<graph::Index> indices,
          std::vector<graph::Boundary> boundary = {});
  /// Any other node.
  Ex Node(graph::Expr expr);
  Ex Binary(BinaryOp op, Ex lhs, Ex rhs);
  Ex Unary(UnaryOp op, Ex operand);
  Ex Convert(Ex operand, ScalarType type);
  Ex Choose(Ex condition, Ex then_value, Ex else_value);
  Ex Call(Function function, const std::vector<Ex>& arguments);
  /// Adds a let to the operator that the next Assign makes.
  Ex Let(const std::string& name, Ex value);

  /// The array's next version, over its present one if it has a value; the domain is that of the
  /// last rank iterators. Returns the operator's node.
  graph::NodeId Assign(const ArrayHandle& array, const std::vector<Bounds>& domain, Ex value);
  /// The same with a target and iterators of its own.
  graph::NodeId AssignTo(const ArrayHandle& array, std::vector<int> iterators,
                         const std::vector<Bounds>& domain, std::vector<graph::Index> target,
                         Ex value);

  /// A loop around what `body` adds; `carried` must name every array that the body assigns.
  graph::NodeId Repeat(const graph::LinearForm& count, const std::vector<ArrayHandle>& carried,
                       const std::function<void()>& body);
  void Swap(const ArrayHandle& a, const ArrayHandle& b);

  /// Outputs are the present versions of the copyout arrays.
  graph::Graph Finish();

  graph::Graph& graph() { return graph_; }
  graph::VersionId Present(const ArrayHandle& array) const { return present_[array.id().index]; }
  const graph::Operator& OperatorOf(graph::NodeId node) const;

 private:
  friend class ArrayHandle;

  graph::Graph graph_;
  std::vector<graph::VersionId> present_;  // by array
  std::vector<graph::Let> lets_;           // of the next operator
  graph::RegionId region_;
  int operators_ = 0;
};

Ex operator+(Ex a, Ex b);
Ex operator-(Ex a, Ex b);
Ex operator*(Ex a, Ex b);
Ex operator/(Ex a, Ex b);
Ex operator*(double a, Ex b);
Ex operator+(Ex a, double b);

}  // namespace stencilgen::testing
