#include "lower/cuda/short_index.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "graph/nodes.h"

namespace stencilgen::lower::cuda {
namespace {

constexpr std::int64_t kMostOffset = std::int64_t{1} << 29;

/// No sum in it is farther from an element than an extent.
bool IsNear(const graph::Graph& graph, const graph::Index& index) {
  const graph::LinearForm& offset = index.offset;
  if (index.place.Valid() || std::abs(offset.constant) > kMostOffset) return false;
  if (offset.terms.empty()) return true;
  const auto& [parameter, factor] = offset.terms.front();
  return offset.terms.size() == 1 && std::abs(factor) == 1 && !graph.parameters[parameter].turn;
}

/// Points outside of the array have a position too, before a mode says what they mean: no farther
/// out than the domain is, which is inside of `domain_of`.
bool IsNear(const graph::Graph& graph, const graph::Access& access, const graph::Array& domain_of) {
  const bool near = std::all_of(access.indices.begin(), access.indices.end(),
                                [&](const graph::Index& each) { return IsNear(graph, each); });
  const bool modes = std::any_of(
      access.boundary.begin(), access.boundary.end(),
      [](const graph::Boundary& mode) { return mode.kind != graph::BoundaryKind::None; });
  if (!near || !modes) return near;
  return graph.arrays[graph.versions[access.version].array].extents == domain_of.extents &&
         std::all_of(access.indices.begin(), access.indices.end(), [](const graph::Index& each) {
           return each.offset.terms.empty() && std::abs(each.coefficient) <= 1;
         });
}

}  // namespace

bool HasEitherIndex(const ProgramModel& model, plan::KernelId kernel) {
  if (model.FitsIntIndex()) return false;
  const graph::Graph& graph = model.graph();
  const graph::Operator& op = model.OperatorOf(kernel);
  const graph::Array& result = graph.arrays[graph.versions[op.result].array];
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
  return std::all_of(op.target.begin(), op.target.end(),
                     [&](const graph::Index& each) { return IsNear(graph, each); }) &&
         std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
           return IsNear(graph, std::get<graph::Access>(graph.exprs[id].node), result);
         });
}

std::vector<std::vector<kernel::Expr>> ShapesOf(const ProgramModel& model,
                                                const OperatorCode::Uses& uses) {
  std::vector<std::vector<graph::LinearForm>> shapes;
  for (const auto& [buffer, use] : uses) {
    const std::vector<graph::LinearForm>& extents = model.plan().buffers[buffer].extents;
    if (extents.empty() || std::find(shapes.begin(), shapes.end(), extents) != shapes.end()) {
      continue;
    }
    shapes.push_back(extents);
  }
  std::vector<std::vector<kernel::Expr>> lowered;
  for (const auto& shape : shapes) {
    lowered.emplace_back();
    for (const graph::LinearForm& extent : shape) lowered.back().push_back(model.Form(extent));
  }
  return lowered;
}

}  // namespace stencilgen::lower::cuda
