#include "passes/shared_array.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "graph/copy_nodes.h"
#include "graph/nodes.h"
#include "passes/copy_body.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// Modes of an access at these offsets from the array's places; empty where it needs none.
std::vector<Boundary> ModesAt(const SharedArray& sharing, const Access& access) {
  std::vector<Boundary> modes(access.indices.size());
  bool any = false;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Index& index = access.indices[d];
    const auto at = std::find(sharing.iterators.begin(), sharing.iterators.end(), index.iterator);
    if (at == sharing.iterators.end() || index.offset.constant == 0) continue;
    modes[d] = sharing.dimensions[std::size_t(at - sharing.iterators.begin())].mode;
    any = any || modes[d].kind != BoundaryKind::None;
  }
  return any ? modes : std::vector<Boundary>{};
}

/// Adds the array, and what computes it, and lets its readers read it.
class ArrayAdder {
 public:
  ArrayAdder(Graph& graph, RegionId region, const SharedArray& shared, ShiftedValues& values)
      : graph_(graph), region_(region), shared_(shared), values_(values) {}

  std::string Run() {
    const VersionId version = AddOperator();
    std::set<NodeId> readers;
    for (const Occurrence& each : shared_.occurrences) readers.insert(each.node);
    for (const NodeId node : readers) ReadIn(node, version);
    return graph_.arrays[graph_.versions[version].array].name;
  }

 private:
  void ReadIn(NodeId node, VersionId version) {
    OwnBody(graph_, node);
    for (const auto& [id, value] : values_.Number(OperatorOf(graph_, node))) {
      Expr& expr = graph_.exprs[id];
      if (value.number != shared_.number || std::holds_alternative<LetRef>(expr.node)) continue;
      Access access;
      access.version = version;
      for (const int x : shared_.iterators) {
        const std::int64_t offset = value.offset[static_cast<std::size_t>(x)];
        access.indices.push_back({x, 1, LinearForm::Constant(offset)});
      }
      access.boundary = ModesAt(shared_, access);
      expr.node = std::move(access);
    }
    OwnBody(graph_, node);  // without lets that were only part of the value
  }

  /// Returns its result.
  VersionId AddOperator() {
    const Occurrence& first = shared_.occurrences.front();
    const Operator like = OperatorOf(graph_, first.node);
    Operator op;
    op.stencil = like.stencil;
    op.call = like.call;
    op.span = graph_.exprs[first.expr].span;
    op.group = NextGroup(graph_);
    op.iterators = shared_.iterators;
    op.domain = shared_.domain;
    for (const int x : shared_.iterators) op.target.push_back({x, 1, {}});
    Body body = BodyAtItsPlace(like, first);
    op.lets = std::move(body.lets);
    op.value = body.value;
    op.result = graph_.versions.Add({AddArray(like, first), DefKind::Operator, {}});
    const VersionId result = op.result;
    const NodeId node = graph_.nodes.Add(std::move(op));
    graph_.versions[result].node = node;
    std::vector<NodeId>& nodes = graph_.regions[region_].nodes;
    nodes.insert(PlaceOf(OperatorOf(graph_, node), nodes, first.node), node);
    return result;
  }

  /// Where in the region the operator belongs: before those around its first reader that read the
  /// same, so that what reads alike stands together.
  std::vector<NodeId>::iterator PlaceOf(const Operator& op, std::vector<NodeId>& nodes,
                                        NodeId reader) const {
    const std::set<VersionId> reads = VersionsOf(op);
    auto at = std::find(nodes.begin(), nodes.end(), reader);
    while (at != nodes.begin()) {
      const auto* above = std::get_if<Operator>(&graph_.nodes[*std::prev(at)]);
      if (above == nullptr || reads.count(above->result) > 0) break;
      const std::set<VersionId> others = VersionsOf(*above);
      const bool alike = std::any_of(reads.begin(), reads.end(),
                                     [&](VersionId version) { return others.count(version) > 0; });
      if (!alike) break;
      --at;
    }
    return at;
  }

  std::set<VersionId> VersionsOf(const Operator& op) const {
    std::set<VersionId> versions;
    for (const ExprId id : Accesses(graph_, op)) {
      versions.insert(std::get<Access>(graph_.exprs[id].node).version);
    }
    return versions;
  }

  /// The value, with what it reads moved so that its element is at the point.
  Body BodyAtItsPlace(const Operator& op, const Occurrence& at) {
    Body body = CopyBody(graph_, op, at.expr);
    std::vector<ExprId> accesses;
    for (const Let& let : body.lets) CollectAccesses(graph_, let.value, accesses);
    CollectAccesses(graph_, body.value, accesses);
    for (const ExprId id : std::set<ExprId>(accesses.begin(), accesses.end())) {
      auto& access = std::get<Access>(graph_.exprs[id].node);
      for (Index& index : access.indices) {
        if (index.iterator < 0) continue;
        index.offset.constant -= at.offset[static_cast<std::size_t>(index.iterator)];
      }
      access.boundary = ModesAt(shared_, access);
    }
    return body;
  }

  ArrayId AddArray(const Operator& like, const Occurrence& first) {
    std::set<std::string> names;
    for (const Array& array : graph_.arrays) names.insert(array.name);
    Array array;
    for (int k = 1; array.name.empty() || names.count(array.name) > 0; ++k) {
      array.name = fmt::format("common{}_{}", k, like.call);
    }
    array.type = graph_.exprs[first.expr].type;
    for (const SharedDimension& each : shared_.dimensions) array.extents.push_back(each.extent);
    array.local = true;
    array.own_memory = true;  // what computes it may share loops with what reads it
    array.span = graph_.exprs[first.expr].span;
    return graph_.arrays.Add(std::move(array));
  }

  Graph& graph_;
  RegionId region_;
  const SharedArray& shared_;
  ShiftedValues& values_;
};

}  // namespace

std::string AddSharedArray(Graph& graph, RegionId region, const SharedArray& shared,
                           ShiftedValues& values) {
  return ArrayAdder(graph, region, shared, values).Run();
}

}  // namespace stencilgen::passes
