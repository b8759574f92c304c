#include "passes/store_lets.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/copy_body.h"
#include "passes/value_numbers.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

class LetStorer {
 public:
  LetStorer(Graph& graph, Stretch& stretch, const CrossingRule& rule)
      : graph_(graph), stretch_(stretch), rule_(rule) {}

  std::vector<CrossingValue> Run() {
    FindValues();
    std::vector<const Value*> order;
    for (const auto& [number, value] : values_) {
      if (value.uses.size() > 1) order.push_back(&value);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Value* a, const Value* b) { return a->flops > b->flops; });
    for (const Value* value : order) Visit(*value);
    for (const NodeId node : changed_) OwnBody(graph_, node);
    return std::move(crossings_);
  }

 private:
  struct Use {
    std::size_t part = 0;
    NodeId node;
    std::size_t let = 0;
  };
  /// What lets of one number are.
  struct Value {
    std::int64_t flops = 0;
    std::vector<Use> uses;  // in graph order
  };

  const Operator& At(NodeId node) const { return std::get<Operator>(graph_.nodes[node]); }

  void FindValues() {
    ValueNumbers numbers;
    for (std::size_t part = 0; part < stretch_.parts.size(); ++part) {
      for (const NodeId node : stretch_.parts[part]) {
        const Operator& op = At(node);
        const std::vector<int> lets = numbers.NumberLets(graph_, op);
        std::vector<bool> uniform;
        for (std::size_t k = 0; k < lets.size(); ++k) {
          uniform.push_back(IsUniform(graph_, op.lets[k].value, uniform));
          const std::int64_t flops = FlopsOf(graph_, op, op.lets[k].value);
          if (uniform[k] || flops == 0 || !IsFloating(op.lets[k].type)) continue;
          Value& value = values_[lets[k]];
          const bool again = !value.uses.empty() && value.uses.back().node == node;
          if (again) continue;  // the same twice in one operator: only the first counts
          value.flops = flops;
          value.uses.push_back({part, node, k});
        }
      }
    }
  }

  void Visit(const Value& value) {
    std::vector<Use> uses;
    std::set<std::size_t> parts;
    for (const Use& use : value.uses) {
      const Operator& op = At(use.node);
      if (!LetsOf(graph_, op, op.value)[use.let]) continue;  // a stored let had it
      uses.push_back(use);
      parts.insert(use.part);
    }
    if (parts.size() < 2) return;
    const Operator& first = At(uses.front().node);
    const Let& let = first.lets[uses.front().let];
    CrossingValue crossing{let.name, false, static_cast<int>(parts.size()), value.flops};
    const bool possible = std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return At(use.node).target == first.target && Covers(first, At(use.node));
    });
    const double saved = static_cast<double>(value.flops) * static_cast<double>(parts.size() - 1);
    const double moved = SizeInBytes(let.type) * static_cast<double>(parts.size());
    crossing.stored = possible && rule_.Stores(saved, moved);
    if (crossing.stored) Store(uses);
    crossings_.push_back(std::move(crossing));
  }

  void Store(const std::vector<Use>& uses) {
    const Use host = uses.front();
    const auto op = At(host.node);
    const Let& let = op.lets[host.let];
    const VersionId stored = AddPointOperator(graph_, stretch_.region, host.node, let.name,
                                              CopyBody(graph_, op, let.value));
    std::vector<NodeId>& part = stretch_.parts[host.part];
    part.insert(std::find(part.begin(), part.end(), host.node), graph_.versions[stored].node);
    for (const Use& use : uses) {
      const ExprId read =
          graph_.exprs.Add({Access{stored, At(use.node).target, {}}, let.type, let.span});
      std::get<Operator>(graph_.nodes[use.node]).lets[use.let].value = read;
      changed_.insert(use.node);
    }
  }

  Graph& graph_;
  Stretch& stretch_;
  const CrossingRule& rule_;
  std::map<int, Value> values_;
  std::set<NodeId> changed_;
  std::vector<CrossingValue> crossings_;
};

}  // namespace

std::string_view ToString(Crossing crossing) {
  switch (crossing) {
    case Crossing::Recompute:
      return "recompute";
    case Crossing::Store:
      return "store";
    case Crossing::Cheaper:
      return "cheaper";
  }
  return "";
}

bool CrossingRule::Stores(double flops, double bytes) const {
  switch (crossing) {
    case Crossing::Recompute:
      return false;
    case Crossing::Store:
      return true;
    case Crossing::Cheaper:
      return flops > flops_per_byte * bytes;
  }
  return false;
}

std::vector<CrossingValue> StoreLets(Graph& graph, Stretch& stretch, const CrossingRule& rule) {
  return LetStorer(graph, stretch, rule).Run();
}

}  // namespace stencilgen::passes
