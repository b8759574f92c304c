#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/graph.h"

/// The parts of Verify, each for one kind of invariant.
namespace stencilgen::graph {

/// Broken invariants, in words.
class Problems {
 public:
  template <typename... Args>
  void Add(fmt::format_string<Args...> text, Args&&... args) {
    texts_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  bool empty() const { return texts_.empty(); }
  std::vector<std::string> Take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

/// Ids are in range, every region and live node has one place, expressions have no cycles, lists
/// have the lengths they must. The other parts require all that.
void VerifyStructure(const Graph& graph, Problems& problems);
/// Each version is defined once, where its definition says, and before its uses.
void VerifyScopes(const Graph& graph, Problems& problems);
/// Arity and types of an operator's expressions.
void VerifyTypes(const Graph& graph, const Operator& op, Problems& problems);
/// Bounds, targets and accesses of an operator.
void VerifyDomain(const Graph& graph, const Operator& op, Problems& problems);

/// `average (call 2)`.
std::string Name(const Operator& op);
/// Both hold values of one type and shape.
bool SameShape(const Graph& graph, VersionId a, VersionId b);

}  // namespace stencilgen::graph
