#include "plan/tile_edges.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "plan/operator_facts.h"

namespace stencilgen::plan {

using graph::Access;
using graph::BoundaryKind;
using graph::Graph;
using graph::Operator;

namespace {

const graph::LinearForm& ExtentOf(const Graph& graph, graph::VersionId version, std::size_t d) {
  return graph.arrays[graph.versions[version].array].extents[d];
}

/// True where the access may go beyond an end of its array along the dimension, and on at the
/// other.
bool Wraps(const Access& access, std::size_t d) {
  return !access.boundary.empty() && access.boundary[d].kind == BoundaryKind::Wrap;
}

/// The accesses of the operator that the tile holds or may hold, with their distances.
template <typename Visit>
void VisitHeld(const Graph& graph, const Tile& tile, int op, Visit visit) {
  const Operator& reader = OperatorAt(graph, tile, op);
  for (const graph::ExprId id : graph::Accesses(graph, reader)) {
    const auto& access = std::get<Access>(graph.exprs[id].node);
    const auto offset = FormalOffset(graph, reader, access);
    if (offset && tile.Find(access.version) >= 0) visit(access, *offset);
  }
}

/// The versions that operator `op` reads in the tile.
std::vector<graph::VersionId> Sources(const Graph& graph, const Tile& tile, int op) {
  std::vector<graph::VersionId> sources;
  VisitHeld(graph, tile, op,
            [&](const Access& access, const Offset&) { sources.push_back(access.version); });
  const graph::VersionId background = OperatorAt(graph, tile, op).background;
  const bool needed = tile.ops[static_cast<std::size_t>(op)].background;
  if (needed && tile.Find(background) >= 0) sources.push_back(background);
  return sources;
}

/// True where a boundary mode moves or replaces what the operator reads along the dimension.
bool ReadsBeyond(const Graph& graph, const Tile& tile, int op, std::size_t d) {
  bool beyond = false;
  VisitHeld(graph, tile, op, [&](const Access& access, const Offset&) {
    const auto kind = access.boundary.empty() ? BoundaryKind::None : access.boundary[d].kind;
    beyond = beyond || (kind != BoundaryKind::None && kind != BoundaryKind::Wrap);
  });
  return beyond;
}

/// Why the operator cannot be computed beyond the ends of its array; empty where it can.
std::string Refusal(const Graph& graph, const Tile& tile, int op, std::size_t d) {
  const Operator& reader = OperatorAt(graph, tile, op);
  const std::string name = graph::VersionName(graph, reader.result);
  const std::string& along = graph.iterators[static_cast<std::size_t>(reader.iterators[d])];
  // Beyond the ends it is computed as at the points that those stand for.
  if (!CoversDimension(graph, reader, d) || !AlwaysRuns(reader)) {
    return fmt::format("{} is read around the ends of {}, where it is not computed", name, along);
  }
  if (ReadsBeyond(graph, tile, op, d)) {
    return fmt::format("{} is read around the ends of {}, and reads beyond them itself", name,
                       along);
  }
  for (const graph::VersionId source : Sources(graph, tile, op)) {
    if (ExtentOf(graph, source, d) == ExtentOf(graph, reader.result, d)) continue;
    return fmt::format("{} and {} go around different ends of {}", name,
                       graph::VersionName(graph, source), along);
  }
  return "";
}

}  // namespace

std::vector<TileRead> FindEdgeReads(const Graph& graph, const Tile& tile, int op) {
  std::vector<TileRead> reads;
  VisitHeld(graph, tile, op, [&](const Access& access, const Offset& offset) {
    if (!FindRead(graph, tile, op, access)) return;
    for (const Offset& moved : EdgeOffsets(access, offset)) {
      if (const auto read = FindAt(graph, tile, op, access.version, moved)) reads.push_back(*read);
    }
  });
  return reads;
}

std::vector<TileRead> FindAllReads(const Graph& graph, const Tile& tile, int op) {
  std::vector<TileRead> reads = FindReads(graph, tile, op);
  const std::vector<TileRead> at_edges = FindEdgeReads(graph, tile, op);
  reads.insert(reads.end(), at_edges.begin(), at_edges.end());
  return reads;
}

std::string SpreadWraps(const Graph& graph, Tile& tile) {
  for (int op = static_cast<int>(tile.ops.size()) - 1; op >= 0; --op) {
    const auto held = [&](graph::VersionId version) -> TileVersion& {
      return tile.versions[static_cast<std::size_t>(tile.Find(version))];
    };
    VisitHeld(graph, tile, op, [&](const Access& access, const Offset&) {
      for (std::size_t d = 0; d < tile.dimensions; ++d) {
        if (Wraps(access, d)) held(access.version).wraps[d] = true;
      }
    });
    for (std::size_t d = 0; d < tile.dimensions; ++d) {
      if (!held(OperatorAt(graph, tile, op).result).wraps[d]) continue;
      if (std::string why = Refusal(graph, tile, op, d); !why.empty()) return why;
      for (const graph::VersionId source : Sources(graph, tile, op)) held(source).wraps[d] = true;
    }
  }
  return "";
}

std::string VerifyWraps(const Graph& graph, const Tile& tile) {
  for (int op = 0; op < static_cast<int>(tile.ops.size()); ++op) {
    const auto wraps = [&](graph::VersionId version, std::size_t d) {
      return tile.versions[static_cast<std::size_t>(tile.Find(version))].wraps[d];
    };
    std::string problem;
    VisitHeld(graph, tile, op, [&](const Access& access, const Offset&) {
      for (std::size_t d = 0; d < tile.dimensions; ++d) {
        if (!Wraps(access, d) || wraps(access.version, d)) continue;
        problem = fmt::format("{} ends where it should go on from its other end",
                              graph::VersionName(graph, access.version));
      }
    });
    if (!problem.empty()) return problem;
    const Operator& reader = OperatorAt(graph, tile, op);
    for (std::size_t d = 0; d < tile.dimensions; ++d) {
      if (!wraps(reader.result, d)) continue;
      if (std::string why = Refusal(graph, tile, op, d); !why.empty()) return why;
      for (const graph::VersionId source : Sources(graph, tile, op)) {
        if (wraps(source, d)) continue;
        return fmt::format("{} goes on from its other end, {} does not",
                           graph::VersionName(graph, reader.result),
                           graph::VersionName(graph, source));
      }
    }
  }
  return "";
}

}  // namespace stencilgen::plan
