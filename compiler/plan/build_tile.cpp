#include "plan/build_tile.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "graph/places.h"
#include "graph/walk.h"
#include "plan/halo_needs.h"
#include "plan/live_registers.h"
#include "plan/operator_facts.h"
#include "plan/tile_edges.h"
#include "plan/tile_halos.h"
#include "plan/tile_storage.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Graph;
using graph::Operator;
using graph::PlacementWish;
using graph::VersionId;

class Builder {
 public:
  Builder(const Graph& graph, const std::vector<VersionId>& stored,
          const std::map<graph::NodeId, Scatter>& scatters, const Schedule& schedule,
          const std::set<VersionId>& whole)
      : graph_(graph), stored_(stored), scatters_(scatters), schedule_(schedule), whole_(whole) {}

  std::variant<Tile, TileRefusal> Build(const std::vector<graph::NodeId>& nodes) {
    for (graph::NodeId node : nodes) tile_.ops.push_back({node});
    if (!SetShape() || !CheckReads()) return TileRefusal{reason_};
    ChooseForms();
    PlanStores();
    FindBackgrounds();
    CollectNeighbours();
    if (!CheckWishes()) return TileRefusal{reason_};
    AddVersions();
    reason_ = SpreadWraps(graph_, tile_);
    if (!reason_.empty()) return TileRefusal{reason_};
    SetLagsAndHalos(graph_, schedule_, reads_, tile_);
    if (!CheckSize()) return TileRefusal{reason_};
    if (schedule_.stages == 1) tile_.spared = FindSpared(graph_, tile_);
    AssignStorage(graph_, schedule_, TileReads(), tile_);
    if (!CheckWraps() || !CheckStorage()) return TileRefusal{reason_};
    return std::move(tile_);
  }

 private:
  const Operator& At(int op) const {
    return std::get<Operator>(graph_.nodes[tile_.ops[static_cast<std::size_t>(op)].node]);
  }
  int Count() const { return static_cast<int>(tile_.ops.size()); }
  TileVersion& Held(VersionId version) {
    return tile_.versions[static_cast<std::size_t>(tile_.Find(version))];
  }
  const graph::Array& ArrayOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }
  bool IsResult(VersionId version) const { return results_.count(version) > 0; }
  bool IsStored(VersionId version) const {
    return std::find(stored_.begin(), stored_.end(), version) != stored_.end();
  }
  bool Refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  bool SetShape() {
    const Operator& first = At(0);
    tile_.dimensions = first.iterators.size();
    for (int k = 0; k < Count(); ++k) {
      const Operator& op = At(k);
      if (op.iterators != first.iterators) return Refuse("they walk different iterators");
      if (op.target.size() != op.iterators.size()) return Refuse("one does not write a point each");
      for (std::size_t d = 0; d < op.target.size(); ++d) {
        if (!graph::IsPlain(op.target[d]) || op.target[d].iterator != op.iterators[d]) {
          return Refuse("one does not write its own point");
        }
      }
      results_.insert(op.result);
    }
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      const std::size_t axis = tile_.dimensions - 1 - d;
      const bool streamed =
          schedule_.stream && axis > 0 && first.iterators[d] == schedule_.stream->iterator;
      if (streamed) {
        tile_.stream = d;
        tile_.chunk = schedule_.stream->chunk;
        tile_.shortest = schedule_.stream->shortest;
        continue;
      }
      tile_.threads[d] = schedule_.block[axis];
      tile_.points[d] = schedule_.unroll[axis];
    }
    tile_.warp = schedule_.warp;
    tile_.shuffle = schedule_.shuffle && RowsLieInWarps(tile_) && !HasBool();
    return true;
  }

  /// Shuffles move 32 or 64 bits.
  bool HasBool() const {
    const auto is_bool = [&](VersionId version) {
      return ArrayOf(version).type == ScalarType::Bool;
    };
    for (int k = 0; k < Count(); ++k) {
      if (is_bool(At(k).result)) return true;
      for (graph::ExprId id : graph::Accesses(graph_, At(k))) {
        if (is_bool(std::get<Access>(graph_.exprs[id].node).version)) return true;
      }
    }
    return false;
  }

  /// Another operator's result must be read at fixed distances.
  bool CheckReads() {
    for (int k = 0; k < Count(); ++k) {
      for (graph::ExprId id : graph::Accesses(graph_, At(k))) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        if (graph::HasPlace(access)) {
          return Refuse(fmt::format("{} is read at places that are values",
                                    graph::VersionName(graph_, access.version)));
        }
        if (IsResult(access.version) && !FormalOffset(graph_, At(k), access)) {
          return Refuse(fmt::format("{} is read elsewhere than at neighbours",
                                    graph::VersionName(graph_, access.version)));
        }
      }
    }
    return true;
  }

  /// A sum is scattered where that is asked for, or where the planes that others read would be
  /// several.
  void ChooseForms() {
    if (!tile_.stream || schedule_.form == Form::Gather) return;
    for (int k = 0; k < Count(); ++k) {
      TileOperator& op = tile_.ops[static_cast<std::size_t>(k)];
      const auto scatter = scatters_.find(op.node);
      if (scatter == scatters_.end()) continue;
      std::set<std::pair<VersionId, std::int64_t>> exchanged;
      std::set<VersionId> versions;
      bool held = true;  // a sum of planes to come cannot be read from memory: it may end there
      for (graph::ExprId id : graph::Accesses(graph_, At(k))) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        const auto offset = NeighbourOffset(At(k), access);
        held = held &&
               (!offset || IsResult(access.version) || MayLoad({k, access.version, *offset, 0}));
        if (!offset || !NeedsSharedMemory(tile_, *offset)) continue;
        exchanged.insert({access.version, (*offset)[*tile_.stream]});
        versions.insert(access.version);
      }
      if (!held) continue;
      if (schedule_.form == Form::Scatter || exchanged.size() > versions.size()) {
        op.scatter = scatter->second;
      }
    }
  }

  /// A version whose operators do not all write the same elements is stored whole.
  void PlanStores() {
    for (int k = 0; k < Count(); ++k) {
      const Operator& op = At(k);
      if (!IsStored(op.result)) continue;
      bool same = true;
      for (VersionId version = op.background; version.Valid() && IsResult(version);) {
        const auto& earlier = std::get<Operator>(graph_.nodes[graph_.versions[version].node]);
        same = same && WritesSameElements(earlier, op);
        version = earlier.background;
      }
      tile_.stores.push_back({op.result, !same || whole_.count(op.result) > 0});
    }
  }

  /// True where the operator computes every element that the access of `reader` is of.
  bool Covers(const Operator& op, const Operator& reader, const Access& access) const {
    if (!op.domain.guards.empty() && op.domain.guards != reader.domain.guards) return false;
    const Offset offset = *FormalOffset(graph_, reader, access);
    for (std::size_t d = 0; d < op.iterators.size(); ++d) {
      const bool open =
          !access.boundary.empty() && access.boundary[d].kind != graph::BoundaryKind::None;
      if (open) {
        // It may be of any element of the array.
        if (!CoversDimension(graph_, op, d)) return false;
        continue;
      }
      graph::Interval read = reader.domain.intervals[d];
      for (auto* bounds : {&read.lower, &read.upper}) {
        for (graph::Bound& bound : *bounds) {
          bound.numerator = bound.numerator + offset[d] * bound.divisor;
        }
      }
      if (!graph::AlwaysContains(op.domain.intervals[d], read)) return false;
    }
    return true;
  }

  void FindBackgrounds() {
    std::map<VersionId, int> definer;
    for (int k = 0; k < Count(); ++k) definer[At(k).result] = k;
    const auto need = [&](VersionId version) {
      const auto at = definer.find(version);
      if (at == definer.end()) return;
      const Operator& op = At(at->second);
      if (!op.background.Valid() || CoversArray(graph_, op)) return;
      tile_.ops[static_cast<std::size_t>(at->second)].background = true;
    };
    for (const TileStore& store : tile_.stores) {
      if (store.whole) need(store.version);
    }
    for (int k = Count() - 1; k >= 0; --k) {
      const Operator& op = At(k);
      for (graph::ExprId id : graph::Accesses(graph_, op)) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        if (!IsResult(access.version)) continue;
        const Operator& source = At(definer.at(access.version));
        if (!Covers(source, op, access)) need(access.version);
      }
      if (tile_.ops[static_cast<std::size_t>(k)].background) need(op.background);
    }
  }

  void CollectNeighbours() {
    for (int k = 0; k < Count(); ++k) {
      for (graph::ExprId id : graph::Accesses(graph_, At(k))) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        const auto offset = FormalOffset(graph_, At(k), access);
        if (!offset) continue;
        reads_.push_back({k, access.version, *offset, AlongStream(tile_, k, *offset)});
        for (const Offset& moved : EdgeOffsets(access, *offset)) {
          reads_.push_back({k, access.version, moved, AlongStream(tile_, k, moved), true});
        }
      }
      if (tile_.ops[static_cast<std::size_t>(k)].background) {
        reads_.push_back({k, At(k).background, {}, 0});
      }
    }
  }

  /// What the program or the command line keeps out of shared memory cannot be exchanged.
  bool CheckWishes() {
    for (const Neighbour& read : reads_) {
      if (!IsResult(read.version)) continue;
      const PlacementWish wish = ArrayOf(read.version).wish;
      if (wish == PlacementWish::GlobalMemory) {
        return Refuse(
            fmt::format("{} is wanted in global memory", graph::VersionName(graph_, read.version)));
      }
      if (NeedsSharedMemory(tile_, read.offset) && !MayShare(read.version)) {
        return Refuse(fmt::format("neighbours of {} may not be in shared memory",
                                  graph::VersionName(graph_, read.version)));
      }
    }
    return true;
  }

  bool MayShare(VersionId version) const {
    return schedule_.shared_memory && ArrayOf(version).wish != PlacementWish::NoSharedMemory;
  }
  /// Inputs that are read more than once, or at the thread's own point where a step loads all such
  /// together, then results in their order. What one operator reads again at one point counts only
  /// where there is something else to keep.
  void AddVersions() {
    std::map<VersionId, std::set<std::pair<int, Offset>>> reads;
    std::vector<VersionId> order;
    for (const Neighbour& read : reads_) {
      if (IsResult(read.version) || read.at_edges || !MayLoad(read)) continue;
      if (reads[read.version].empty()) order.push_back(read.version);
      reads[read.version].insert({read.op, read.offset});
    }
    const std::map<VersionId, int> accesses = CountAccesses();
    const bool keeps = Count() > 1 || std::any_of(reads.begin(), reads.end(), [](const auto& read) {
                         return read.second.size() > 1;
                       });
    for (VersionId version : order) {
      const bool scattered =
          std::any_of(reads[version].begin(), reads[version].end(), [&](const auto& read) {
            return tile_.ops[static_cast<std::size_t>(read.first)].scatter.has_value();
          });
      const bool wanted = scattered || ArrayOf(version).wish == PlacementWish::SharedMemory;
      const auto again = accesses.find(version);
      const bool twice = keeps && again != accesses.end() && again->second > 1;
      const bool together = LoadsTogether(schedule_) && IsOwn(reads[version].begin()->second);
      if (reads[version].size() < 2 && !twice && !wanted && !together) continue;
      TileVersion input;
      input.version = version;
      input.loaded = true;
      tile_.versions.push_back(input);
    }
    for (int k = 0; k < Count(); ++k) {
      TileVersion result;
      result.version = At(k).result;
      tile_.versions.push_back(result);
    }
    reads_.erase(std::remove_if(reads_.begin(), reads_.end(),
                                [&](const Neighbour& read) {
                                  return tile_.Find(read.version) < 0 ||
                                         (!IsResult(read.version) && !MayLoad(read));
                                }),
                 reads_.end());
  }
  /// True where the element lies at the thread's own point of a plane.
  bool IsOwn(Offset offset) const {
    if (!tile_.stream) return false;
    offset[*tile_.stream] = 0;
    return offset == Offset{};
  }
  /// How often the operators name elements of each version that no other thread needs.
  std::map<VersionId, int> CountAccesses() const {
    std::map<VersionId, int> accesses;
    for (int k = 0; k < Count(); ++k) {
      for (graph::ExprId id : graph::Accesses(graph_, At(k))) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        const auto offset = FormalOffset(graph_, At(k), access);
        if (offset && !NeedsSharedMemory(tile_, *offset)) ++accesses[access.version];
      }
    }
    return accesses;
  }
  bool MayLoad(const Neighbour& read) const {
    const graph::Array& array = ArrayOf(read.version);
    if (array.constant || array.wish == PlacementWish::GlobalMemory) return false;
    return !NeedsSharedMemory(tile_, read.offset) || MayShare(read.version);
  }

  std::vector<std::vector<TileRead>> TileReads() {
    std::vector<std::vector<TileRead>> reads(tile_.ops.size());
    for (const Neighbour& read : reads_) {
      TileRead found;
      found.version = tile_.Find(read.version);
      found.age =
          static_cast<int>(Held(At(read.op).result).lag - Held(read.version).lag - read.along);
      found.offset = read.offset;
      if (tile_.stream) found.offset[*tile_.stream] = 0;
      reads[static_cast<std::size_t>(read.op)].push_back(found);
    }
    return reads;
  }

  bool CheckSize() {
    constexpr int kMostThreads = 1024;
    if (tile_.Threads() > kMostThreads) return Refuse("a block has more than 1024 threads");
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream == d || tile_.Stored(d) >= 1) continue;
      return Refuse(fmt::format("a tile of {} points along {} has no room for halos of {} and {}",
                                tile_.threads[d] * tile_.points[d],
                                graph_.iterators[static_cast<std::size_t>(At(0).iterators[d])],
                                tile_.halo.lo[d], tile_.halo.hi[d]));
    }
    return true;
  }

  /// Points beyond the ends of arrays have the iterators of those they stand for, each its own.
  bool CheckWraps() {
    for (int k = 0; k < Count(); ++k) {
      const bool wraps = Held(At(k).result).wraps != std::array<bool, 3>{};
      if (!wraps || tile_.Points() == 1) continue;
      bool refers = ReadsMemory(graph_, tile_, k);
      const auto look = [&](graph::ExprId id) {
        refers = refers || std::holds_alternative<graph::IteratorRef>(graph_.exprs[id].node);
      };
      for (const graph::Let& let : At(k).lets) graph::Walk(graph_, let.value, look);
      graph::Walk(graph_, At(k).value, look);
      if (refers) {
        return Refuse(
            fmt::format("{} is computed beyond the ends of arrays at several points a "
                        "thread, and depends on where they are",
                        graph::VersionName(graph_, At(k).result)));
      }
    }
    return true;
  }

  bool CheckStorage() {
    constexpr int kMostRegisters = 216;  // of 255: some for addresses and sums
    if (tile_.shared_bytes > schedule_.shared_limit) {
      return Refuse(fmt::format("it needs {} bytes of shared memory, a block has {}",
                                tile_.shared_bytes, schedule_.shared_limit));
    }
    // A stage of a pipeline may have as many as ever are live at a time.
    const int registers = schedule_.stages > 1 ? FindLiveRegisters(graph_, tile_).planes
                                               : PlaneRegisters(graph_, tile_);
    if (registers > kMostRegisters) {
      return Refuse(fmt::format("its planes need {} registers a thread", registers));
    }
    return true;
  }

  const Graph& graph_;
  const std::vector<VersionId>& stored_;
  const std::map<graph::NodeId, Scatter>& scatters_;
  const Schedule& schedule_;
  const std::set<VersionId>& whole_;
  Tile tile_;
  std::set<VersionId> results_;
  std::vector<Neighbour> reads_;  ///< in order of their operators
  std::string reason_;
};

}  // namespace

std::variant<Tile, TileRefusal> BuildTile(const Graph& graph, const std::vector<graph::NodeId>& ops,
                                          const std::vector<VersionId>& stored,
                                          const std::map<graph::NodeId, Scatter>& scatters,
                                          const Schedule& schedule,
                                          const std::set<VersionId>& whole) {
  return Builder(graph, stored, scatters, schedule, whole).Build(ops);
}

VersionId BaseOf(const Graph& graph, const Tile& tile, VersionId version) {
  while (version.Valid()) {
    const int at = tile.Find(version);
    if (at < 0 || tile.versions[static_cast<std::size_t>(at)].loaded) break;
    version = std::get<Operator>(graph.nodes[graph.versions[version].node]).background;
  }
  return version;
}

bool ReadsFrameOnly(const Graph& graph, const Tile& tile, const TileOperator& op,
                    const TileStore& store) {
  const auto& reader = std::get<Operator>(graph.nodes[op.node]);
  const auto& writer = std::get<Operator>(graph.nodes[graph.versions[store.version].node]);
  return !store.whole && tile.Find(reader.background) < 0 && WritesSameElements(reader, writer);
}

int PlaneRegisters(const Graph& graph, const Tile& tile) {
  int words = 0;
  for (const TileVersion& version : tile.versions) {
    const auto& array = graph.arrays[graph.versions[version.version].array];
    const int size = RegistersOf(array.type);
    for (const PlaneStorage& plane : version.planes) {
      if (plane.registers) words += size * tile.Points();
    }
  }
  for (const TileOperator& op : tile.ops) {
    if (!op.scatter) continue;
    const auto& result = std::get<Operator>(graph.nodes[op.node]).result;
    const auto& array = graph.arrays[graph.versions[result].array];
    words +=
        static_cast<int>(op.scatter->parts.size() * SizeInBytes(array.type) / 4) * tile.Points();
  }
  return words;
}

}  // namespace stencilgen::plan
