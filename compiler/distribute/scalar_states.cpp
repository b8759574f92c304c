#include "distribute/scalar_states.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "graph/nodes.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

class Keeper {
 public:
  explicit Keeper(Graph& graph) : graph_(graph) {}

  void Run() {
    FindKept();
    for (const ArrayId id : kept_) AddState(id);
    const std::vector<NodeId> nodes = graph_.nodes.Ids();
    for (const NodeId id : nodes) {
      if (std::holds_alternative<Loop>(graph_.nodes[id])) StartLoop(id);
    }
    for (const VersionId id : graph_.versions.Ids()) {
      Version& version = graph_.versions[id];
      if (IsState(id)) version.array = states_.at(version.array);
    }
    for (const ExprId id : graph_.exprs.Ids()) {
      auto* access = std::get_if<Access>(&graph_.exprs[id].node);
      if (access != nullptr && IsNowState(access->version)) access->indices = {Index{}};
    }
    for (const NodeId id : nodes) {
      if (auto* op = std::get_if<Operator>(&graph_.nodes[id])) {
        if (!IsNowState(op->result)) continue;
        op->target = {Index{}};
        op->background = {};
      } else {
        for (Carried& carried : LoopOf(graph_, id).carried) {
          const auto state = states_.find(carried.array);
          if (state != states_.end()) carried.array = state->second;
        }
      }
    }
  }

 private:
  bool IsScalar(ArrayId id) const { return graph_.arrays[id].rank() == 0; }
  /// A version that the program computes, of a scalar that is kept.
  bool IsState(VersionId id) const {
    const Version& version = graph_.versions[id];
    return version.def != DefKind::Initial && kept_.count(version.array) > 0;
  }
  bool IsNowState(VersionId id) const { return is_state_.count(graph_.versions[id].array) > 0; }

  void FindKept() {
    for (const Node& node : graph_.nodes) {
      const auto* loop = std::get_if<Loop>(&node);
      if (loop == nullptr) continue;
      for (const Carried& carried : loop->carried) {
        if (IsScalar(carried.array)) kept_.insert(carried.array);
      }
      if (loop->stop) kept_.insert(graph_.versions[loop->stop->condition].array);
    }
    for (bool changed = true; changed;) {
      const std::size_t before = kept_.size();
      for (const Node& node : graph_.nodes) {
        const auto* op = std::get_if<Operator>(&node);
        if (op != nullptr && IsScalar(graph_.versions[op->result].array)) FindKept(*op);
      }
      changed = kept_.size() != before;
    }
  }
  void FindKept(const Operator& op) {
    for (const ExprId id : Accesses(graph_, op)) {
      const VersionId read = std::get<Access>(graph_.exprs[id].node).version;
      if (IsScalar(graph_.versions[read].array) && !IsState(read)) continue;
      kept_.insert(graph_.versions[op.result].array);
    }
  }

  void AddState(ArrayId id) {
    Array state;
    state.name = FreeName(graph_, graph_.arrays[id].name + "_state");
    state.type = graph_.arrays[id].type;
    state.extents = {LinearForm::Constant(1)};
    state.local = true;
    state.span = graph_.arrays[id].span;
    states_[id] = graph_.arrays.Add(std::move(state));
    is_state_.insert(states_[id]);
  }

  /// A loop that begins with the caller's value begins with a copy of it.
  void StartLoop(NodeId node) {
    for (std::size_t n = 0; n < LoopOf(graph_, node).carried.size(); ++n) {
      const Carried carried = LoopOf(graph_, node).carried[n];
      const Version initial = graph_.versions[carried.initial];
      if (kept_.count(initial.array) == 0 || initial.def != DefKind::Initial) continue;
      Operator op;
      op.stencil = "begin";
      op.span = LoopOf(graph_, node).span;
      op.group = NextGroup();
      op.target = {Index{}};
      const Array& array = graph_.arrays[initial.array];
      op.value = graph_.exprs.Add({Access{carried.initial, {}, {}}, array.type, op.span});
      op.result = graph_.versions.Add({states_.at(initial.array), DefKind::Operator, {}});
      const VersionId result = op.result;
      const NodeId begin = graph_.nodes.Add(std::move(op));
      graph_.versions[result].node = begin;
      LoopOf(graph_, node).carried[n].initial = result;
      for (Region& region : graph_.regions) {
        const auto at = std::find(region.nodes.begin(), region.nodes.end(), node);
        if (at == region.nodes.end()) continue;
        region.nodes.insert(at, begin);
        break;
      }
    }
  }
  int NextGroup() const {
    int next = 0;
    for (const Node& node : graph_.nodes) {
      if (const auto* op = std::get_if<Operator>(&node)) next = std::max(next, op->group + 1);
    }
    return next;
  }

  Graph& graph_;
  std::set<ArrayId> kept_;
  std::map<ArrayId, ArrayId> states_;  // by scalar
  std::set<ArrayId> is_state_;
};

}  // namespace

std::string FreeName(const Graph& graph, const std::string& wish) {
  const auto taken = [&](const std::string& text) {
    const auto named = [&](const auto& any) { return any.name == text; };
    return std::any_of(graph.parameters.begin(), graph.parameters.end(), named) ||
           std::any_of(graph.arrays.begin(), graph.arrays.end(), named) ||
           std::count(graph.iterators.begin(), graph.iterators.end(), text) > 0;
  };
  std::string name = wish;
  for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", wish, number);
  return name;
}

void KeepScalarsInArrays(Graph& graph) {
  Keeper(graph).Run();
}

}  // namespace stencilgen::distribute
