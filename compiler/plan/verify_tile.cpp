#include "plan/verify_tile.h"

#include <algorithm>

#include <fmt/format.h>

#include "plan/barriers.h"
#include "plan/halo_needs.h"
#include "plan/operator_facts.h"
#include "plan/tile_edges.h"
#include "plan/time_pipeline.h"
#include "plan/walls.h"

namespace stencilgen::plan {
namespace {

using graph::Operator;
using graph::VersionId;
using Kind = TileStep::Kind;

class TileChecker {
 public:
  TileChecker(const graph::Graph& graph, const Tile& tile) : graph_(graph), tile_(tile) {}

  std::vector<std::string> Run() {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d && tile_.Stored(d) < 1) Problem("dimension {} stores nothing", d);
    }
    CheckSpared();
    std::vector<std::vector<TileRead>> reads;
    for (int k = 0; k < static_cast<int>(tile_.ops.size()); ++k) {
      CheckAccesses(k);
      const auto& wall = tile_.ops[static_cast<std::size_t>(k)].wall;
      if (wall && FindWall(graph_, tile_, k) != wall) Problem("operator {} is at no wall", k);
      reads.push_back(FindAllReads(graph_, tile_, k));
      for (const TileRead& read : reads.back()) CheckPlane(k, read);
    }
    if (const std::string why = VerifyWraps(graph_, tile_); !why.empty()) Problem("{}", why);
    for (const TileVersion& version : tile_.versions) {
      CheckVersion(version);
      CheckRim(version);
    }
    CheckOrder();
    CheckFreeSteps();
    if (tile_.pipeline) {
      for (std::string& problem : VerifyPipeline(graph_, tile_)) problems_.push_back(problem);
    }
    if (problems_.empty() && HasHazard(reads, tile_)) Problem("a barrier is missing");
    return std::move(problems_);
  }

 private:
  template <typename... Args>
  void Problem(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  const Operator& At(int op) const {
    return std::get<Operator>(graph_.nodes[tile_.ops[static_cast<std::size_t>(op)].node]);
  }
  std::string Name(VersionId version) const { return graph::VersionName(graph_, version); }
  const TileVersion& Version(int v) const { return tile_.versions[static_cast<std::size_t>(v)]; }
  const TileVersion& Result(int op) const { return Version(tile_.Find(At(op).result)); }

  /// What is left of the halo of tiles at the ends of arrays reaches to where every array ends.
  void CheckSpared() {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      const std::int64_t before = tile_.spared.lo[d], after = tile_.spared.hi[d];
      if (before == 0 && after == 0) continue;
      const bool good = tile_.stream != d && EndsAreAllThereIs(d) && before >= 0 && after >= 0 &&
                        (before == 0 || StoresFrom(d, tile_.halo.lo[d] - before)) &&
                        (after == 0 || StoresUpTo(d, tile_.halo.hi[d] - after));
      if (!good) Problem("tiles at the ends of dimension {} need more of their halo", d);
    }
  }

  /// False where points beyond an array's end stand for others, or an operator computes a few
  /// points beside an end, of which a tile has only what is not beyond the end (NeededHalo).
  bool EndsAreAllThereIs(std::size_t d) const {
    for (const TileVersion& version : tile_.versions) {
      const std::size_t rank = graph_.arrays[graph_.versions[version.version].array].rank();
      if (version.wraps[d] || rank != tile_.dimensions) return false;
    }
    constexpr std::int64_t kFew = 8;
    for (int op = 0; op < static_cast<int>(tile_.ops.size()); ++op) {
      if (HasModes(graph_, At(op))) return false;
      for (const graph::Bound& low : At(op).domain.intervals[d].lower) {
        for (const graph::Bound& high : At(op).domain.intervals[d].upper) {
          const graph::LinearForm size = high.numerator - low.numerator;
          const bool whole = low.divisor == 1 && high.divisor == 1;
          if (whole && size.IsConstant() && size.constant < kFew) return false;
        }
      }
    }
    return true;
  }
  /// True where something is stored at most `kept` points behind the beginning of arrays.
  bool StoresFrom(std::size_t d, std::int64_t kept) const {
    return std::any_of(tile_.stores.begin(), tile_.stores.end(), [&](const TileStore& store) {
      if (store.whole) return kept >= 0;
      const auto& lower = DomainOf(store).intervals[d].lower;
      return lower.size() == 1 && lower[0].divisor == 1 && lower[0].numerator.IsConstant() &&
             lower[0].numerator.constant <= kept;
    });
  }
  /// True where something is stored at most `kept` points before the end of each array.
  bool StoresUpTo(std::size_t d, std::int64_t kept) const {
    const auto last = [&](VersionId version) {
      return graph_.arrays[graph_.versions[version].array].extents[d] - 1;
    };
    return std::all_of(tile_.versions.begin(), tile_.versions.end(), [&](const TileVersion& each) {
      return std::any_of(tile_.stores.begin(), tile_.stores.end(), [&](const TileStore& store) {
        const auto& upper = DomainOf(store).intervals[d].upper;
        if (!store.whole && (upper.size() != 1 || upper[0].divisor != 1)) return false;
        const graph::LinearForm end = store.whole ? last(store.version) : upper[0].numerator;
        const graph::LinearForm beyond = last(each.version) - end;
        return beyond.IsConstant() && beyond.constant <= kept;
      });
    });
  }
  const graph::Domain& DomainOf(const TileStore& store) const {
    return std::get<Operator>(graph_.nodes[graph_.versions[store.version].node]).domain;
  }

  /// Results are read in the tile alone: they may have no memory.
  void CheckAccesses(int op) {
    for (graph::ExprId id : graph::Accesses(graph_, At(op))) {
      const auto& access = std::get<graph::Access>(graph_.exprs[id].node);
      const int version = tile_.Find(access.version);
      if (version < 0) continue;
      const auto offset = FormalOffset(graph_, At(op), access);
      if (!offset) {
        if (!Version(version).loaded) Problem("{} is read out of reach", Name(access.version));
        continue;
      }
      if (!FindRead(graph_, tile_, op, access)) continue;
      CheckHalo(Version(version), NeededHalo(graph_, tile_, op, *offset, access.version));
      for (const Offset& moved : EdgeOffsets(access, *offset)) {
        CheckHalo(Version(version), HaloAt(op, moved));
        if (!FindAt(graph_, tile_, op, access.version, moved)) {
          Problem("{} is not there at edges", Name(access.version));
        }
      }
    }
    if (tile_.ops[static_cast<std::size_t>(op)].background) {
      const int background = tile_.Find(At(op).background);
      if (background >= 0) CheckHalo(Version(background), HaloAt(op, {}));
    }
  }

  /// The halo of the operator's result, from `offset` on.
  Halo HaloAt(int op, const Offset& offset) const {
    Halo halo = Result(op).halo;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      halo.lo[d] -= offset[d];
      halo.hi[d] += offset[d];
    }
    return halo;
  }
  void CheckHalo(const TileVersion& source, const Halo& needed) {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      const bool reached = source.halo.lo[d] >= needed.lo[d] && source.halo.hi[d] >= needed.hi[d] &&
                           Covers(source, d);
      if (!reached) Problem("{} is read beyond its halo", Name(source.version));
    }
  }

  /// True where the block's points and the version's rim are its halo along the dimension.
  bool Covers(const TileVersion& version, std::size_t d) const {
    Halo around = tile_.halo;
    if (version.rim >= 0 && tile_.stream != d) {
      const Halo& rim = tile_.rims[static_cast<std::size_t>(version.rim)].halo;
      around.lo[d] += rim.lo[d];
      around.hi[d] += rim.hi[d];
    }
    return around.lo[d] >= version.halo.lo[d] && around.hi[d] >= version.halo.hi[d];
  }

  void CheckPlane(int op, const TileRead& read) {
    const TileVersion& source = Version(read.version);
    if (read.age < 0 || read.age >= static_cast<int>(source.planes.size())) {
      Problem("{} reads a plane of {} that is not there", Name(At(op).result),
              Name(source.version));
      return;
    }
    for (const auto& point : PointsOf(tile_)) {
      if (PathOf(tile_, read, point) != ReadPath::Memory) continue;
      if (source.loaded) continue;
      Problem("{} cannot reach {}", Name(At(op).result), Name(source.version));
      return;
    }
  }

  void CheckVersion(const TileVersion& version) {
    const int first = version.FirstShared();
    const int last = version.LastShared();
    for (int age = first; age >= 0 && age <= last; ++age) {
      if (!version.planes[static_cast<std::size_t>(age)].shared) {
        Problem("{} leaves shared memory and comes back", Name(version.version));
      }
    }
    if (version.async) return CheckAsync(version);
    const int oldest = std::max(first, 0);
    for (std::size_t age = 0; age < version.planes.size(); ++age) {
      const bool held = version.planes[age].registers;
      if (static_cast<int>(age) <= oldest && !held) {
        Problem("{} is not in registers before it is published", Name(version.version));
      }
      if (age > 0 && held && !version.planes[age - 1].registers) {
        Problem("{} comes back to registers", Name(version.version));
      }
    }
    if (first >= 0 && (version.region < 0 || version.slots < last - first + 1)) {
      Problem("{} has too little shared memory", Name(version.version));
    }
  }
  /// On its way at age 0, in shared memory alone up to an age, in registers from then on.
  void CheckAsync(const TileVersion& version) {
    const int last = version.LastShared();
    const bool good = version.loaded && tile_.stream && version.FirstShared() == 0 && last > 0 &&
                      version.region >= 0 && version.slots > last;
    if (!good) Problem("{} cannot be copied asynchronously", Name(version.version));
    for (std::size_t age = 0; age < version.planes.size(); ++age) {
      const PlaneStorage& plane = version.planes[age];
      const bool young = static_cast<int>(age) <= last;
      if (young == plane.registers || young != plane.shared) {
        Problem("{} is held twice or not at all", Name(version.version));
      }
    }
  }

  /// Everything is loaded or computed before it is published, read or stored.
  void CheckOrder() {
    std::vector<bool> made(tile_.versions.size(), false);
    std::vector<bool> published(tile_.versions.size(), false);
    for (const TileStep& step : tile_.steps) {
      const auto index = static_cast<std::size_t>(step.index);
      if (step.kind == Kind::Load && !Version(step.index).async) made[index] = true;
      if (step.kind == Kind::LoadRim) {
        const bool published_young = Version(step.index).FirstShared() == 0;
        if (published_young == published[index]) Problem("a rim is loaded out of turn");
      }
      if (step.kind == Kind::Arrive) {
        for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
          published[v] = published[v] || tile_.versions[v].async;
        }
      }
      if (step.kind == Kind::Publish) {
        if (Version(step.index).FirstShared() == 0 && !made[index]) {
          Problem("{} is published before it is made", Name(Version(step.index).version));
        }
        published[index] = true;
      }
      if (step.kind == Kind::Compute) {
        for (const TileRead& read : FindAllReads(graph_, tile_, step.index)) {
          const auto source = static_cast<std::size_t>(read.version);
          const bool there = (read.age > 0 || made[source]) &&
                             (Version(read.version).FirstShared() < 0 || published[source]);
          if (!there) Problem("{} is read before it is made", Name(Version(read.version).version));
        }
        made[static_cast<std::size_t>(tile_.Find(At(step.index).result))] = true;
      }
      if (step.kind == Kind::Store) {
        const int version = tile_.Find(tile_.stores[index].version);
        if (!made[static_cast<std::size_t>(version)]) Problem("a store comes too early");
      }
    }
  }

  /// What threads at the block's edge read beyond it must be there.
  void CheckRim(const TileVersion& version) {
    if (version.rim < 0) return;
    const int index = tile_.Find(version.version);
    const bool loads = version.async ||
                       std::any_of(tile_.steps.begin(), tile_.steps.end(), [&](const TileStep& s) {
                         return s.kind == Kind::LoadRim && s.index == index;
                       });
    if (!loads || !version.loaded || version.slots == 0 || tile_.shuffle) {
      Problem("{} has a rim that nobody loads", Name(version.version));
    }
  }

  /// Steps without tests leave out barriers, and planes that only walls read in the same step.
  void CheckFreeSteps() {
    auto step = tile_.free_steps.begin();
    const auto skip_barriers = [&] {
      while (step != tile_.free_steps.end() && step->kind == Kind::Barrier) ++step;
    };
    for (const TileStep& each : tile_.steps) {
      if (each.kind == Kind::Barrier) continue;
      skip_barriers();
      if (step != tile_.free_steps.end() && *step == each) {
        ++step;
      } else if (each.kind == Kind::Publish) {
        CheckReadAtWalls(each.index);
      } else {
        Problem("the steps without tests leave out more than barriers and publications");
        return;
      }
    }
    skip_barriers();
    if (step != tile_.free_steps.end()) Problem("the steps without tests are others");
  }
  void CheckReadAtWalls(int version) {
    const TileVersion& unpublished = Version(version);
    bool good = unpublished.FirstShared() == unpublished.LastShared();
    for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
      if (tile_.ops[op].wall) continue;
      for (const TileRead& read : FindReads(graph_, tile_, static_cast<int>(op))) {
        for (const auto& point : PointsOf(tile_)) {
          good =
              good && (read.version != version || PathOf(tile_, read, point) != ReadPath::Shared);
        }
      }
    }
    if (!good) Problem("{} is not published where it is read", Name(unpublished.version));
  }

  const graph::Graph& graph_;
  const Tile& tile_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> VerifyTile(const graph::Graph& graph, const Tile& tile) {
  return TileChecker(graph, tile).Run();
}

}  // namespace stencilgen::plan
