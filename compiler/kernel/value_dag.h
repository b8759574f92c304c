#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "kernel/body.h"

namespace stencilgen::kernel {

/// When a factor is multiplied into the terms of a sum: never; where that takes no more operations
/// (`0.2 * (a + b)` becomes two multiply-adds); or wherever it is legal, which exposes more
/// contributions at the price of more products. AsWritten: sums and products are not even taken
/// apart, and what is computed is the same to the last bit.
enum class Distribute : std::uint8_t { AsWritten, Never, WhereFree, Always };

/// The indices at the point that lies `offset` away along the operator's iterators.
std::vector<graph::Index> Shifted(std::vector<graph::Index> indices, const graph::Operator& op,
                                  const std::vector<std::int64_t>& offset);

/// The values of statements at unrolled points as a DAG with one node for equal values: sums of
/// products ([S] Figure 5.2e), other operations, and leaves. Floating-point sums and products are
/// flattened, unless asked for as they are written: they may be taken in any order.
class ValueDag {
 public:
  using NodeId = Id<struct ValueNodeTag>;
  /// A product, all but the last two of whose factors are multiplied first.
  struct Term {
    bool negative = false;
    std::vector<NodeId> factors;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
    friend auto operator<=>(const Term&, const Term&) = default;
  };
  struct Node {
    ScalarType type = ScalarType::Double;
    ValueId leaf;           ///< valid for leaves
    std::vector<Term> sum;  ///< of a sum, or of one product
    Operation operation;    ///< otherwise
    std::vector<NodeId> operands;
  };

  /// Leaves are added to `values`. All arguments must outlive the DAG. Requires: no operator has
  /// rank 0.
  ValueDag(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
           Distribute distribute, Store<ValueId, Value>& values);

  /// The value of the statement. Reads of results of statements that were added before are those
  /// values.
  NodeId Add(const Statement& statement);

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }

 private:
  /// A term before it becomes nodes.
  struct Factors {
    bool negative = false;
    double literal = 1;
    bool has_literal = false;
    std::vector<graph::ExprId> exprs;

    std::size_t Count() const { return exprs.size() + (has_literal ? 1 : 0); }
  };

  NodeId Number(graph::ExprId expr);
  NodeId NumberAccess(const graph::Access& access, ScalarType type);
  NodeId NumberSum(graph::ExprId expr);
  NodeId NumberOperation(const graph::Expr& expr);
  NodeId Let(int let);
  NodeId Leaf(const std::string& key, Value value);
  NodeId LiteralLeaf(ScalarType type, graph::Literal literal);
  NodeId Operate(ScalarType type, Operation operation, std::vector<NodeId> operands);
  NodeId Sum(ScalarType type, std::vector<Term> terms);

  void FindUniform(graph::ExprId root, const std::vector<bool>& uniform_lets,
                   std::map<graph::ExprId, bool>& uniform) const;
  bool IsUniformLeaf(const graph::Expr& expr, const std::vector<bool>& uniform_lets) const;
  std::vector<Factors> TermsOf(graph::ExprId sum) const;
  void AddProduct(graph::ExprId expr, bool negative, std::vector<Factors>& terms) const;
  Factors SplitProduct(graph::ExprId expr) const;
  bool Distributes(const Factors& outer, const std::vector<Factors>& inner) const;
  bool IsUniform(graph::ExprId expr) const;
  bool IsSum(graph::ExprId expr) const;
  graph::Access Shifted(graph::Access access) const;
  std::string Key(const graph::Access& access) const;

  const graph::Graph& graph_;
  const std::vector<const graph::Operator*>& ops_;
  Distribute distribute_;
  Store<ValueId, Value>& values_;
  std::vector<std::string> parameter_names_;
  std::vector<std::map<graph::ExprId, bool>> uniform_;  ///< by operator

  Store<NodeId, Node> nodes_;
  std::map<std::string, NodeId> leaves_, results_;
  std::map<std::pair<ScalarType, std::vector<Term>>, NodeId> sums_;
  std::map<std::string, NodeId> operations_;

  // Of the statement that is being added.
  const graph::Operator* op_ = nullptr;
  const Statement* statement_ = nullptr;
  std::map<int, NodeId> lets_;
};

}  // namespace stencilgen::kernel
