#include "plan/hexagon.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "plan/band_accesses.h"
#include "plan/band_sides.h"
#include "plan/time_band.h"
#include "support/check.h"

namespace stencilgen::plan {
namespace {

ElementRange Hull(const ElementRange& a, const ElementRange& b) {
  if (a.size() <= 0) return b;
  if (b.size() <= 0) return a;
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

/// How much more rows of a launch lean than those of one without shifts; even.
std::int64_t MostShift(const BandSide& side) {
  std::int64_t most = 0;
  for (std::size_t m = 0; m < side.rise.size(); ++m) {
    most = std::max(most, side.rise[m] + side.fall[m]);
  }
  return most + most % 2;
}

/// Offsets of what is accessed, from a launch's point; by iterator.
using Offsets = std::vector<ElementRange>;

/// How the launches of a band use memory, as it is in turn 0.
class MemoryUses {
 public:
  struct Use {
    bool written = false;
    bool wraps = false;  ///< what is read beyond an end is at the other end
    bool fits = true;    ///< its dimensions are the iterators', and it moves with the points
    std::map<std::size_t, Offsets> offsets;  ///< by launch
  };

  MemoryUses(const Plan& plan, const Repeat& repeat)
      : plan_(plan), repeat_(repeat), shape_(ShapeOf(plan, repeat)) {
    const TimeBand& band = *repeat.band;
    iterators_ =
        graph::OperatorOf(plan.graph, plan.kernels[LeadOf(plan, band)].ops.front()).iterators;
    for (std::size_t m = 0; m < band.launches.size(); ++m) {
      for (const graph::NodeId node : plan.kernels[band.launches[m]].ops) {
        const graph::Operator& op = graph::OperatorOf(plan.graph, node);
        for (const graph::ExprId id : graph::Accesses(plan.graph, op)) {
          const auto& access = std::get<graph::Access>(plan.graph.exprs[id].node);
          Add(m, access.version, access.indices, access.boundary, false);
        }
        Add(m, op.result, op.target, {}, true);
      }
    }
  }

  /// By buffer that has the memory in turn 0.
  const std::map<BufferId, Use>& uses() const { return uses_; }
  /// Memory that the loop changes wraps around.
  bool Wraps() const {
    return std::any_of(uses_.begin(), uses_.end(),
                       [](const auto& each) { return each.second.written && each.second.wraps; });
  }

 private:
  void Add(std::size_t m, graph::VersionId version, const std::vector<graph::Index>& indices,
           const std::vector<graph::Boundary>& boundary, bool writes) {
    const BufferId buffer = plan_.buffer_of[version.index];
    if (!buffer.Valid() || indices.empty()) return;
    const bool wraps = std::any_of(
        boundary.begin(), boundary.end(),
        [](const graph::Boundary& each) { return each.kind == graph::BoundaryKind::Wrap; });
    const std::optional<Offsets> offsets = wraps ? std::nullopt : OffsetsOf(m, indices, boundary);
    for (int turn = 0; turn < repeat_.band->period; ++turn) {
      Use& use = uses_[AfterTurns(repeat_, buffer, turn)];
      use.written = use.written || writes;
      use.wraps = use.wraps || wraps;
      use.fits = use.fits && offsets && (!writes || *offsets == Offsets(iterators_.size(), {0, 0}));
      if (!use.fits) continue;
      Offsets& known = use.offsets.try_emplace(m, offsets->size()).first->second;
      for (std::size_t n = 0; n < known.size(); ++n) known[n] = Hull(known[n], (*offsets)[n]);
    }
  }

  std::optional<Offsets> OffsetsOf(std::size_t m, const std::vector<graph::Index>& indices,
                                   const std::vector<graph::Boundary>& boundary) const {
    if (indices.size() != iterators_.size()) return std::nullopt;
    const BandPlaces& places = shape_.places.at(repeat_.band->launches[m]);
    Offsets offsets;
    for (std::size_t n = 0; n < indices.size(); ++n) {
      const graph::Index& index = indices[n];
      if (index.place.Valid()) return std::nullopt;
      if (index.iterator < 0 && places[n] && *places[n] == index.offset) {
        offsets.push_back({0, 0});
        continue;
      }
      const bool moves =
          index.iterator == iterators_[n] && index.coefficient == 1 && index.offset.IsConstant();
      if (!moves) return std::nullopt;
      const std::int64_t offset = index.offset.constant;
      const bool folds = !boundary.empty() && boundary[n].kind != graph::BoundaryKind::None;
      // A place beyond an end is another one inside, no further from the point.
      offsets.push_back(folds ? ElementRange{-std::abs(offset), std::abs(offset)}
                              : ElementRange{offset, offset});
    }
    return offsets;
  }

  const Plan& plan_;
  const Repeat& repeat_;
  BandShape shape_;
  std::vector<int> iterators_;
  std::map<BufferId, Use> uses_;
};

/// Rows of a launch in all turns of a tile.
ElementRange RowsOf(const TimeBand& band, std::size_t launch) {
  return Hull(GrowingRows(band, launch, band.hexagon->half - 1), ShrinkingRows(band, launch, 0));
}

ElementRange Moved(const ElementRange& range, const ElementRange& by) {
  return {range.first + by.first, range.last + by.last};
}

/// Elements that a launch computes along a further iterator in all turns of a strip, from its
/// beginning.
ElementRange StripOf(const TimeBand& band, std::size_t n, std::size_t launch) {
  const BandStrip& strip = band.hexagon->strips[n];
  const std::int64_t last_turn = 2 * std::int64_t{band.hexagon->half} - 1;
  const std::int64_t rise = strip.side.rise[launch];
  return {-strip.side.slope * last_turn - rise, strip.width - 1 - rise};
}

std::int64_t NextPowerOfTwo(std::int64_t least) {
  std::int64_t power = 1;
  while (power < least) power *= 2;
  return power;
}

/// Rows between tiles of a launch that neither needs of the other; negative where tiles load what
/// others of their launch store.
std::int64_t RowsApart(const TimeBand& band, const HexagonStorage& storage) {
  std::int64_t apart = PitchOf(band) - RowsOf(band).size();
  for (const HexagonBox& box : storage.boxes) {
    if (!box.written) continue;
    apart = std::min({apart, PitchOf(band) + storage.stored.first - box.rows.last - 1,
                      PitchOf(band) + box.rows.first - storage.stored.last - 1});
  }
  return apart;
}

/// The slope may not lead from one tile of a launch into another.
std::int64_t LeastWidth(const BandSide& side) {
  return std::max<std::int64_t>(1, side.slope - MostShift(side) / 2);
}

}  // namespace

ElementRange GrowingRows(const TimeBand& band, std::size_t launch, std::int64_t turn) {
  const std::int64_t grown = band.outer.slope * turn;
  const std::int64_t widest = WidestOf(band);
  const std::int64_t width = band.hexagon->width;
  return {(widest - width) / 2 - grown - band.outer.rise[launch],
          (widest + width) / 2 + grown + band.outer.fall[launch] - 1};
}

ElementRange ShrinkingRows(const TimeBand& band, std::size_t launch, std::int64_t turn) {
  const std::int64_t grown = band.outer.slope * turn;
  return {grown + band.outer.fall[launch], WidestOf(band) - 1 - grown - band.outer.rise[launch]};
}

ElementRange RowsOf(const TimeBand& band) {
  ElementRange rows;
  for (std::size_t m = 0; m < band.launches.size(); ++m) rows = Hull(rows, RowsOf(band, m));
  return rows;
}

std::int64_t WidestOf(const TimeBand& band) {
  return band.hexagon->width + 2 * band.outer.slope * (band.hexagon->half - 1) +
         MostShift(band.outer);
}

std::int64_t PitchOf(const TimeBand& band) {
  return WidestOf(band) + band.hexagon->width;
}

HexagonStorage StorageOf(const Plan& plan, const Repeat& repeat) {
  const TimeBand& band = *repeat.band;
  const std::size_t further = band.hexagon->strips.size();
  HexagonStorage storage;
  storage.used.resize(further);
  storage.written.resize(further);
  storage.stored = RowsOf(band);
  for (std::size_t n = 0; n < further; ++n) {
    for (std::size_t m = 0; m < band.launches.size(); ++m) {
      storage.written[n] = Hull(storage.written[n], StripOf(band, n, m));
    }
    storage.used[n] = storage.written[n];
  }
  const MemoryUses memory(plan, repeat);
  for (const auto& [buffer, use] : memory.uses()) {
    if (!use.fits) continue;
    HexagonBox box;
    box.buffer = buffer;
    box.written = use.written;
    if (use.written) box.rows = storage.stored;
    for (const auto& [launch, offsets] : use.offsets) {
      box.rows = Hull(box.rows, Moved(RowsOf(band, launch), offsets[0]));
      for (std::size_t n = 0; n < further; ++n) {
        storage.used[n] = Hull(storage.used[n], Moved(StripOf(band, n, launch), offsets[n + 1]));
      }
    }
    storage.boxes.push_back(box);
  }
  std::int64_t elements = 1;  // of a row
  for (std::size_t n = 0; n < further; ++n) {
    const std::int64_t used = storage.used[n].size();
    storage.extents.push_back(n + 1 == further ? NextPowerOfTwo(used) : used);
    elements *= storage.extents.back();
  }
  constexpr std::int64_t kAlignment = 16;
  for (HexagonBox& box : storage.boxes) {
    box.byte_offset = storage.bytes;
    const std::int64_t bytes =
        box.rows.size() * elements * SizeInBytes(plan.buffers[box.buffer].type);
    storage.bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return storage;
}

std::variant<TimeBand, std::string> FindHexagon(const Plan& plan, const Repeat& repeat,
                                                const HexagonSize& size,
                                                std::int64_t shared_limit) {
  if (!repeat.loop.Valid()) return "it is no loop of the program";
  if (graph::LoopOf(plan.graph, repeat.loop).stop) return "a condition may end it";
  if (!(repeat.turns == graph::Turns{repeat.turns.count})) return "its turns are those left over";
  auto found = FindTimeBand(plan, repeat);
  if (auto* problem = std::get_if<std::string>(&found)) return std::move(*problem);
  Repeat tiled = repeat;
  TimeBand& band = tiled.band.emplace(std::get<TimeBand>(std::move(found)));
  BandAccesses accesses(plan, repeat);
  STENCILGEN_CHECK(accesses.Collect().empty());
  for (const BandLaunch& launch : accesses.launches()) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    if (kernel.tile || kernel.schedule.stream) return "a kernel has tiles or a stream";
  }
  Hexagon& hexagon = band.hexagon.emplace();
  hexagon.half = size.half;
  hexagon.width = std::max(size.width, LeastWidth(band.outer));
  const std::size_t rank = accesses.iterators().size();
  if (size.strips.size() + 1 != rank) return "strips are of other iterators";
  for (std::size_t n = 1; n < rank; ++n) {
    auto side = FindSide(accesses.Along(n), accesses.launches().size(), false);
    if (!side) return "dependences reach too far";
    hexagon.strips.push_back({*std::move(side), size.strips[n - 1]});
  }
  hexagon.block = {size.block[0], rank > 1 ? size.block[1] : 1};
  if (MemoryUses(plan, tiled).Wraps()) return "arrays wrap around";
  HexagonStorage storage = StorageOf(plan, tiled);
  if (const std::int64_t apart = RowsApart(band, storage); apart < 0) {
    hexagon.width -= apart;
    storage = StorageOf(plan, tiled);
  }
  if (storage.bytes > shared_limit) {
    return fmt::format("tiles take {} bytes of shared memory of {}", storage.bytes, shared_limit);
  }
  return band;
}

std::set<KernelId> KernelsInHexagons(const Plan& plan) {
  std::set<KernelId> kernels;
  for (const Repeat* repeat : LoopsWithBands(plan)) {
    if (!repeat->band->hexagon) continue;
    kernels.insert(repeat->band->launches.begin(), repeat->band->launches.end());
  }
  return kernels;
}

std::vector<std::string> VerifyHexagon(const Plan& plan, const Repeat& repeat) {
  const TimeBand& band = *repeat.band;
  const Hexagon& hexagon = *band.hexagon;
  BandAccesses accesses(plan, repeat);
  if (std::string problem = accesses.Collect(); !problem.empty()) return {problem};
  std::vector<std::string> problems;
  if (MemoryUses(plan, repeat).Wraps()) problems.emplace_back("arrays wrap around");
  if (hexagon.half < 1) problems.emplace_back("tiles without turns");
  if (hexagon.width < LeastWidth(band.outer)) problems.emplace_back("tiles meet at their ends");
  if (hexagon.strips.size() + 1 != accesses.iterators().size()) {
    problems.emplace_back("strips of other iterators");
    return problems;
  }
  for (std::size_t n = 0; n < hexagon.strips.size(); ++n) {
    CheckSide(fmt::format("along iterator {}", n + 2), hexagon.strips[n].side, false,
              accesses.Along(n + 1), band.launches.size(), problems);
    if (hexagon.strips[n].width < 1) problems.emplace_back("strips without elements");
  }
  if (!problems.empty()) return problems;
  if (RowsApart(band, StorageOf(plan, repeat)) < 0) {
    problems.emplace_back("a tile loads what another of its launch stores");
  }
  return problems;
}

}  // namespace stencilgen::plan
