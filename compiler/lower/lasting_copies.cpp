#include "lower/lasting_copies.h"

#include <algorithm>

#include "graph/turns.h"
#include "plan/operator_facts.h"
#include "support/match.h"

namespace stencilgen::lower {
namespace {

using plan::BufferId;
using plan::CopyOutside;
using plan::Step;

const graph::Operator& OperatorOf(const plan::Plan& plan, graph::NodeId node) {
  return std::get<graph::Operator>(plan.graph.nodes[node]);
}

bool IsVisible(const plan::Plan& plan, BufferId id) {
  const graph::ArrayId home = plan.buffers[id].home;
  return home.Valid() && (plan.graph.arrays[home].copy_in || plan.graph.arrays[home].copy_out);
}

/// Whether a copy lasts.
class Check {
 public:
  Check(const plan::Plan& plan, const CopyOutside& copy) : plan_(plan), copy_(copy) {}

  bool Lasts() const {
    if (graph::WritesByTurn(OperatorOf(plan_, copy_.op))) return false;
    if (!IsVisible(plan_, copy_.src) || plan_.buffers[copy_.dst].home.Valid()) return false;
    return StaysWithin(plan_.steps) && ResultsStayWithin();
  }

 private:
  bool IsOne(BufferId id) const { return id == copy_.src || id == copy_.dst; }

  bool WritesInside(const plan::Kernel& kernel) const {
    const std::vector<graph::VersionId> stored = StoredVersions(plan_, kernel);
    return std::all_of(stored.begin(), stored.end(), [&](graph::VersionId id) {
      if (!IsOne(plan_.buffer_of[id.index])) return true;
      const graph::Version& version = plan_.graph.versions[id];
      return version.def == graph::DefKind::Operator &&
             plan::WritesSameElements(OperatorOf(plan_, version.node), OperatorOf(plan_, copy_.op));
    });
  }

  /// What the steps write to either is inside, or this copy.
  bool StaysWithin(const std::vector<Step>& steps) const {
    return std::all_of(steps.begin(), steps.end(), [&](const Step& step) {
      return Match(
          step,
          [&](const plan::Launch& launch) { return WritesInside(plan_.kernels[launch.kernel]); },
          [](const plan::AssignScalar&) { return true; },
          [&](const CopyOutside& other) {
            return !IsOne(other.dst) ||
                   (other.dst == copy_.dst && other.src == copy_.src && other.op == copy_.op);
          },
          [&](const plan::CopyAll& other) { return !IsOne(other.dst); },
          [&](const plan::Repeat& repeat) {
            return StaysWithin(repeat.body) &&
                   std::all_of(
                       repeat.rotation.begin(), repeat.rotation.end(),
                       [&](const auto& move) { return IsOne(move.first) == IsOne(move.second); });
          });
    });
  }

  bool ResultsStayWithin() const {
    for (std::size_t k = 0; k < plan_.results.size(); ++k) {
      const bool ours = plan_.graph.outputs[k].array == plan_.buffers[copy_.src].home;
      if (ours != IsOne(plan_.results[k])) return false;
    }
    return true;
  }

  const plan::Plan& plan_;
  const CopyOutside& copy_;
};

void Collect(const plan::Plan& plan, const std::vector<Step>& steps,
             std::vector<CopyOutside>& lasting) {
  for (const Step& step : steps) {
    if (const auto* repeat = std::get_if<plan::Repeat>(&step)) {
      Collect(plan, repeat->body, lasting);
    }
    const auto* copy = std::get_if<CopyOutside>(&step);
    if (copy == nullptr || !Check(plan, *copy).Lasts()) continue;
    const bool known = std::any_of(lasting.begin(), lasting.end(), [&](const CopyOutside& other) {
      return other.dst == copy->dst;
    });
    if (!known) lasting.push_back(*copy);
  }
}

}  // namespace

std::vector<CopyOutside> LastingCopies(const plan::Plan& plan) {
  std::vector<CopyOutside> lasting;
  Collect(plan, plan.steps, lasting);
  return lasting;
}

}  // namespace stencilgen::lower
