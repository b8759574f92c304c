#include "plan/looks.h"

#include <algorithm>
#include <map>
#include <vector>

#include "graph/nodes.h"

namespace stencilgen::plan {
namespace {

using graph::Carried;
using graph::Loop;
using graph::NodeId;
using graph::Operator;
using graph::VersionId;

class LookFinder {
 public:
  LookFinder(const Plan& plan, const Repeat& repeat, const Loop& loop)
      : plan_(plan), graph_(plan.graph), repeat_(repeat), loop_(loop) {}

  Looks Find() {
    for (const Step& step : repeat_.body) {
      if (const auto* launch = std::get_if<Launch>(&step))
        AddUnit(plan_.kernels[launch->kernel].ops);
      if (const auto* assign = std::get_if<AssignScalar>(&step)) AddUnit({assign->op});
    }
    CollectUses();
    // What others than these need is computed in every turn, and so is all that it reads.
    while (DropNeeded()) {
    }
    return Collect();
  }

 private:
  /// Operators of one step: they are computed together or not at all.
  void AddUnit(const std::vector<NodeId>& nodes) {
    for (const NodeId node : nodes) unit_of_[node] = units_.size();
    units_.push_back(true);
  }

  void CollectUses() {
    for (const NodeId node : graph_.nodes.Ids()) {
      if (const auto* loop = std::get_if<Loop>(&graph_.nodes[node])) {
        if (loop->unless.Valid()) kept_.insert(loop->unless);
        for (const Carried& carried : loop->carried) {
          if (loop != &loop_) kept_.insert(carried.next);
          kept_.insert(carried.initial);
        }
        continue;
      }
      const Operator& op = graph::OperatorOf(graph_, node);
      for (const graph::ExprId access : graph::Accesses(graph_, op)) {
        readers_[std::get<graph::Access>(graph_.exprs[access].node).version].push_back(node);
      }
      if (op.background.Valid()) kept_.insert(op.background);
    }
    for (const graph::Output& output : graph_.outputs) kept_.insert(output.version);
  }

  bool IsUsed(VersionId version) const {
    return readers_.count(version) > 0 || kept_.count(version) > 0;
  }
  /// Computed in turns that look alone, as far as is known.
  bool IsLook(NodeId node) const {
    const auto unit = unit_of_.find(node);
    return unit != unit_of_.end() && units_[unit->second];
  }

  bool IsNeeded(NodeId node) const {
    const Operator& op = graph::OperatorOf(graph_, node);
    if (op.background.Valid() || kept_.count(op.result) > 0) return true;
    // The next turn begins with it.
    const auto goes_on = [&](const Carried& carried) {
      return carried.next == op.result && IsUsed(carried.entry);
    };
    if (std::any_of(loop_.carried.begin(), loop_.carried.end(), goes_on)) return true;
    const auto readers = readers_.find(op.result);
    return readers != readers_.end() && !std::all_of(readers->second.begin(), readers->second.end(),
                                                     [&](NodeId reader) { return IsLook(reader); });
  }

  bool DropNeeded() {
    bool any = false;
    for (const auto& [node, unit] : unit_of_) {
      if (!units_[unit] || !IsNeeded(node)) continue;
      units_[unit] = false;
      any = true;
    }
    return any;
  }

  Looks Collect() const {
    Looks looks;
    for (const Step& step : repeat_.body) {
      const auto* launch = std::get_if<Launch>(&step);
      const auto* assign = std::get_if<AssignScalar>(&step);
      if (launch != nullptr && IsLook(plan_.kernels[launch->kernel].ops.front())) {
        looks.kernels.insert(launch->kernel);
      }
      if (assign != nullptr && IsLook(assign->op)) looks.scalars.insert(assign->op);
    }
    looks.results =
        std::any_of(loop_.carried.begin(), loop_.carried.end(), [&](const Carried& carried) {
          return IsLook(graph_.versions[carried.next].node) && IsUsed(carried.result);
        });
    return looks;
  }

  const Plan& plan_;
  const graph::Graph& graph_;
  const Repeat& repeat_;
  const Loop& loop_;
  std::map<NodeId, std::size_t> unit_of_;
  std::vector<bool> units_;  ///< by unit: a look's alone
  std::map<VersionId, std::vector<NodeId>> readers_;
  std::set<VersionId> kept_;  ///< by what is no reader of elements
};

}  // namespace

Looks FindLooks(const Plan& plan, const Repeat& repeat) {
  if (!repeat.loop.Valid()) return {};
  const Loop& loop = graph::LoopOf(plan.graph, repeat.loop);
  if (!loop.stop || loop.stop->every == graph::LinearForm::Constant(1)) return {};
  return LookFinder(plan, repeat, loop).Find();
}

}  // namespace stencilgen::plan
