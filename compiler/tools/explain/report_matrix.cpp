#include "graph/nodes.h"
#include "plan/matrix_tiles.h"
#include "tools/explain/report_parts.h"

namespace stencilgen::driver {
namespace {

Json LoopsJson(const graph::Graph& graph, const plan::MatrixTile& tile,
               const graph::ParameterValues& sizes) {
  Json loops = Json::array();
  for (const graph::NodeId id : tile.loops) {
    const graph::Loop& loop = graph::LoopOf(graph, id);
    loops.push_back({{"turn", loop.turn.Valid() ? Json(graph.parameters[loop.turn].name) : Json()},
                     {"turns", graph::Evaluate(loop.turns, sizes)}});
  }
  return loops;
}

Json BoxesJson(const graph::Graph& graph, const plan::MatrixTile& tile) {
  Json boxes = Json::array();
  for (const plan::SharedBox& box : tile.boxes) {
    const graph::Version& version = graph.versions[box.access.version];
    boxes.push_back({{"array", graph.arrays[version.array].name},
                     {"extents", box.extents},
                     {"row", box.row},
                     {"byte_offset", box.byte_offset}});
  }
  return boxes;
}

}  // namespace

Json MatrixReport(const plan::Plan& plan, const plan::Kernel& kernel,
                  const graph::ParameterValues& sizes) {
  const plan::MatrixTile& tile = *kernel.matrix;
  const auto& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  const auto along = [](const std::vector<int>& values, std::size_t n) {
    return values.empty() ? Json() : Json(values[n]);
  };
  Json dimensions = Json::array();
  for (std::size_t n = 0; n < op.iterators.size(); ++n) {
    Json& dimension = dimensions.emplace_back(DimensionJson(plan.graph, op, n, sizes));
    dimension["threads"] = along(tile.threads, n);
    dimension["points"] = tile.points[n];
    dimension["tile"] = along(tile.tile, n);
  }
  return {{"text", plan::ToString(plan.graph, op, tile)},
          {"loops", LoopsJson(plan.graph, tile, sizes)},
          {"dimensions", std::move(dimensions)},
          {"depth", tile.depth},
          {"vectors", tile.vectors},
          {"boxes", BoxesJson(plan.graph, tile)},
          {"shared_bytes", plan::SharedBytes(plan.graph, tile)}};
}

}  // namespace stencilgen::driver
