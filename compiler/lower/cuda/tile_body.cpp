#include "lower/cuda/tile_body.h"

#include <algorithm>
#include <iterator>

#include "kernel/value_dag.h"
#include "plan/tile_body.h"

namespace stencilgen::lower::cuda {
namespace {

using graph::Access;
using graph::Operator;
using plan::ReadPath;

}  // namespace

TileElements::TileElements(const graph::Graph& graph, const plan::Tile& tile, int op,
                           const std::vector<TilePoint>& points)
    : graph_(graph), tile_(tile), op_(op) {
  const Operator& reader = OperatorAt(graph, tile, op);
  const auto add = [&](const Access& access, std::size_t ahead) {
    for (const TilePoint& point : points) {
      Access element = access;
      element.indices = kernel::Shifted(access.indices, reader, plan::OffsetOf(tile, point, ahead));
      const auto distance = plan::DistanceOf(reader, element);
      if (!distance) continue;
      auto read = FindRead(graph, tile, op, access);
      if (read && PathOf(tile, *read, point) == ReadPath::Memory) read.reset();
      for (std::size_t d = 0; read && d < tile.dimensions; ++d) read->offset[d] += point[d];
      const auto [at, is_new] = reads_.try_emplace({access.version, *distance}, read);
      // What one of the points must read from memory is there for the others too.
      if (!is_new && !read) at->second.reset();
      if (read) AddMoved(access, *distance, point);
    }
  };
  for (const plan::TilePart& part : plan::PartsOf(graph, tile, op)) {
    std::vector<graph::ExprId> accesses;
    if (tile.ops[static_cast<std::size_t>(op)].scatter) {
      graph::CollectAccesses(graph, part.value, accesses);
    } else {
      accesses = graph::Accesses(graph, reader);
    }
    for (const graph::ExprId id : accesses) {
      add(std::get<Access>(graph.exprs[id].node), part.ahead);
    }
  }
}

std::vector<TileElements::Moved> TileElements::MovedBy(const plan::Tile& tile, const Access& access,
                                                       const plan::Offset& distance,
                                                       const TilePoint& point) {
  plan::Offset offset = distance;
  for (std::size_t d = 0; d < tile.dimensions; ++d) offset[d] -= point[d];
  std::vector<Moved> all;
  for (const plan::Offset& to : plan::EdgeOffsets(access, offset)) {
    Moved moved;
    for (std::size_t d = 0; d < tile.dimensions; ++d) {
      moved.distance[d] = to[d] + point[d];
      moved.moves[d] = to[d] != offset[d];
    }
    all.push_back(moved);
  }
  return all;
}

void TileElements::AddMoved(const Access& access, const plan::Offset& distance,
                            const TilePoint& point) {
  std::vector<Moved>& all = moved_[{access.version, distance}];
  for (const Moved& moved : MovedBy(tile_, access, distance, point)) {
    if (std::find(all.begin(), all.end(), moved) == all.end()) all.push_back(moved);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Moved& a, const Moved& b) { return a.Count() < b.Count(); });
}

std::size_t TileElements::Moved::Count() const {
  return static_cast<std::size_t>(std::count(moves.begin(), moves.end(), true));
}

std::vector<TileElements::Moved> TileElements::FindMoved(const Access& element) const {
  const auto at = moved_.find({element.version, DistanceOf(element)});
  if (at == moved_.end()) return {};
  // Other accesses of the element may have modes along other dimensions.
  std::vector<Moved> moved;
  std::copy_if(at->second.begin(), at->second.end(), std::back_inserter(moved),
               [&](const Moved& each) {
                 for (std::size_t d = 0; d < element.boundary.size(); ++d) {
                   if (each.moves[d] && !plan::Folds(element.boundary[d])) return false;
                 }
                 return true;
               });
  return moved;
}

plan::Offset TileElements::DistanceOf(const Access& element) const {
  return *plan::DistanceOf(OperatorAt(graph_, tile_, op_), element);
}

std::optional<plan::TileRead> TileElements::Find(const Access& element) const {
  const auto distance = plan::DistanceOf(OperatorAt(graph_, tile_, op_), element);
  if (!distance) return std::nullopt;
  const auto at = reads_.find({element.version, *distance});
  return at == reads_.end() ? std::nullopt : at->second;
}

TileBody OrderTile(const ProgramModel& model, plan::KernelId kernel, int op,
                   const std::vector<TilePoint>& points) {
  const graph::Graph& graph = model.graph();
  const plan::Kernel& planned = model.plan().kernels[kernel];
  const plan::Tile& tile = *planned.tile;
  const Options& options = model.options();
  plan::SumRules rules;
  if (options.distribute) rules.distribute = kernel::Distribute::Always;
  rules.share = plan::MayShareSums(planned.schedule);
  plan::TileBody code = plan::WriteBody(graph, tile, op, points, rules);
  TileBody body;
  body.ops = std::move(code.ops);
  body.written = std::move(code.body);
  body.shared = code.shared;
  body.has_common = code.has_common;
  const TileElements elements(graph, tile, op, points);
  for (kernel::Value& value : body.written.values) {
    const auto* element = std::get_if<kernel::Element>(&value.what);
    if (element == nullptr) continue;
    const auto read = elements.Find(element->access);
    value.held = read && PathOf(tile, *read, {0, 0, 0}) != ReadPath::Shared;
  }
  passes::ReorderOptions order = OrderOf(options, kernel);
  // Planes of shared memory have few addresses, whatever is read of them.
  order.registers.addresses = false;
  body.ordered = passes::ReorderBody(body.written, order);
  return body;
}

}  // namespace stencilgen::lower::cuda
