#include "lower/cuda/short_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "graph/nodes.h"
#include "plan/operator_facts.h"

namespace stencilgen::lower::cuda {
namespace {

using graph::Access;
using graph::Array;
using graph::Index;
using graph::LinearForm;

constexpr std::int64_t kMostPoints = std::int64_t{1} << 29;  ///< as FitInt has it

/// No part of the sum is larger than the sum and its constant: nothing is subtracted from sizes.
bool IsPlainSum(const graph::Graph& graph, const LinearForm& form) {
  return std::abs(form.constant) <= kMostPoints &&
         std::all_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
           return term.second > 0 && !graph.parameters[term.first].turn;
         });
}

/// What is known of an index that lies inside of its array says as much of its iterator.
bool IsNear(const graph::Graph& graph, const Index& index) {
  if (index.place.Valid() || !IsPlainSum(graph, index.offset)) return false;
  return index.iterator < 0 || index.offset.terms.empty();
}

/// Where a mode says what points outside of the array mean, these have a position too: no farther
/// out than the domain, which is inside of the result.
bool IsNear(const graph::Graph& graph, const graph::Operator& op, const Access& access) {
  const bool near = std::all_of(access.indices.begin(), access.indices.end(),
                                [&](const Index& each) { return IsNear(graph, each); });
  if (!near || !plan::HasModes(access)) return near;
  const Array& result = graph.arrays[graph.versions[op.result].array];
  if (graph.arrays[graph.versions[access.version].array].extents != result.extents) return false;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Index& index = access.indices[d];
    if (!index.offset.terms.empty()) return false;
    if (index.iterator < 0) continue;
    if (index.coefficient != 1 || index.iterator != op.target[d].iterator) return false;
  }
  return true;
}

std::vector<const Access*> AccessesOf(const graph::Graph& graph, const graph::Operator& op) {
  std::vector<const Access*> accesses;
  for (const graph::ExprId id : graph::Accesses(graph, op)) {
    accesses.push_back(&std::get<Access>(graph.exprs[id].node));
  }
  return accesses;
}

std::int64_t LargestOffset(const graph::Graph& graph, const graph::Operator& op) {
  std::int64_t largest = 0;
  const auto visit = [&](const std::vector<Index>& indices) {
    for (const Index& each : indices) {
      largest = std::max(largest, std::abs(each.offset.constant));
    }
  };
  visit(op.target);
  for (const Access* access : AccessesOf(graph, op)) visit(access->indices);
  return largest;
}

/// Sizes that the program has fixed leave nothing to choose.
bool IsTooLarge(const std::vector<LinearForm>& extents) {
  double elements = 1;
  for (const LinearForm& extent : extents) {
    if (!extent.IsConstant()) return false;
    elements *= static_cast<double>(extent.constant);
  }
  return elements > static_cast<double>(4 * kMostPoints);
}

/// Its elements have positions that its extents say all of.
bool HasPlainExtents(const graph::Graph& graph, graph::VersionId version) {
  const std::vector<LinearForm>& extents = graph.arrays[graph.versions[version].array].extents;
  return !IsTooLarge(extents) &&
         std::all_of(extents.begin(), extents.end(),
                     [&](const LinearForm& extent) { return IsPlainSum(graph, extent); });
}

}  // namespace

bool HasEitherIndex(const ProgramModel& model, plan::KernelId kernel) {
  if (model.FitsIntIndex()) return false;
  const graph::Graph& graph = model.graph();
  const graph::Operator& op = model.OperatorOf(kernel);
  const std::vector<const Access*> accesses = AccessesOf(graph, op);
  return HasPlainExtents(graph, op.result) &&
         std::all_of(op.target.begin(), op.target.end(),
                     [&](const Index& each) { return IsNear(graph, each); }) &&
         std::all_of(accesses.begin(), accesses.end(), [&](const Access* access) {
           return HasPlainExtents(graph, access->version) && IsNear(graph, op, *access);
         });
}

std::vector<std::vector<kernel::Expr>> ShapesOf(const ProgramModel& model, plan::KernelId kernel,
                                                const OperatorCode::Uses& uses) {
  const std::int64_t more = 2 * LargestOffset(model.graph(), model.OperatorOf(kernel));
  std::vector<std::vector<LinearForm>> shapes;
  for (const auto& [buffer, use] : uses) {
    std::vector<LinearForm> extents = model.plan().buffers[buffer].extents;
    for (LinearForm& extent : extents) extent.constant += more;
    if (std::find(shapes.begin(), shapes.end(), extents) == shapes.end()) {
      shapes.push_back(std::move(extents));
    }
  }
  std::vector<std::vector<kernel::Expr>> lowered;
  for (const auto& shape : shapes) {
    lowered.emplace_back();
    for (const LinearForm& extent : shape) lowered.back().push_back(model.Form(extent));
  }
  return lowered;
}

}  // namespace stencilgen::lower::cuda
