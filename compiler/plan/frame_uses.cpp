#include "plan/frame_uses.h"

#include <algorithm>
#include <set>
#include <utility>

#include "graph/regions.h"
#include "graph/turns.h"
#include "support/match.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Carried;
using graph::Graph;
using graph::Interval;
using graph::Loop;
using graph::NodeId;
using graph::Operator;
using graph::RegionId;
using graph::VersionId;

/// Where a version is passed on as a whole: to the operator that has it as its background, into a
/// loop, or to the end of one.
struct Pass {
  enum class Kind { Background, Initial, Next };
  Kind kind = Kind::Background;
  NodeId node;              ///< the operator or loop
  std::size_t carried = 0;  ///< of the loop
};

/// An element that an operator reads.
struct Read {
  NodeId reader;
  graph::ExprId access;
};

struct Uses {
  std::vector<Pass> passes;
  std::vector<Read> reads;
  bool output = false;
};

bool ContainsBox(const graph::Box& outer, const graph::Box& inner) {
  return std::equal(outer.begin(), outer.end(), inner.begin(), inner.end(), graph::AlwaysContains);
}

bool NeverMeet(const graph::Box& a, const graph::Box& b) {
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (graph::AlwaysEmpty(graph::Intersect(a[d], b[d]))) return true;
  }
  return false;
}

/// The box is elsewhere in another turn of a loop, through which versions are followed.
bool MovesByTurn(const graph::Box& box) {
  return std::any_of(box.begin(), box.end(),
                     [](const Interval& interval) { return graph::HasTurn(interval); });
}

class FrameUses {
 public:
  explicit FrameUses(const Graph& graph)
      : graph_(graph), uses_(graph.versions.size()), region_of_(graph.nodes.size()) {
    Visit(graph.root);
    for (const graph::Output& output : graph.outputs) uses_[output.version.index].output = true;
  }

  const Uses& Of(VersionId version) const { return uses_[version.index]; }
  /// Of operators, in the order of the program.
  const std::vector<VersionId>& results() const { return results_; }

  /// True for the result of an operator that has an effect only on those who read it itself.
  bool IsFrameOnly(VersionId version) const {
    if (graph_.versions[version].def != graph::DefKind::Operator) return false;
    if (Of(version).output) return false;
    const graph::Box box = graph::WrittenBox(Definition(version));
    return !box.empty() && !MovesByTurn(box) && PassesOn(version, box);
  }

  /// The version that may stand for this one, made in the kernel, where others than the kernel's
  /// operators need it: its background, or what that starts from where it too leaves no element of
  /// its own. Invalid where there is none.
  VersionId Substitute(VersionId version, const std::vector<int>& kernel_of) const {
    const Operator& op = Definition(version);
    const graph::Box box = graph::WrittenBox(op);
    const int kernel = kernel_of[graph_.versions[version].node.index];
    VersionId base = op.background;
    while (base.Valid() && IsMadeIn(base, kernel, kernel_of) &&
           !IsReadOutside(base, kernel, kernel_of)) {
      const Operator& earlier = Definition(base);
      const graph::Box written = graph::WrittenBox(earlier);
      if (MovesByTurn(written)) return {};
      if (!ContainsBox(box, written) && !PassesOn(version, written)) return {};
      base = earlier.background;
    }
    return base;
  }

  bool IsReadOutside(VersionId version, int kernel, const std::vector<int>& kernel_of) const {
    const std::vector<Read>& reads = Of(version).reads;
    return std::any_of(reads.begin(), reads.end(),
                       [&](const Read& read) { return kernel_of[read.reader.index] != kernel; });
  }

  RegionId RegionOf(VersionId version) const {
    const graph::Version& info = graph_.versions[version];
    if (info.def == graph::DefKind::Initial) return graph_.root;
    if (info.def == graph::DefKind::LoopEntry) return LoopAt(info.node).body;
    return region_of_[info.node.index];
  }

 private:
  const Operator& Definition(VersionId version) const {
    return std::get<Operator>(graph_.nodes[graph_.versions[version].node]);
  }
  const Loop& LoopAt(NodeId node) const { return std::get<Loop>(graph_.nodes[node]); }

  bool IsMadeIn(VersionId version, int kernel, const std::vector<int>& kernel_of) const {
    const graph::Version& info = graph_.versions[version];
    return info.def == graph::DefKind::Operator && kernel_of[info.node.index] == kernel;
  }

  void Visit(RegionId region) {
    for (const NodeId node : graph_.regions[region].nodes) {
      region_of_[node.index] = region;
      Match(
          graph_.nodes[node], [&](const Operator& op) { VisitOperator(node, op); },
          [&](const Loop& loop) { VisitLoop(node, loop); });
    }
  }
  void VisitOperator(NodeId node, const Operator& op) {
    for (const graph::ExprId id : graph::Accesses(graph_, op)) {
      const VersionId version = std::get<Access>(graph_.exprs[id].node).version;
      uses_[version.index].reads.push_back({node, id});
    }
    if (op.background.Valid()) {
      uses_[op.background.index].passes.push_back({Pass::Kind::Background, node});
    }
    results_.push_back(op.result);
  }
  void VisitLoop(NodeId node, const Loop& loop) {
    for (std::size_t k = 0; k < loop.carried.size(); ++k) {
      const Carried& carried = loop.carried[k];
      uses_[carried.initial.index].passes.push_back({Pass::Kind::Initial, node, k});
      uses_[carried.next.index].passes.push_back({Pass::Kind::Next, node, k});
    }
    Visit(loop.body);
  }

  /// True where nobody needs an element of the box of what the version is passed on to, or of a
  /// version to which that is passed on, and so on.
  bool PassesOn(VersionId version, const graph::Box& box) const {
    std::set<VersionId> seen;
    std::vector<VersionId> pending;
    const auto follow = [&](VersionId from) {
      for (const Pass& pass : Of(from).passes) {
        for (const VersionId to : Receivers(pass, box)) {
          if (seen.insert(to).second) pending.push_back(to);
        }
      }
    };
    follow(version);
    while (!pending.empty()) {
      const VersionId next = pending.back();
      pending.pop_back();
      if (IsNeeded(next, box)) return false;
      follow(next);
    }
    return true;
  }

  /// The versions that have elements of the box from what is passed on.
  std::vector<VersionId> Receivers(const Pass& pass, const graph::Box& box) const {
    if (pass.kind == Pass::Kind::Background) {
      const auto& op = std::get<Operator>(graph_.nodes[pass.node]);
      if (graph::WritesWholeBox(op) && ContainsBox(graph::WrittenBox(op), box)) return {};
      return {op.result};
    }
    const Carried& carried = LoopAt(pass.node).carried[pass.carried];
    return {carried.entry, carried.result};
  }

  bool IsNeeded(VersionId version, const graph::Box& box) const {
    const Uses& uses = Of(version);
    const graph::Array& array = graph_.arrays[graph_.versions[version].array];
    return uses.output || std::any_of(uses.reads.begin(), uses.reads.end(), [&](const Read& read) {
             const auto& op = std::get<Operator>(graph_.nodes[read.reader]);
             const auto& access = std::get<Access>(graph_.exprs[read.access].node);
             return !NeverMeet(graph::ReadBox(op, access, array), box);
           });
  }

  const Graph& graph_;
  std::vector<Uses> uses_;           ///< by version
  std::vector<RegionId> region_of_;  ///< by node
  std::vector<VersionId> results_;
};

/// True where the loop carries the version around already.
bool IsNext(const Loop& loop, VersionId version) {
  return std::any_of(loop.carried.begin(), loop.carried.end(),
                     [&](const Carried& carried) { return carried.next == version; });
}

/// Where others than the kernel's operators get the version.
std::vector<Pass> PassesOutside(const FrameUses& uses, VersionId version,
                                const std::vector<int>& kernel_of, int kernel) {
  std::vector<Pass> outside;
  for (const Pass& pass : uses.Of(version).passes) {
    const bool near = pass.kind == Pass::Kind::Background && kernel_of[pass.node.index] == kernel;
    if (!near) outside.push_back(pass);
  }
  return outside;
}

/// What a loop carries around is its own, and carried once.
bool MayPass(const Graph& graph, const FrameUses& uses, const Pass& pass, VersionId version,
             VersionId to) {
  return pass.kind != Pass::Kind::Next || (uses.RegionOf(to) == uses.RegionOf(version) &&
                                           !IsNext(std::get<Loop>(graph.nodes[pass.node]), to));
}

void Replace(Graph& graph, const Pass& pass, VersionId to) {
  if (pass.kind == Pass::Kind::Background) {
    std::get<Operator>(graph.nodes[pass.node]).background = to;
    return;
  }
  Carried& carried = std::get<Loop>(graph.nodes[pass.node]).carried[pass.carried];
  (pass.kind == Pass::Kind::Initial ? carried.initial : carried.next) = to;
}

}  // namespace

std::vector<bool> FindFrameOnly(const Graph& graph) {
  const FrameUses uses(graph);
  std::vector<bool> frame_only;
  for (const VersionId version : graph.versions.Ids()) {
    frame_only.push_back(uses.IsFrameOnly(version));
  }
  return frame_only;
}

bool TakeFramesFromBackgrounds(Graph& graph, const std::vector<int>& kernel_of) {
  const FrameUses uses(graph);
  bool any = false;
  // In the order of the program: a background may have been replaced before.
  for (const VersionId version : uses.results()) {
    const int kernel = kernel_of[graph.versions[version].node.index];
    if (kernel < 0 || uses.IsReadOutside(version, kernel, kernel_of)) continue;
    const std::vector<Pass> outside = PassesOutside(uses, version, kernel_of, kernel);
    if (outside.empty() || !uses.IsFrameOnly(version)) continue;
    const VersionId to = uses.Substitute(version, kernel_of);
    const bool fits = to.Valid() && std::all_of(outside.begin(), outside.end(), [&](const Pass& p) {
                        return MayPass(graph, uses, p, version, to);
                      });
    if (!fits) continue;
    for (const Pass& pass : outside) Replace(graph, pass, to);
    any = true;
  }
  return any;
}

}  // namespace stencilgen::plan
