#pragma once

#include <map>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// The first number that no accumulation group of the graph has.
int NextGroup(const Graph& graph);

/// Makes copies of what is in a region, loops included, for transformations that repeat a loop's
/// body. Versions that are not the copied nodes' own keep their ids but for those that are renamed.
class NodeCopier {
 public:
  /// What stands for versions and turns of loops from outside. `next_group` numbers accumulation
  /// groups of the graph and counts on. All must outlive the copier.
  NodeCopier(Graph& graph, std::map<VersionId, VersionId> renamed, int* next_group,
             std::map<ParameterId, LinearForm> turns = {})
      : graph_(graph),
        versions_(std::move(renamed)),
        turns_(std::move(turns)),
        next_group_(next_group) {}

  /// Adds copies of the nodes to the graph, in order.
  std::vector<NodeId> Copy(const std::vector<NodeId>& nodes);

  /// Puts the turns into operators themselves. Their expressions are copies from then on.
  /// Requires: the nodes are operators.
  void ReplaceTurns(const std::vector<NodeId>& nodes);

  /// Lets another version stand for one from now on.
  void Rename(VersionId version, VersionId by) { versions_[version] = by; }
  /// What stands for the version after the copy.
  VersionId Renamed(VersionId version) const;

 private:
  NodeId CopyOperator(Operator op);
  NodeId CopyLoop(const Loop& old);
  void SetTurns(Operator& op);
  LinearForm WithTurns(LinearForm form) const;
  ExprId CopyExpr(ExprId root);
  VersionId AddVersion(VersionId like, DefKind def, NodeId node);

  Graph& graph_;
  std::map<VersionId, VersionId> versions_;
  std::map<ParameterId, LinearForm> turns_;
  std::map<ExprId, ExprId> exprs_;             // of one operator
  std::map<std::pair<int, int>, int> groups_;  // by call and accumulation group
  int* next_group_;
};

}  // namespace stencilgen::graph
