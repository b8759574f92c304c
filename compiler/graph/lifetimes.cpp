#include "graph/lifetimes.h"

#include <limits>

namespace stencilgen::graph {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kEnd = kNever - 1;

class LifetimeFinder {
 public:
  explicit LifetimeFinder(const Graph& graph)
      : graph_(graph),
        home_(graph.versions.size(), graph.root),
        last_use_(graph.versions.size(), kNever),
        place_(graph.versions.size(), 0),
        parents_(graph.regions.size()) {
    lifetimes_.ending.resize(graph.regions.size());
    lifetimes_.kept_to_end.resize(graph.regions.size());
    lifetimes_.used_inside.resize(graph.nodes.size());
  }

  Lifetimes Find() {
    VisitRegion(graph_.root);
    for (const Output& output : graph_.outputs) Use(output.version, graph_.root, kEnd);
    for (const VersionId version : graph_.versions.Ids()) {
      const std::uint32_t region = home_[version.index].index;
      const std::size_t last = last_use_[version.index];
      if (last == kEnd) {
        lifetimes_.kept_to_end[region].push_back(version);
      } else if (!lifetimes_.ending[region].empty()) {
        const std::size_t end = last == kNever ? place_[version.index] : last;
        lifetimes_.ending[region][end].push_back(version);
      }
    }
    return std::move(lifetimes_);
  }

 private:
  struct Parent {
    RegionId region;
    std::size_t place = 0;
    NodeId loop;
  };

  void Define(VersionId version, RegionId region, std::size_t place) {
    home_[version.index] = region;
    place_[version.index] = place;
  }

  void Use(VersionId version, RegionId region, std::size_t place) {
    while (region != home_[version.index]) {
      const Parent& parent = parents_[region.index];
      lifetimes_.used_inside[parent.loop.index].insert(version);
      region = parent.region;
      place = parent.place;
    }
    std::size_t& last = last_use_[version.index];
    if (last == kNever || place > last) last = place;
  }

  void VisitRegion(RegionId region) {
    const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
    lifetimes_.ending[region.index].resize(nodes.size());
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      const Node& node = graph_.nodes[nodes[place]];
      if (const auto* op = std::get_if<Operator>(&node)) {
        VisitOperator(*op, region, place);
      } else {
        VisitLoop(nodes[place], std::get<Loop>(node), region, place);
      }
    }
  }

  void VisitOperator(const Operator& op, RegionId region, std::size_t place) {
    for (const ExprId id : Accesses(graph_, op)) {
      Use(std::get<Access>(graph_.exprs[id].node).version, region, place);
    }
    if (op.background.Valid()) Use(op.background, region, place);
    Define(op.result, region, place);
  }

  void VisitLoop(NodeId node, const Loop& loop, RegionId region, std::size_t place) {
    parents_[loop.body.index] = {region, place, node};
    if (loop.unless.Valid()) Use(loop.unless, region, place);
    for (const Carried& carried : loop.carried) {
      Use(carried.initial, region, place);
      Define(carried.entry, loop.body, 0);
    }
    VisitRegion(loop.body);
    if (loop.stop) Use(loop.stop->condition, loop.body, kEnd);
    for (const Carried& carried : loop.carried) {
      Use(carried.next, loop.body, kEnd);
      Define(carried.result, region, place);
    }
  }

  const Graph& graph_;
  std::vector<RegionId> home_;         // by version
  std::vector<std::size_t> last_use_;  // by version: a place in its home
  std::vector<std::size_t> place_;     // by version: where it is defined
  std::vector<Parent> parents_;        // by region
  Lifetimes lifetimes_;
};

}  // namespace

Lifetimes FindLifetimes(const Graph& graph) {
  return LifetimeFinder(graph).Find();
}

}  // namespace stencilgen::graph
