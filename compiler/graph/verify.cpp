#include "graph/verify.h"

#include <map>
#include <utility>

#include "graph/verify_parts.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

class OperatorVerifier {
 public:
  OperatorVerifier(const Graph& graph, Problems& problems) : graph_(graph), problems_(problems) {}

  void VisitRegion(RegionId region) {
    std::map<std::pair<int, int>, const Operator*> groups;
    for (const NodeId node : graph_.regions[region].nodes) {
      Match(
          graph_.nodes[node],
          [&](const Operator& op) {
            VerifyTypes(graph_, op, problems_);
            VerifyDomain(graph_, op, problems_);
            const auto [first, fresh] = groups.try_emplace({op.call, op.group}, &op);
            if (!fresh &&
                (first->second->domain != op.domain || first->second->iterators != op.iterators)) {
              problems_.Add("{}: operators of accumulation group {} differ in their domains",
                            Name(op), op.group);
            }
          },
          [&](const Loop& loop) { VisitRegion(loop.body); });
    }
  }

 private:
  const Graph& graph_;
  Problems& problems_;
};

}  // namespace

std::string Name(const Operator& op) {
  return fmt::format("{} (call {})", op.stencil, op.call);
}

bool SameShape(const Graph& graph, VersionId a, VersionId b) {
  const Array& first = graph.arrays[graph.versions[a].array];
  const Array& second = graph.arrays[graph.versions[b].array];
  return SameElements(first, second) && first.extents == second.extents;
}

std::vector<std::string> Verify(const Graph& graph) {
  Problems problems;
  VerifyStructure(graph, problems);
  if (!problems.empty()) return problems.Take();
  VerifyScopes(graph, problems);
  OperatorVerifier(graph, problems).VisitRegion(graph.root);
  return problems.Take();
}

}  // namespace stencilgen::graph
