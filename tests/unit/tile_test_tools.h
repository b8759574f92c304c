#pragma once

#include <string>
#include <variant>
#include <vector>

#include "driver/pipeline.h"
#include "plan/barriers.h"
#include "plan/build_tile.h"
#include "plan/print_tile.h"
#include "support/catch.h"
#include "support/schedule_text.h"

/// What the tests of tiles share.
namespace stencilgen::testing {

/// Statements of two stars, one after the other, and how they become one tile.
inline const std::string kTwoStars =
    "double t[M,N];"
    "t[j][i] = u[j-1][i] + u[j][i-1] + u[j][i] + u[j][i+1] + u[j+1][i];"
    "x[j][i] = t[j-1][i] + t[j][i-1] + t[j][i] + t[j][i+1] + t[j+1][i];";
inline const std::string kPlain = "block=16,8,1 shared=yes fusion=max";
inline const std::string kStream = "block=16,1,1 stream=0:0 shared=yes fusion=max";

inline graph::Graph GraphOf(const std::string& text) {
  const SourceFile source("tile.idsl", text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  auto graph = driver::CompileToGraph(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph);
  return *std::move(graph);
}

/// The graph of a program over arrays `u`, `v`, `w`, `x`, all copied in, with these statements;
/// `x` is copied out.
inline graph::Graph StarProgram(const std::string& statements, const std::string& wishes = "") {
  return GraphOf(
      "parameter M, N; iterator j, i; double u[M,N], v[M,N], w[M,N], x[M,N];"
      "copyin u, v, w, x; stencil s (u, v, w, x) {" +
      wishes + statements + "} s (u, v, w, x); copyout x;");
}

inline plan::Schedule ScheduleOf(const std::string& text) {
  const auto timed = ReadSchedule(text);
  REQUIRE(timed);
  return timed->schedule;
}

/// All operators of the main region in one tile; the program's results are stored.
inline std::variant<plan::Tile, plan::TileRefusal> TryTile(const graph::Graph& graph,
                                                           const plan::Schedule& schedule) {
  std::vector<graph::NodeId> ops;
  for (graph::NodeId node : graph.regions[graph.root].nodes) {
    REQUIRE(std::holds_alternative<graph::Operator>(graph.nodes[node]));
    ops.push_back(node);
  }
  std::vector<graph::VersionId> stored;
  for (const graph::Output& output : graph.outputs) stored.push_back(output.version);
  return plan::BuildTile(graph, ops, stored, {}, schedule);
}

inline plan::Tile MakeTile(const graph::Graph& graph, const std::string& schedule) {
  auto built = TryTile(graph, ScheduleOf(schedule));
  if (const auto* refusal = std::get_if<plan::TileRefusal>(&built)) FAIL(refusal->reason);
  return std::get<plan::Tile>(std::move(built));
}

/// Why there is no tile; empty where there is one.
inline std::string Refusal(const graph::Graph& graph, const std::string& schedule) {
  const auto built = TryTile(graph, ScheduleOf(schedule));
  const auto* refusal = std::get_if<plan::TileRefusal>(&built);
  return refusal == nullptr ? "" : refusal->reason;
}

/// The last version of the array (of a local of the first call, by its own name) that the tile
/// holds.
inline const plan::TileVersion& VersionOf(const graph::Graph& graph, const plan::Tile& tile,
                                          const std::string& array) {
  const plan::TileVersion* found = nullptr;
  for (const plan::TileVersion& version : tile.versions) {
    const std::string& name = graph.arrays[graph.versions[version.version].array].name;
    if (name == array || name == array + "_0") found = &version;
  }
  REQUIRE(found != nullptr);
  return *found;
}

inline std::vector<std::vector<plan::TileRead>> ReadsOf(const graph::Graph& graph,
                                                        const plan::Tile& tile) {
  std::vector<std::vector<plan::TileRead>> reads;
  for (int k = 0; k < static_cast<int>(tile.ops.size()); ++k) {
    reads.push_back(plan::FindReads(graph, tile, k));
  }
  return reads;
}

/// Ages at which the version is where `held` says.
template <typename Held>
std::vector<int> Ages(const plan::TileVersion& version, Held held) {
  std::vector<int> ages;
  for (std::size_t age = 0; age < version.planes.size(); ++age) {
    if (held(version.planes[age])) ages.push_back(static_cast<int>(age));
  }
  return ages;
}
inline std::vector<int> RegisterAges(const plan::TileVersion& version) {
  return Ages(version, [](const plan::PlaneStorage& plane) { return plane.registers; });
}
inline std::vector<int> SharedAges(const plan::TileVersion& version) {
  return Ages(version, [](const plan::PlaneStorage& plane) { return plane.shared; });
}

}  // namespace stencilgen::testing
