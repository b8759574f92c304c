#include "plan/tile_storage.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "plan/barriers.h"
#include "plan/walls.h"

namespace stencilgen::plan {
namespace {

using Kind = TileStep::Kind;

class Storage {
 public:
  Storage(const graph::Graph& graph, const Schedule& schedule,
          const std::vector<std::vector<TileRead>>& reads, Tile& tile)
      : graph_(graph), schedule_(schedule), reads_(reads), tile_(tile) {}

  void Run() {
    for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
      PlacePlanes(v);
      CopyAsynchronously(tile_.versions[v]);
    }
    FindWalls();
    ListSteps();
    ShareMemory();
    AddPlanes();
  }

 private:
  /// Where all operators are at one wall, no block is away from it.
  void FindWalls() {
    for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
      tile_.ops[op].wall = FindWall(graph_, tile_, static_cast<int>(op));
    }
    const auto& first = tile_.ops.front().wall;
    const bool one = std::all_of(tile_.ops.begin(), tile_.ops.end(), [&](const auto& op) {
      return op.wall && first && op.wall->dimension == first->dimension &&
             op.wall->first == first->first;
    });
    if (!one) return;
    for (TileOperator& op : tile_.ops) op.wall.reset();
  }

  ScalarType TypeOf(const TileVersion& version) const {
    return graph_.arrays[graph_.versions[version.version].array].type;
  }

  void PlacePlanes(std::size_t v) {
    TileVersion& version = tile_.versions[v];
    version.planes.resize(1);
    version.planes[0].registers = true;  // it is loaded or computed there
    int oldest_register = 0;
    int first_shared = -1;
    int last_shared = -1;
    for (const auto& of_operator : reads_) {
      for (const TileRead& read : of_operator) {
        if (read.version != static_cast<int>(v)) continue;
        const auto age = static_cast<std::size_t>(read.age);
        if (version.planes.size() <= age) version.planes.resize(age + 1);
        if (MayBeOwn(read) || !NeedsSharedMemory(tile_, read.offset)) {
          oldest_register = std::max(oldest_register, read.age);
        }
        if (!NeedsSharedMemory(tile_, read.offset)) continue;
        first_shared = first_shared < 0 ? read.age : std::min(first_shared, read.age);
        last_shared = std::max(last_shared, read.age);
        for (std::size_t d = 0; d < tile_.dimensions; ++d) {
          version.reach[d] = std::max(version.reach[d], std::abs(read.offset[d]));
        }
      }
    }
    oldest_register = std::max(oldest_register, first_shared);
    for (int age = 0; age <= oldest_register; ++age) {
      version.planes[static_cast<std::size_t>(age)].registers = true;
    }
    for (int age = first_shared; age >= 0 && age <= last_shared; ++age) {
      version.planes[static_cast<std::size_t>(age)].shared = true;
    }
    version.slots = first_shared < 0 ? 0 : last_shared - first_shared + 1;
  }
  /// An input that comes to shared memory anyway can be copied there by the way; its younger planes
  /// are there and nowhere else.
  void CopyAsynchronously(TileVersion& version) const {
    constexpr int kLeastBytes = 4;
    const bool can =
        version.loaded && version.slots > 0 && tile_.stream &&
        graph_.arrays[graph_.versions[version.version].array].format == ElementFormat::Plain &&
        SizeInBytes(TypeOf(version)) >= kLeastBytes;
    // Where pipelines are wanted, they alone copy: no plane is loaded a step early.
    if (!can || schedule_.prefetch != Prefetch::Async || schedule_.stages > 1) return;
    version.async = true;
    const int last = version.LastShared();
    for (int age = 0; age <= last; ++age) {
      version.planes[static_cast<std::size_t>(age)] = {false, true};
    }
    version.slots = last + 1;
  }
  /// True where the element is the thread's own for some of its points.
  bool MayBeOwn(const TileRead& read) const {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (std::abs(read.offset[d]) >= tile_.points[d]) return false;
    }
    return true;
  }

  /// Loads first, so that they are under way while the block waits; stores last, so that an
  /// operator may overwrite what another has read.
  void ListSteps() {
    const auto count = static_cast<int>(tile_.versions.size());
    bool any_async = false;
    for (int v = 0; v < count; ++v) {
      if (At(v).loaded && !At(v).async) tile_.steps.push_back({Kind::Load, v});
      any_async = any_async || At(v).async;
    }
    if (any_async) tile_.steps.push_back({Kind::Arrive, 0});
    for (int v = 0; v < count; ++v) {
      const int first = At(v).FirstShared();
      const bool early = first > 0 || (first == 0 && At(v).loaded);
      if (!early || At(v).async) continue;
      // The next plane's rim comes while this step computes.
      if (At(v).rim >= 0 && first == 0) tile_.steps.push_back({Kind::LoadRim, v});
      tile_.steps.push_back({Kind::Publish, v});
      if (At(v).rim >= 0 && first > 0) tile_.steps.push_back({Kind::LoadRim, v});
    }
    for (int v = 0; v < count; ++v) {
      if (At(v).async) tile_.steps.push_back({Kind::Load, v});
    }
    for (std::size_t k = 0; k < tile_.ops.size(); ++k) {
      tile_.steps.push_back({Kind::Compute, static_cast<int>(k)});
      const auto& op = std::get<graph::Operator>(graph_.nodes[tile_.ops[k].node]);
      const int result = tile_.Find(op.result);
      if (At(result).FirstShared() == 0) tile_.steps.push_back({Kind::Publish, result});
    }
    for (std::size_t k = 0; k < tile_.stores.size(); ++k) {
      tile_.steps.push_back({Kind::Store, static_cast<int>(k)});
    }
  }
  const TileVersion& At(int v) const { return tile_.versions[static_cast<std::size_t>(v)]; }

  /// The first and last of the steps in which the version's plane is in shared memory.
  std::pair<int, int> Lifetime(int version) const {
    std::pair<int, int> life = {0, 0};
    for (std::size_t s = 0; s < tile_.steps.size(); ++s) {
      const TileStep& step = tile_.steps[s];
      const int place = static_cast<int>(s);
      if (step.kind == Kind::Publish && step.index == version) life = {place, place};
      if (step.kind != Kind::Compute) continue;
      const auto& reads = reads_[static_cast<std::size_t>(step.index)];
      const bool reads_it = std::any_of(reads.begin(), reads.end(), [&](const TileRead& read) {
        return read.version == version && NeedsSharedMemory(tile_, read.offset);
      });
      if (reads_it) life.second = place;
    }
    return life;
  }

  /// Versions take turns in as few regions as save no barrier, or as there is room for.
  void ShareMemory() {
    std::optional<Tile> best;
    const Tile start = tile_;
    std::set<std::vector<int>> tried;
    for (const std::size_t turns : {1, 2, 4}) {
      // What one barrier keeps apart needs at least one.
      if (best && CountBarriers(*best) <= 1) break;
      tile_ = start;
      AssignRegions(turns);
      if (!tried.insert(RegionsOf(tile_)).second) continue;
      LayOutRegions();
      PlaceBarriers(reads_, tile_);
      const bool better = !best || CountBarriers(tile_) < CountBarriers(*best);
      if (better && (!best || Fits(tile_))) best = tile_;
    }
    tile_ = *std::move(best);
  }

  /// By version.
  static std::vector<int> RegionsOf(const Tile& tile) {
    std::vector<int> regions;
    for (const TileVersion& version : tile.versions) regions.push_back(version.region);
    return regions;
  }

  /// A plane that is gone before the step ends may leave its memory to a later one. So many such
  /// regions take turns: with two, a level need not wait until the one before is read.
  void AssignRegions(std::size_t turns) {
    std::vector<int> free_from;  // by region: the step after its last read; -1 where it never is
    for (const TileStep& step : tile_.steps) {
      if (!tile_.WritesShared(step)) continue;
      TileVersion& version = tile_.versions[static_cast<std::size_t>(step.index)];
      const auto [first, last] = Lifetime(step.index);
      std::vector<int> candidates;
      for (std::size_t r = 0; r < free_from.size(); ++r) {
        const bool fits = tile_.regions[r].type == TypeOf(version) && free_from[r] >= 0;
        if (version.slots == 1 && fits && free_from[r] <= first) {
          candidates.push_back(static_cast<int>(r));
        }
      }
      if (candidates.size() < turns) {
        version.region = static_cast<int>(tile_.regions.size());
        tile_.regions.push_back({TypeOf(version), 0, 0, version.slots, 0});
        free_from.push_back(version.slots == 1 ? last + 1 : -1);
        continue;
      }
      version.region = *std::min_element(candidates.begin(), candidates.end(), [&](int a, int b) {
        return free_from[static_cast<std::size_t>(a)] < free_from[static_cast<std::size_t>(b)];
      });
      free_from[static_cast<std::size_t>(version.region)] = last + 1;
    }
  }

  /// A plane has what threads at the edge of the block may read beyond it, so that they need no
  /// test; such values reach no point that is stored.
  void LayOutRegions() {
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      elements += (tile_.Extent(d) - 1) * tile_.SharedStride(d);
    }
    for (const TileVersion& version : tile_.versions) {
      if (version.region < 0) continue;
      SharedRegion& region = tile_.regions[static_cast<std::size_t>(version.region)];
      std::int64_t edge = 0;
      for (std::size_t d = 0; d < tile_.dimensions; ++d)
        edge += version.reach[d] * tile_.SharedStride(d);
      region.origin = std::max(region.origin, edge);
    }
    std::int64_t offset = 0;
    for (SharedRegion& region : tile_.regions) {
      constexpr std::int64_t kAlignment = 16;
      // Where vectors move, a plane and its first point begin at multiples of them.
      const std::int64_t unit =
          tile_.alignment == 1 ? 1
                               : std::max<std::int64_t>(kAlignment / SizeInBytes(region.type), 1);
      region.origin = (region.origin + unit - 1) / unit * unit;
      region.plane_elements = (elements + 2 * region.origin + unit - 1) / unit * unit;
      region.byte_offset = offset;
      offset += region.plane_elements * region.slots * SizeInBytes(region.type);
      offset = (offset + kAlignment - 1) / kAlignment * kAlignment;
    }
    tile_.shared_bytes = offset;
  }

  /// Where a second copy of planes saves barriers, the fewest that do.
  void AddPlanes() {
    if (!tile_.stream || CountBarriers(tile_) <= 1) return;
    const auto with = [&](const std::vector<int>& more) {
      Tile tile = tile_;
      for (std::size_t v = 0; v < tile.versions.size(); ++v) {
        TileVersion& version = tile.versions[v];
        if (version.region < 0 || more[v] == 0 || Shared(version.region)) continue;
        ++version.slots;
        ++tile.regions[static_cast<std::size_t>(version.region)].slots;
      }
      Storage(graph_, schedule_, reads_, tile).LayOutRegions();
      PlaceBarriers(reads_, tile);
      return tile;
    };
    std::vector<int> more(tile_.versions.size(), 1);
    Tile best = with(more);
    if (CountBarriers(best) >= CountBarriers(tile_) || !Fits(best)) return;
    for (std::size_t v = 0; v < more.size(); ++v) {
      if (tile_.versions[v].region < 0) continue;
      more[v] = 0;
      Tile fewer = with(more);
      if (CountBarriers(fewer) > CountBarriers(best)) {
        more[v] = 1;
      } else {
        best = std::move(fewer);
      }
    }
    tile_ = std::move(best);
  }
  bool Fits(const Tile& tile) const { return tile.shared_bytes <= schedule_.shared_limit; }
  /// True where several versions use the region.
  bool Shared(int region) const {
    return std::count_if(tile_.versions.begin(), tile_.versions.end(),
                         [&](const TileVersion& v) { return v.region == region; }) > 1;
  }

  const graph::Graph& graph_;
  const Schedule& schedule_;
  const std::vector<std::vector<TileRead>>& reads_;
  Tile& tile_;
};

}  // namespace

void AssignStorage(const graph::Graph& graph, const Schedule& schedule,
                   const std::vector<std::vector<TileRead>>& reads, Tile& tile) {
  Storage(graph, schedule, reads, tile).Run();
}

}  // namespace stencilgen::plan
