// Scalars of a model that each iteration has for itself, and conditions that are computed again.
#include <algorithm>
#include <set>
#include <vector>

#include "scop/changes.h"
#include "scop/model_parts.h"
#include "scop/scalar_uses.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kConditionChanges{"c-condition-changes", Severity::Error,
                                             "what this condition depends on changes below it"};

/// Where one scalar is set and read.
class ScalarUses {
 public:
  ScalarUses(const Region& region, VariableId scalar) : region_(region), scalar_(scalar) {}

  /// The smallest body that holds all that names the scalar: how many loops and conditions are
  /// around it, if each of its executions sets the scalar before reading it.
  std::optional<PrivateScalar> FindPrivate() const {
    PrivateScalar found;
    const std::vector<StatementId>* body = &region_.body;
    while (const std::vector<StatementId>* inner = OnlyInside(*body, found)) body = inner;
    if (found.depth == 0 || !SetsBeforeReading(region_, *body, scalar_)) return std::nullopt;
    found.set_everywhere = SetFirst(*body);
    return found;
  }

 private:
  /// The body of the one statement that names the scalar; none where there are several.
  const std::vector<StatementId>* OnlyInside(const std::vector<StatementId>& body,
                                             PrivateScalar& found) const {
    const Statement* only = nullptr;
    for (const StatementId id : body) {
      if (!Mentions(region_, id, scalar_)) continue;
      if (only != nullptr) return nullptr;
      only = &region_.statements[id];
    }
    if (only == nullptr) return nullptr;
    if (const auto* loop = std::get_if<Loop>(&only->node)) {
      ++found.depth;
      return &loop->body;
    }
    const auto* branch = std::get_if<If>(&only->node);
    if (branch == nullptr || MentionsIn(region_, branch->condition, scalar_)) return nullptr;
    const bool in_then = MentionsIn(region_, branch->then_body, scalar_);
    if (in_then && MentionsIn(region_, branch->else_body, scalar_)) return nullptr;
    return in_then ? &branch->then_body : &branch->else_body;
  }

  /// The first statement that names the scalar sets it.
  bool SetFirst(const std::vector<StatementId>& body) const {
    for (const StatementId id : body) {
      const auto& node = region_.statements[id].node;
      const auto* define = std::get_if<Define>(&node);
      if (!Mentions(region_, id, scalar_) || (define != nullptr && !define->value)) continue;
      return define != nullptr || std::holds_alternative<Assign>(node);
    }
    return false;
  }

  const Region& region_;
  VariableId scalar_;
};

bool SharesCondition(const Step& step, const Guard& guard) {
  return std::any_of(step.guards.begin(), step.guards.end(),
                     [&](const Guard& own) { return own.condition == guard.condition; });
}

}  // namespace

void FindPrivates(Model& model) {
  model.privates.clear();
  const Region& region = *model.region;
  std::set<VariableId> scalars;
  for (const Step& step : model.steps) {
    const Variable& target = region.variables[step.target];
    if (target.extents.empty() && !target.used_after) scalars.insert(step.target);
  }
  for (const VariableId id : scalars) {
    auto found = ScalarUses(region, id).FindPrivate();
    if (!found) continue;
    // The conditions around all that names it.
    std::vector<Guard> common;
    bool first = true;
    for (const Step& step : model.steps) {
      const bool decides =
          std::any_of(step.guards.begin(), step.guards.end(),
                      [&](const Guard& guard) { return MentionsIn(region, guard.condition, id); });
      if (step.target != id && !MentionsIn(region, step.value, id) && !decides) continue;
      if (first) common = step.guards;
      first = false;
      const std::size_t size = std::min(common.size(), step.guards.size());
      common.resize(size);
      const auto ends = std::mismatch(common.begin(), common.end(), step.guards.begin());
      common.erase(ends.first, common.end());
    }
    found->guards = common.size();
    model.privates[id] = *found;
  }
}

void CheckConditions(const Model& model, DiagnosticSink& sink) {
  const Region& region = *model.region;
  for (const Step& step : model.steps) {
    for (const Guard& guard : step.guards) {
      if (guard.affine) continue;
      for (const Step& other : model.steps) {
        if (other.number >= step.number || !SharesCondition(other, guard)) continue;
        if (!MentionsIn(region, guard.condition, other.target)) continue;
        sink.Report(region.exprs[guard.condition].span, kConditionChanges)
            .Note(other.span, "by this, and something under the condition follows")
            .Hint("keep the condition in a variable before the `if`");
      }
    }
  }
}

}  // namespace stencilgen::scop
