#include "passes/copy_frames.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "graph/overwrite.h"
#include "graph/regions.h"
#include "graph/turns.h"

namespace stencilgen::passes {
namespace {

using graph::Graph;
using graph::Interval;
using graph::NodeId;
using graph::Operator;
using graph::VersionId;

const graph::Array& ArrayOf(const Graph& graph, VersionId version) {
  return graph.arrays[graph.versions[version].array];
}

/// The operator writes its own points, in a range along each dimension that two forms bound.
bool WritesPlainBox(const Operator& op) {
  if (!op.domain.guards.empty() || op.target.size() != op.iterators.size()) return false;
  for (std::size_t d = 0; d < op.target.size(); ++d) {
    if (!graph::IsPlain(op.target[d]) || op.target[d].iterator != op.iterators[d]) return false;
    const Interval& interval = op.domain.intervals[d];
    if (interval.lower.size() != 1 || interval.upper.size() != 1) return false;
    if (interval.lower[0].divisor != 1 || interval.upper[0].divisor != 1) return false;
  }
  return !op.target.empty();
}

class LoopCopier {
 public:
  LoopCopier(Graph& graph, graph::Loop loop)
      : graph_(graph), loop_(std::move(loop)), nodes_(graph.regions[loop_.body].nodes) {}

  void Run() {
    for (const NodeId node : nodes_) {
      const auto* op = std::get_if<Operator>(&graph_.nodes[node]);
      if (op == nullptr || op->reduction) return;
    }
    std::vector<NodeId> nodes;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (IsCopied(k)) AddSides(nodes_[k], nodes);
      nodes.push_back(nodes_[k]);
    }
    graph_.regions[loop_.body].nodes = std::move(nodes);
  }

 private:
  bool IsCopied(std::size_t k) const {
    const Operator& op = graph::OperatorOf(graph_, nodes_[k]);
    if (!op.background.Valid() || !WritesPlainBox(op) || graph::WritesByTurn(op)) return false;
    if (ArrayOf(graph_, op.result).format != ElementFormat::Plain) return false;
    if (graph::MayWriteOver(graph_, op, op.background)) return false;
    return IsSurroundedAnew(nodes_[k], op);
  }

  /// Some operator that has made what it overwrites, in this turn or the one before, writes other
  /// elements.
  bool IsSurroundedAnew(NodeId node, const Operator& op) const {
    VersionId at = op.background;
    for (std::size_t steps = 2 * nodes_.size() + loop_.carried.size(); steps > 0; --steps) {
      const graph::Version& version = graph_.versions[at];
      if (version.def == graph::DefKind::Operator) {
        const Operator& maker = graph::OperatorOf(graph_, version.node);
        if (version.node == node || !maker.background.Valid()) return false;
        if (maker.target != op.target || !(maker.domain == op.domain)) return true;
        at = maker.background;
        continue;
      }
      const auto carried = std::find_if(loop_.carried.begin(), loop_.carried.end(),
                                        [&](const auto& each) { return each.entry == at; });
      if (carried == loop_.carried.end()) return false;
      at = carried->next;
    }
    return false;
  }

  /// Operators before it that copy each side, the first of them over nothing.
  void AddSides(NodeId node, std::vector<NodeId>& nodes) {
    const Operator op = graph::OperatorOf(graph_, node);
    const graph::Array& array = ArrayOf(graph_, op.result);
    const graph::Box whole = graph::WholeArray(array);
    VersionId last;
    for (std::size_t d = 0; d < op.iterators.size(); ++d) {
      const Interval& own = op.domain.intervals[d];
      Interval before = whole[d], after = whole[d];
      AddUpper(before, {own.lower[0].numerator - 1, 1});
      AddLower(after, {own.upper[0].numerator + 1, 1});
      for (const Interval& side : {before, after}) {
        if (graph::AlwaysEmpty(side)) continue;
        graph::Box box = whole;
        std::copy_n(op.domain.intervals.begin(), d, box.begin());
        box[d] = side;
        last = AddSide(op, std::move(box), last, nodes);
      }
    }
    if (last.Valid()) graph::OperatorOf(graph_, node).background = last;
  }

  VersionId AddSide(const Operator& op, graph::Box box, VersionId background,
                    std::vector<NodeId>& nodes) {
    const graph::ArrayId array = graph_.versions[op.result].array;
    Operator copy;
    copy.stencil = fmt::format("{}_frame", op.stencil);
    copy.call = op.call;
    copy.span = op.span;
    copy.background = background;
    copy.iterators = op.iterators;
    copy.domain.intervals = std::move(box);
    copy.target = op.target;
    copy.group = NextGroup();
    graph::Expr value;
    value.type = graph_.arrays[array].type;
    value.span = op.span;
    value.node = graph::Access{op.background, op.target, {}};
    copy.value = graph_.exprs.Add(std::move(value));
    const NodeId node = graph_.nodes.Add(Operator{});
    copy.result = graph_.versions.Add({array, graph::DefKind::Operator, node});
    const VersionId result = copy.result;
    graph_.nodes[node] = std::move(copy);
    nodes.push_back(node);
    return result;
  }

  int NextGroup() const {
    int most = 0;
    for (const graph::Node& node : graph_.nodes) {
      if (const auto* op = std::get_if<Operator>(&node)) most = std::max(most, op->group);
    }
    return most + 1;
  }

  Graph& graph_;
  const graph::Loop loop_;
  const std::vector<NodeId> nodes_;
};

}  // namespace

Graph CopyFrames(Graph graph) {
  for (const NodeId node : graph.nodes.Ids()) {
    const auto* loop = std::get_if<graph::Loop>(&graph.nodes[node]);
    if (loop != nullptr) LoopCopier(graph, *loop).Run();
  }
  return graph;
}

}  // namespace stencilgen::passes
