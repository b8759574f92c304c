#include "graph/dependences.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "graph/regions.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

using Distances = std::vector<Distance>;
constexpr Distance kUnknown{0, 0, false};

/// A node of the region that reads a version: where its accesses lie, by dimension of the array.
/// A dimension that is not `iterator + constant` in every access has no iterator.
struct Dimension {
  int iterator = -1;
  Distance distance;
};
struct Reader {
  std::size_t place = 0;
  std::vector<Dimension> dimensions;
};

Dimension AccessDimension(const Operator& op, const Access& access, const Box& whole,
                          std::size_t d) {
  const Index& index = access.indices[d];
  if (index.iterator < 0 || index.coefficient != 1 || !index.offset.IsConstant()) {
    return {-1, kUnknown};
  }
  const bool moved = !access.boundary.empty() && access.boundary[d].kind != BoundaryKind::None &&
                     !AlwaysContains(whole[d], IndexValues(op, index));
  if (moved) return {-1, kUnknown};
  return {index.iterator, {index.offset.constant, index.offset.constant, true}};
}

void Include(Dimension& all, const Dimension& one) {
  if (all.iterator != one.iterator || one.iterator < 0) {
    all = {-1, kUnknown};
    return;
  }
  all.distance.min = std::min(all.distance.min, one.distance.min);
  all.distance.max = std::max(all.distance.max, one.distance.max);
}

/// What a loop takes from around it.
void CollectLoopUses(const Graph& graph, const Loop& loop, std::set<VersionId>& uses) {
  std::set<VersionId> inside;
  std::set<VersionId> used;
  if (loop.unless.Valid()) uses.insert(loop.unless);
  for (const Carried& carried : loop.carried) {
    uses.insert(carried.initial);
    inside.insert(carried.entry);
    used.insert(carried.next);
  }
  for (const NodeId id : graph.regions[loop.body].nodes) {
    Match(
        graph.nodes[id],
        [&](const Operator& op) {
          for (const ExprId access : Accesses(graph, op)) {
            used.insert(std::get<Access>(graph.exprs[access].node).version);
          }
          if (op.background.Valid()) used.insert(op.background);
          inside.insert(op.result);
        },
        [&](const Loop& nested) {
          CollectLoopUses(graph, nested, used);
          for (const Carried& carried : nested.carried) inside.insert(carried.result);
        });
  }
  std::set_difference(used.begin(), used.end(), inside.begin(), inside.end(),
                      std::inserter(uses, uses.end()));
}

class DependenceFinder {
 public:
  DependenceFinder(const Graph& graph, RegionId region)
      : graph_(graph), nodes_(graph.regions[region].nodes) {}

  std::vector<Dependence> FindOrder() {
    Visit();
    return Sorted();
  }

  std::vector<Dependence> FindReuse() {
    Visit();
    found_.clear();
    for (const auto& [version, readers] : readers_) {
      const Array& array = graph_.arrays[graph_.versions[version].array];
      if (array.rank() == 0 || array.constant) continue;
      for (auto to = readers.begin(); to != readers.end(); ++to) {
        if (OperatorAt(to->place) == nullptr) continue;
        for (auto from = readers.begin(); from != to; ++from) {
          if (OperatorAt(from->place) == nullptr) continue;
          Add(DependenceKind::ReadAfterRead, from->place, to->place, version, Between(*from, *to));
        }
      }
    }
    return Sorted();
  }

 private:
  struct Found {
    std::size_t to, from;
    Dependence dependence;
  };

  void Visit() {
    for (std::size_t place = 0; place < nodes_.size(); ++place) {
      Match(
          graph_.nodes[nodes_[place]], [&](const Operator& op) { VisitOperator(op, place); },
          [&](const Loop& loop) { VisitLoop(loop, place); });
    }
  }

  void VisitOperator(const Operator& op, std::size_t place) {
    std::map<VersionId, std::vector<Dimension>> reads;
    for (const ExprId id : Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      const Box whole = WholeArray(graph_.arrays[graph_.versions[access.version].array]);
      std::vector<Dimension> dimensions;
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        dimensions.push_back(AccessDimension(op, access, whole, d));
      }
      const auto [it, first] = reads.emplace(access.version, dimensions);
      for (std::size_t d = 0; d < dimensions.size() && !first; ++d) {
        Include(it->second[d], dimensions[d]);
      }
    }
    for (auto& [version, dimensions] : reads) {
      AddRead(version, Reader{place, std::move(dimensions)});
    }
    if (op.background.Valid()) AddOverwrite(op.background, place);
    writers_.emplace(op.result, place);
  }

  void VisitLoop(const Loop& loop, std::size_t place) {
    std::set<VersionId> uses;
    CollectLoopUses(graph_, loop, uses);
    for (const VersionId version : uses) AddRead(version, Reader{place, {}});
    std::set<VersionId> overwritten;
    for (const Carried& carried : loop.carried) {
      overwritten.insert(carried.initial);
      writers_.emplace(carried.result, place);
    }
    for (const VersionId version : overwritten) AddOverwrite(version, place);
  }

  void AddRead(VersionId version, Reader reader) {
    if (const auto writer = writers_.find(version); writer != writers_.end()) {
      Add(DependenceKind::ReadAfterWrite, writer->second, reader.place, version,
          Along(reader, OperatorAt(writer->second)));
    }
    readers_[version].push_back(std::move(reader));
  }

  void AddOverwrite(VersionId version, std::size_t place) {
    const Operator* op = OperatorAt(place);
    for (const Reader& reader : readers_[version]) {
      if (reader.place == place) continue;
      Add(DependenceKind::WriteAfterRead, reader.place, place, version, Along(reader, op));
    }
    const auto writer = writers_.find(version);
    if (writer == writers_.end()) return;
    Distances same(graph_.iterators.size(), kUnknown);
    const Operator* from = OperatorAt(writer->second);
    if (op != nullptr && from != nullptr) {
      for (std::size_t d = 0; d < op->target.size(); ++d) {
        const Index& index = op->target[d];
        if (IsPlain(index) && index == from->target[d]) {
          same[static_cast<std::size_t>(index.iterator)] = {0, 0, true};
        }
      }
    }
    Add(DependenceKind::WriteAfterWrite, writer->second, place, version, std::move(same));
  }

  /// The reader's offsets along the iterators with which `writer` walks the array.
  Distances Along(const Reader& reader, const Operator* writer) const {
    Distances distances(graph_.iterators.size(), kUnknown);
    for (std::size_t d = 0; d < reader.dimensions.size() && writer != nullptr; ++d) {
      const Index& target = writer->target[d];
      if (!IsPlain(target) || target.iterator != reader.dimensions[d].iterator) continue;
      distances[static_cast<std::size_t>(target.iterator)] = reader.dimensions[d].distance;
    }
    return distances;
  }

  /// How far ahead of `from` the reader `to` reads, along each iterator with which both walk the
  /// same dimension.
  Distances Between(const Reader& from, const Reader& to) const {
    Distances distances(graph_.iterators.size(), kUnknown);
    for (std::size_t d = 0; d < to.dimensions.size(); ++d) {
      const Dimension& a = from.dimensions[d];
      const Dimension& b = to.dimensions[d];
      if (a.iterator < 0 || a.iterator != b.iterator) continue;
      distances[static_cast<std::size_t>(a.iterator)] = {b.distance.min - a.distance.max,
                                                         b.distance.max - a.distance.min, true};
    }
    return distances;
  }

  const Operator* OperatorAt(std::size_t place) const {
    return std::get_if<Operator>(&graph_.nodes[nodes_[place]]);
  }

  void Add(DependenceKind kind, std::size_t from, std::size_t to, VersionId version,
           Distances distances) {
    found_.push_back({to, from, {kind, nodes_[from], nodes_[to], version, std::move(distances)}});
  }

  std::vector<Dependence> Sorted() {
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.to, a.from, a.dependence.kind, a.dependence.version) <
             std::tie(b.to, b.from, b.dependence.kind, b.dependence.version);
    });
    std::vector<Dependence> dependences;
    dependences.reserve(found_.size());
    for (Found& found : found_) dependences.push_back(std::move(found.dependence));
    return dependences;
  }

  const Graph& graph_;
  const std::vector<NodeId>& nodes_;
  std::map<VersionId, std::size_t> writers_;  // places in the region
  std::map<VersionId, std::vector<Reader>> readers_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<Dependence> FindDependences(const Graph& graph, RegionId region) {
  return DependenceFinder(graph, region).FindOrder();
}

std::vector<Dependence> FindSharedReads(const Graph& graph, RegionId region) {
  return DependenceFinder(graph, region).FindReuse();
}

bool Accumulates(const Graph& graph, const Operator& op) {
  if (op.op == AssignOp::Assign || !op.background.Valid()) return false;
  int reads = 0;
  for (const ExprId id : Accesses(graph, op)) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    if (access.version != op.background) continue;
    if (access.indices != op.target) return false;
    ++reads;
  }
  return reads == 1;
}

}  // namespace stencilgen::graph
