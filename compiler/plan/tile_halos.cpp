#include "plan/tile_halos.h"

#include <algorithm>
#include <limits>

#include "plan/halo_needs.h"

namespace stencilgen::plan {
namespace {

using graph::VersionId;

class Placer {
 public:
  Placer(const graph::Graph& graph, const Schedule& schedule, const std::vector<Neighbour>& reads,
         Tile& tile)
      : graph_(graph), schedule_(schedule), reads_(reads), tile_(tile) {}

  void Run() {
    SetLags();
    SetHalos(true);
    Align();
    if (!HasEnough()) {
      for (TileVersion& version : tile_.versions) version.halo = {};
      tile_.halo = {};
      tile_.alignment = 1;
      SetHalos(false);
      Align();
    }
    if (MayHaveRims()) SetRims();
  }

 private:
  const graph::Operator& At(int op) const {
    return std::get<graph::Operator>(graph_.nodes[tile_.ops[static_cast<std::size_t>(op)].node]);
  }
  int Count() const { return static_cast<int>(tile_.ops.size()); }
  TileVersion& Held(VersionId version) {
    return tile_.versions[static_cast<std::size_t>(tile_.Find(version))];
  }
  const graph::Array& ArrayOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }
  bool IsStored(VersionId version) const {
    return std::any_of(tile_.stores.begin(), tile_.stores.end(),
                       [&](const TileStore& store) { return store.version == version; });
  }
  /// Rows that warps exchange have no plane for them; a plane has two dimensions at most.
  bool MayHaveRims() const {
    const std::size_t across = tile_.dimensions - (tile_.stream ? 1 : 0);
    return schedule_.halo == HaloBy::Loads && !tile_.shuffle && across <= 2;
  }

  /// Each operator as early as what it reads allows, each input as late ([S] 3.3.2).
  void SetLags() {
    if (!tile_.stream) return;
    const bool by_step = schedule_.barriers == BarrierRule::Step;
    for (const Neighbour& read : reads_) {
      if (!!Held(read.version).loaded) continue;
      TileVersion& reader = Held(At(read.op).result);
      const std::int64_t wait = by_step && NeedsSharedMemory(tile_, read.offset) ? 1 : 0;
      reader.lag = std::max(reader.lag, Held(read.version).lag + read.along + wait);
    }
    const std::int64_t ahead = LoadsAhead(schedule_) ? 1 : 0;
    for (TileVersion& input : tile_.versions) {
      if (!input.loaded) continue;
      input.lag = std::numeric_limits<std::int64_t>::max();
      for (const Neighbour& read : reads_) {
        if (read.version != input.version) continue;
        input.lag = std::min(input.lag, Held(At(read.op).result).lag - read.along - ahead);
      }
    }
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const TileVersion& version : tile_.versions) first = std::min(first, version.lag);
    for (TileVersion& version : tile_.versions) version.lag -= first;
  }

  /// What the read needs of its version; `walls`: where walls are far from what most tiles have.
  Halo NeedOf(const Neighbour& read, bool walls) const {
    if (walls && !read.at_edges) {
      return NeededHalo(graph_, tile_, read.op, read.offset, read.version);
    }
    Halo need = tile_.versions[static_cast<std::size_t>(tile_.Find(At(read.op).result))].halo;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      need.lo[d] -= read.offset[d];
      need.hi[d] += read.offset[d];
    }
    return need;
  }

  /// True where tiles as they are now still store as many points as NeedOf has counted on.
  bool HasEnough() const {
    return std::all_of(reads_.begin(), reads_.end(), [&](const Neighbour& read) {
      const Halo& halo = tile_.versions[static_cast<std::size_t>(tile_.Find(read.version))].halo;
      const Halo need = NeedOf(read, true);
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        if (halo.lo[d] < need.lo[d] || halo.hi[d] < need.hi[d]) return false;
      }
      return true;
    });
  }

  /// Backward accumulation: what a consumer needs, and its reach around that ([S] 3.3.1).
  void SetHalos(bool walls) {
    for (int k = Count() - 1; k >= 0; --k) {
      for (const Neighbour& read : reads_) {
        if (read.op != k) continue;
        const Halo need = NeedOf(read, walls);
        Halo& halo = Held(read.version).halo;
        for (std::size_t d = 0; d < tile_.dimensions; ++d) {
          // A version that nobody reads but the kernel's end has no halo: zero is the least.
          halo.lo[d] = std::max(halo.lo[d], need.lo[d]);
          halo.hi[d] = std::max(halo.hi[d], need.hi[d]);
        }
      }
    }
    for (const TileVersion& version : tile_.versions) {
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        // Results are computed where threads have points; what is loaded may have a rim.
        if (version.loaded && MayHaveRims() && tile_.stream != d) continue;
        tile_.halo.lo[d] = std::max(tile_.halo.lo[d], version.halo.lo[d]);
        tile_.halo.hi[d] = std::max(tile_.halo.hi[d], version.halo.hi[d]);
      }
    }
  }

  /// Rows of a tile begin where 16 bytes may be moved at once; inputs are loaded to the tile's
  /// edge, so that no vector is cut. What is stored begins there too where that costs no point.
  void Align() {
    const std::size_t x = tile_.dimensions - 1;
    for (const TileVersion& version : tile_.versions) {
      if (!version.loaded && !IsStored(version.version)) continue;
      tile_.alignment = std::max(tile_.alignment, VectorOf(tile_, ArrayOf(version.version)));
    }
    const auto aligned = [&](std::int64_t points) {
      return graph::CeilDiv(points, tile_.alignment) * tile_.alignment;
    };
    const std::int64_t around = aligned(tile_.halo.lo[x] + tile_.halo.hi[x]);
    if (around - aligned(tile_.halo.lo[x]) >= tile_.halo.hi[x]) {
      tile_.halo.lo[x] = aligned(tile_.halo.lo[x]);
    }
    tile_.halo.hi[x] = around - tile_.halo.lo[x];
    for (TileVersion& version : tile_.versions) {
      if (tile_.alignment == 1 || !version.loaded) continue;
      version.halo.lo[x] = std::max(version.halo.lo[x], tile_.halo.lo[x]);
      version.halo.hi[x] = std::max(version.halo.hi[x], tile_.halo.hi[x]);
    }
  }

  /// What of an input's halo lies beyond the threads' points.
  void SetRims() {
    for (TileVersion& version : tile_.versions) {
      if (!version.loaded) continue;
      Rim rim;
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        if (tile_.stream == d) continue;
        rim.halo.lo[d] = std::max<std::int64_t>(version.halo.lo[d] - tile_.halo.lo[d], 0);
        rim.halo.hi[d] = std::max<std::int64_t>(version.halo.hi[d] - tile_.halo.hi[d], 0);
      }
      if (rim.halo == Halo{}) continue;
      // A rim goes around all points of the block.
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        version.halo.lo[d] = std::max(version.halo.lo[d], tile_.halo.lo[d]);
        version.halo.hi[d] = std::max(version.halo.hi[d], tile_.halo.hi[d]);
      }
      if (tile_.stream) SetPlanes(version.version, rim);
      rim.corners = std::any_of(reads_.begin(), reads_.end(), [&](const Neighbour& read) {
        return read.version == version.version && IsDiagonal(read);
      });
      const auto same = std::find(tile_.rims.begin(), tile_.rims.end(), rim);
      version.rim = static_cast<int>(same - tile_.rims.begin());
      if (same == tile_.rims.end()) tile_.rims.push_back(rim);
    }
  }
  /// Of planes that are read at their own points alone nobody needs a rim.
  void SetPlanes(VersionId version, Rim& rim) {
    const std::size_t d = *tile_.stream;
    for (const Neighbour& read : reads_) {
      if (read.version != version || !NeedsSharedMemory(tile_, read.offset)) continue;
      const Halo& reader = Held(At(read.op).result).halo;
      rim.halo.lo[d] = std::max(rim.halo.lo[d], reader.lo[d] - read.offset[d]);
      rim.halo.hi[d] = std::max(rim.halo.hi[d], reader.hi[d] + read.offset[d]);
    }
  }
  bool IsDiagonal(const Neighbour& read) const {
    int moved = 0;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d && read.offset[d] != 0) ++moved;
    }
    return moved > 1;
  }

  const graph::Graph& graph_;
  const Schedule& schedule_;
  const std::vector<Neighbour>& reads_;
  Tile& tile_;
};

}  // namespace

void SetLagsAndHalos(const graph::Graph& graph, const Schedule& schedule,
                     const std::vector<Neighbour>& reads, Tile& tile) {
  Placer(graph, schedule, reads, tile).Run();
}

}  // namespace stencilgen::plan
