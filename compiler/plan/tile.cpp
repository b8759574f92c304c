#include "plan/tile.h"

#include <algorithm>
#include <limits>

namespace stencilgen::plan {

using graph::Access;
using graph::Graph;
using graph::Operator;

namespace {

/// The read of `version` at that distance from the point that operator `op` computes, `along` the
/// stream.
std::optional<TileRead> FindAlong(const Graph& graph, const Tile& tile, int op,
                                  graph::VersionId version, const Offset& offset,
                                  std::int64_t along) {
  TileRead read;
  read.version = tile.Find(version);
  if (read.version < 0) return std::nullopt;
  const TileVersion& source = tile.versions[static_cast<std::size_t>(read.version)];
  const int result = tile.Find(OperatorAt(graph, tile, op).result);
  std::int64_t age = tile.versions[static_cast<std::size_t>(result)].lag - source.lag;
  read.offset = offset;
  if (tile.stream) {
    age -= along;
    read.offset[*tile.stream] = 0;
  }
  read.age = static_cast<int>(age);
  const bool there = age >= 0 && age < static_cast<std::int64_t>(source.planes.size());
  // An input is in memory too: what the tile does not hold is read from there.
  if (source.loaded && !there) return std::nullopt;
  const bool shared = there && source.planes[static_cast<std::size_t>(age)].shared;
  if (source.loaded && !shared && NeedsSharedMemory(tile, read.offset)) return std::nullopt;
  return read;
}

}  // namespace

Tile::Tile() = default;
Tile::Tile(const Tile&) = default;
Tile::Tile(Tile&&) noexcept = default;
Tile& Tile::operator=(const Tile&) = default;
Tile& Tile::operator=(Tile&&) noexcept = default;
Tile::~Tile() = default;

const Operator& OperatorAt(const Graph& graph, const Tile& tile, int op) {
  return std::get<Operator>(graph.nodes[tile.ops[static_cast<std::size_t>(op)].node]);
}

std::int64_t AlongStream(const Tile& tile, int op, const std::array<std::int64_t, 3>& offset) {
  if (!tile.stream) return 0;
  const auto& scatter = tile.ops[static_cast<std::size_t>(op)].scatter;
  return scatter ? scatter->last() : offset[*tile.stream];
}

bool NeedsSharedMemory(const Tile& tile, const std::array<std::int64_t, 3>& offset) {
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    if (tile.stream == d || offset[d] == 0) continue;
    if (d + 1 < tile.dimensions || !tile.shuffle) return true;
  }
  return false;
}

int TileVersion::FirstShared() const {
  const auto at =
      std::find_if(planes.begin(), planes.end(), [](const PlaneStorage& p) { return p.shared; });
  return at == planes.end() ? -1 : static_cast<int>(at - planes.begin());
}

int TileVersion::LastShared() const {
  const auto at =
      std::find_if(planes.rbegin(), planes.rend(), [](const PlaneStorage& p) { return p.shared; });
  return static_cast<int>(planes.rend() - at) - 1;
}

std::int64_t Tile::Stored(std::size_t dimension) const {
  return std::int64_t{threads[dimension]} * points[dimension] - halo.lo[dimension] -
         halo.hi[dimension];
}

std::int64_t Tile::StepsBefore() const {
  std::int64_t before = std::numeric_limits<std::int64_t>::min();
  for (std::size_t v = 0; v < versions.size(); ++v) {
    const std::int64_t lag = versions[v].lag - Ahead(static_cast<int>(v));
    before = std::max(before, versions[v].halo.lo[*stream] - lag);
  }
  return before;
}

std::int64_t Tile::Ahead(int version) const {
  if (!pipeline || !pipeline->async) return 0;
  const auto& handed = pipeline->hand_overs;
  const auto at = std::find_if(handed.begin(), handed.end(),
                               [&](const HandOver& each) { return each.version == version; });
  return at == handed.end() ? 0 : at->slots - 1;
}

std::int64_t Tile::StepsAfter() const {
  std::int64_t after = 0;
  for (const TileStore& store : stores) {
    after = std::max(after, versions[static_cast<std::size_t>(Find(store.version))].lag);
  }
  return after + Skew();
}

std::int64_t Tile::SharedStride(std::size_t dimension) const {
  std::int64_t stride = 1;
  for (std::size_t d = dimensions; --d > dimension;) {
    std::int64_t around = 0;
    for (const Rim& rim : rims) around = std::max(around, rim.halo.lo[d] + rim.halo.hi[d]);
    std::int64_t extent = Extent(d) + around;
    // Vectors begin at multiples of the alignment in each row.
    if (d + 1 == dimensions) extent = graph::CeilDiv(extent, alignment) * alignment;
    stride *= extent;
  }
  return stride;
}

bool Tile::WritesShared(const TileStep& step) const {
  if (step.kind == TileStep::Kind::Publish) return true;
  return step.kind == TileStep::Kind::Load && versions[static_cast<std::size_t>(step.index)].async;
}

std::int64_t Tile::FirstTile(std::size_t dimension, std::int64_t lo) const {
  const std::int64_t at = lo + spared.lo[dimension];
  if (dimension + 1 < dimensions) return at;
  const std::int64_t before = halo.lo[dimension];
  return graph::FloorDiv(at - before, alignment) * alignment + before;
}

std::int64_t Tile::Tiles(std::size_t dimension, std::int64_t first, std::int64_t hi) const {
  const std::int64_t others = hi - first + 1 - spared.hi[dimension];
  return std::max<std::int64_t>(graph::CeilDiv(others, Stored(dimension)), 1);
}

int Tile::Find(graph::VersionId version) const {
  const auto at = std::find_if(versions.begin(), versions.end(),
                               [&](const TileVersion& v) { return v.version == version; });
  return at == versions.end() ? -1 : static_cast<int>(at - versions.begin());
}

int RimAge(const TileVersion& version) {
  return version.async ? 0 : std::max(version.FirstShared() - 1, 0);
}

std::int64_t RimElements(const Tile& tile, const Rim& rim) {
  std::int64_t all = 1;
  std::int64_t inner = 1;
  std::int64_t beside = 0;
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    if (tile.stream == d) continue;
    const std::int64_t around = rim.halo.lo[d] + rim.halo.hi[d];
    beside = beside * tile.Extent(d) + around * inner;
    all *= tile.Extent(d) + around;
    inner *= tile.Extent(d);
  }
  return rim.corners ? all - inner : beside;
}

int RimLoads(const Tile& tile, const Rim& rim) {
  return static_cast<int>(graph::CeilDiv(RimElements(tile, rim), tile.Threads()));
}

bool ReadsOwnPoint(const Graph& graph, const Operator& op, graph::VersionId version) {
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
  return std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    if (access.version != version) return true;
    return NeighbourOffset(op, access) == std::array<std::int64_t, 3>{0, 0, 0};
  });
}

std::optional<TileRead> FindAt(const Graph& graph, const Tile& tile, int op,
                               graph::VersionId version, const Offset& offset) {
  return FindAlong(graph, tile, op, version, offset, AlongStream(tile, op, offset));
}

std::optional<TileRead> FindRead(const Graph& graph, const Tile& tile, int op,
                                 const Access& access) {
  const auto offset = FormalOffset(graph, OperatorAt(graph, tile, op), access);
  if (!offset) return std::nullopt;
  return FindAt(graph, tile, op, access.version, *offset);
}

std::optional<TileRead> FindBackground(const Graph& graph, const Tile& tile, int op) {
  if (!tile.ops[static_cast<std::size_t>(op)].background) return std::nullopt;
  return FindAlong(graph, tile, op, OperatorAt(graph, tile, op).background, {0, 0, 0}, 0);
}

std::vector<TileRead> FindReads(const Graph& graph, const Tile& tile, int op) {
  std::vector<TileRead> reads;
  for (graph::ExprId id : graph::Accesses(graph, OperatorAt(graph, tile, op))) {
    const auto read = FindRead(graph, tile, op, std::get<Access>(graph.exprs[id].node));
    if (read) reads.push_back(*read);
  }
  if (const auto background = FindBackground(graph, tile, op)) reads.push_back(*background);
  return reads;
}

int VectorOf(const Tile& tile, const graph::Array& array) {
  if (array.format != ElementFormat::Plain) return 1;
  for (const int bytes : {16, 8}) {
    const int elements = bytes / static_cast<int>(SizeInBytes(array.type));
    const bool fits = tile.points[tile.dimensions - 1] % elements == 0;
    if (elements > 1 && fits && SizeInBytes(array.type) >= 4) return elements;
  }
  return 1;
}

namespace {

/// True where the access is of an element that is the same at every point and exists whatever the
/// sizes are: also where the operator computes nothing.
bool IsFixedElement(const Graph& graph, const Access& access) {
  const graph::Array& array = graph.arrays[graph.versions[access.version].array];
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const graph::Index& index = access.indices[d];
    const bool exists =
        AlwaysNonNegative(index.offset) && AlwaysNonNegative(array.extents[d] - index.offset - 1);
    if (index.iterator >= 0 || !exists) return false;
  }
  return true;
}

}  // namespace

bool ReadsMemory(const Graph& graph, const Tile& tile, int op) {
  const auto points = PointsOf(tile);
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, OperatorAt(graph, tile, op));
  return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    if (IsFixedElement(graph, access)) return false;
    const auto read = FindRead(graph, tile, op, access);
    return !read || std::any_of(points.begin(), points.end(), [&](const auto& point) {
      return PathOf(tile, *read, point) == ReadPath::Memory;
    });
  });
}

bool RowsLieInWarps(const Tile& tile) {
  return tile.warp % tile.threads[tile.dimensions - 1] == 0 && tile.Threads() % tile.warp == 0;
}

Owner OwnerOf(const Tile& tile, const TileRead& read, const std::array<int, 3>& point) {
  const auto own = [&](std::size_t d) {
    const std::int64_t at = point[d] + read.offset[d];
    return at >= 0 && at < tile.points[d];
  };
  for (std::size_t d = 0; d + 1 < tile.dimensions; ++d) {
    if (!own(d)) return Owner::Block;
  }
  return own(tile.dimensions - 1) ? Owner::Thread : Owner::Row;
}

ReadPath PathOf(const Tile& tile, const TileRead& read, const std::array<int, 3>& point) {
  const TileVersion& version = tile.versions[static_cast<std::size_t>(read.version)];
  const PlaneStorage& plane = version.planes[static_cast<std::size_t>(read.age)];
  const Owner owner = OwnerOf(tile, read, point);
  if (plane.registers && owner == Owner::Thread) return ReadPath::Register;
  if (plane.registers && owner == Owner::Row && tile.shuffle) return ReadPath::Shuffle;
  return plane.shared ? ReadPath::Shared : ReadPath::Memory;
}

std::vector<std::array<int, 3>> PointsOf(const Tile& tile) {
  std::vector<std::array<int, 3>> points;
  for (int z = 0; z < tile.points[0]; ++z) {
    for (int y = 0; y < tile.points[1]; ++y) {
      for (int x = 0; x < tile.points[2]; ++x) points.push_back({z, y, x});
    }
  }
  return points;
}

bool PublishesArriving(const Tile& tile) {
  return std::any_of(tile.versions.begin(), tile.versions.end(), [](const TileVersion& version) {
    return version.loaded && !version.async && version.FirstShared() == 0;
  });
}

bool UsesArriving(const graph::Graph& graph, const Tile& tile) {
  if (PublishesArriving(tile)) return true;
  for (std::size_t op = 0; op < tile.ops.size(); ++op) {
    for (const TileRead& read : FindReads(graph, tile, static_cast<int>(op))) {
      if (read.age == 0 && tile.versions[static_cast<std::size_t>(read.version)].loaded)
        return true;
    }
  }
  return false;
}

}  // namespace stencilgen::plan
