#include "plan/windows.h"

#include <algorithm>
#include <optional>

#include "graph/walk.h"

namespace stencilgen::plan {

using graph::Access;
using graph::BoundaryKind;
using graph::ExprId;
using graph::Graph;
using graph::Index;

namespace {

/// The accesses below `root` that every point evaluates.
void CollectCertain(const Graph& graph, ExprId root, std::vector<const Access*>& out) {
  std::vector<ExprId> pending{root};
  while (!pending.empty()) {
    const graph::Expr& expr = graph.exprs[pending.back()];
    pending.pop_back();
    if (const auto* access = std::get_if<Access>(&expr.node)) out.push_back(access);
    // Of these, only the first operand is evaluated for certain.
    const auto* binary = std::get_if<graph::Binary>(&expr.node);
    const bool chooses = std::holds_alternative<graph::Conditional>(expr.node) ||
                         (binary != nullptr && IsLogical(binary->op));
    const std::size_t before = pending.size();
    graph::VisitOperands(expr, [&](ExprId operand) { pending.push_back(operand); });
    if (chooses) pending.resize(before + 1);
  }
}

/// A window of this one access, where it can be in one.
std::optional<Window> WindowOf(const Access& access, int iterator) {
  Window window;
  window.version = access.version;
  window.base = access.indices;
  int along = 0;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Index& index = access.indices[d];
    const bool neighbour =
        index.iterator >= 0 && index.coefficient == 1 && index.offset.IsConstant();
    const bool open = !access.boundary.empty() && access.boundary[d].kind != BoundaryKind::None;
    if (!neighbour || open) return std::nullopt;
    if (index.iterator != iterator) continue;
    ++along;
    window.dimension = d;
    window.first = window.last = index.offset.constant;
    window.base[d].offset = {};
  }
  if (along != 1) return std::nullopt;
  return window;
}

bool SameColumn(const Window& a, const Window& b) {
  return a.version == b.version && a.dimension == b.dimension && a.base == b.base;
}

}  // namespace

bool CanStream(const graph::Operator& op, int iterator) {
  if (op.reduction) return false;
  const auto& iterators = op.iterators;
  const auto place = std::find(iterators.begin(), iterators.end(), iterator);
  return place != iterators.end() && iterators.back() != iterator;
}

std::vector<Window> FindWindows(const Graph& graph, const graph::Operator& op, int iterator,
                                const std::vector<BufferId>& buffer_of) {
  std::vector<const Access*> accesses;
  for (const graph::Let& let : op.lets) CollectCertain(graph, let.value, accesses);
  CollectCertain(graph, op.value, accesses);
  std::vector<Window> windows;
  for (const Access* access : accesses) {
    if (buffer_of[access->version.index] == buffer_of[op.result.index]) continue;
    const auto single = WindowOf(*access, iterator);
    if (!single) continue;
    const auto same = std::find_if(windows.begin(), windows.end(),
                                   [&](const Window& w) { return SameColumn(w, *single); });
    if (same == windows.end()) {
      windows.push_back(*single);
    } else {
      same->first = std::min(same->first, single->first);
      same->last = std::max(same->last, single->last);
    }
  }
  const auto held = [](const Window& w) { return w.last - w.first + 1; };
  windows.erase(std::remove_if(windows.begin(), windows.end(),
                               [&](const Window& w) { return w.first == w.last; }),
                windows.end());
  std::stable_sort(windows.begin(), windows.end(),
                   [&](const Window& a, const Window& b) { return held(a) > held(b); });
  std::int64_t total = 0;
  windows.erase(std::remove_if(windows.begin(), windows.end(),
                               [&](const Window& w) {
                                 if (total + held(w) > kMostHeld) return true;
                                 total += held(w);
                                 return false;
                               }),
                windows.end());
  return windows;
}

int PlaceIn(const Window& window, const Access& access) {
  if (access.version != window.version || access.indices.size() != window.base.size()) return -1;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Index& index = access.indices[d];
    const bool open = !access.boundary.empty() && access.boundary[d].kind != BoundaryKind::None;
    if (open || index.iterator != window.base[d].iterator || index.coefficient != 1) return -1;
    if (d != window.dimension && index.offset != window.base[d].offset) return -1;
  }
  const graph::LinearForm& offset = access.indices[window.dimension].offset;
  if (!offset.IsConstant()) return -1;
  if (offset.constant < window.first || offset.constant > window.last) return -1;
  return static_cast<int>(offset.constant - window.first);
}

}  // namespace stencilgen::plan
