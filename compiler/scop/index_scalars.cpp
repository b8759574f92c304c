#include "scop/index_scalars.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"
#include "scop/scalar_uses.h"

namespace stencilgen::scop {
namespace {

using Body = std::vector<StatementId>;

/// What a statement sets a scalar to; empty where it sets it to nothing, or another one.
std::optional<ExprId> ValueFor(const Region& region, StatementId id, VariableId scalar) {
  const Statement& statement = region.statements[id];
  if (const auto* assign = std::get_if<Assign>(&statement.node)) {
    const auto* use = std::get_if<Use>(&region.exprs[assign->target].node);
    if (use != nullptr && use->variable == scalar) return assign->value;
  }
  const auto* define = std::get_if<Define>(&statement.node);
  if (define != nullptr && define->variable == scalar) return define->value;
  return std::nullopt;
}

bool SetsIn(const Region& region, const Body& body, VariableId scalar) {
  for (const StatementId id : body) {
    if (ValueFor(region, id, scalar)) return true;
    for (const Body* inner : PartsOf(region, id).bodies) {
      if (SetsIn(region, *inner, scalar)) return true;
    }
  }
  return false;
}

class Separator {
 public:
  explicit Separator(Region& region) : region_(region) {
    for (const ExprId id : region.exprs.Ids()) {
      const auto* element = std::get_if<Element>(&region.exprs[id].node);
      if (element == nullptr) continue;
      for (const ExprId subscript : element->subscripts) {
        ForEachExpr(region, subscript, [&](ExprId each) {
          const auto* use = std::get_if<Use>(&region.exprs[each].node);
          if (use != nullptr) in_subscripts_.insert(use->variable);
        });
      }
    }
    for (const Statement& statement : region.statements) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) counters_.insert(loop->iterator);
    }
  }

  void Run() {
    for (const StatementId id : region_.statements.Ids()) JoinBranches(id);
    // One may be set to a sum of others.
    while (Separate()) {
    }
  }

 private:
  /// `if (w < 0) w = n - 1;` sets a subscript to a choice of values.
  void JoinBranches(StatementId id) {
    const auto* branch = std::get_if<If>(&region_.statements[id].node);
    if (branch == nullptr || branch->then_body.size() != 1 || branch->else_body.size() > 1) return;
    const auto assignment = [&](const Body& body) -> const Assign* {
      return body.empty() ? nullptr : std::get_if<Assign>(&region_.statements[body[0]].node);
    };
    const auto scalar = [&](const Assign& assign) -> std::optional<VariableId> {
      const auto* use = std::get_if<Use>(&region_.exprs[assign.target].node);
      if (use == nullptr || assign.update || in_subscripts_.count(use->variable) == 0) return {};
      return use->variable;
    };
    const Assign* yes = assignment(branch->then_body);
    const Assign* no = assignment(branch->else_body);
    const auto set = yes == nullptr ? std::nullopt : scalar(*yes);
    if (!set || !IsInteger(region_.exprs[yes->target].type)) return;
    if (!branch->else_body.empty() && (no == nullptr || scalar(*no) != set)) return;
    const Expr old = region_.exprs[yes->target];
    const Conditional choice{branch->condition, yes->value,
                             no == nullptr ? AddExpr(region_, old) : no->value};
    const Assign joined{yes->target, std::nullopt, AddExpr(region_, {choice, old.type, old.span})};
    region_.statements[id].node = joined;
  }

  bool Separate() {
    bool any = false;
    changes_ = FindChanges(region_);
    const std::size_t count = region_.variables.size();
    for (std::size_t k = 0; k < count; ++k) {
      const VariableId id{static_cast<std::uint32_t>(k)};
      const Variable& variable = region_.variables[id];
      if (!variable.extents.empty() || !IsInteger(variable.type) || variable.used_after ||
          in_subscripts_.count(id) == 0 || counters_.count(id) > 0 || done_.count(id) > 0 ||
          !IsSet(id)) {
        continue;
      }
      if (!IsCovered(region_.body, id, false)) continue;
      Rename(Body(region_.body), id, std::nullopt);
      done_.insert(id);
      any = true;
    }
    return any;
  }

  /// True where assignments alone set it, to sums and choices of integers.
  bool IsSet(VariableId scalar) const {
    bool assigned = false;
    for (const StatementId id : region_.statements.Ids()) {
      const auto* assign = std::get_if<Assign>(&region_.statements[id].node);
      const auto value = ValueFor(region_, id, scalar);
      if (!value) continue;
      if (assign != nullptr && assign->update) return false;
      if (assign == nullptr && MentionsIn(region_, *value, scalar)) return false;
      assigned = assigned || assign != nullptr;
      bool simple = true;
      ForEachExpr(region_, *value, [&](ExprId each) {
        const Expr& expr = region_.exprs[each];
        simple = simple && IsInteger(expr.type) && !std::holds_alternative<Element>(expr.node) &&
                 !std::holds_alternative<Cast>(expr.node);
      });
      if (!simple) return false;
    }
    return assigned;
  }

  /// True where each use follows a statement that sets the scalar in the same body or one around,
  /// with none in between that may set it. `set`: there is one before the body.
  bool IsCovered(const Body& body, VariableId scalar, bool set) {
    for (const StatementId id : body) {
      if (const auto value = ValueFor(region_, id, scalar)) {
        if (!StaysTheSame(*value, scalar)) return false;
        if (!set && MentionsIn(region_, *value, scalar)) return false;
        set = true;
        continue;
      }
      const Parts parts = PartsOf(region_, id);
      for (const ExprId expr : parts.exprs) {
        if (!set && MentionsIn(region_, expr, scalar)) return false;
      }
      const bool changes = [&] {
        for (const Body* inner : parts.bodies) {
          if (SetsIn(region_, *inner, scalar)) return true;
        }
        return false;
      }();
      const auto* loop = std::get_if<Loop>(&region_.statements[id].node);
      if (loop != nullptr) around_.push_back(loop->iterator);
      bool covered = true;
      for (const Body* inner : parts.bodies) {
        covered = covered && IsCovered(*inner, scalar, set && !changes);
      }
      if (loop != nullptr) around_.pop_back();
      if (!covered) return false;
      if (changes) set = false;
    }
    return true;
  }

  /// True where the value is made of sizes, of counters of loops around, and of what is defined
  /// once, or of what the scalar was before: so it is the same wherever it is read.
  bool StaysTheSame(ExprId value, VariableId scalar) const {
    bool same = true;
    ForEachExpr(region_, value, [&](ExprId each) {
      const auto* use = std::get_if<Use>(&region_.exprs[each].node);
      if (use == nullptr) return;
      const VariableId id = use->variable;
      const bool counts = std::find(around_.begin(), around_.end(), id) != around_.end();
      same = same && (counts || id == scalar || changes_.assigned.count(id) == 0 ||
                      changes_.inlined.count(id) > 0);
    });
    return same;
  }

  /// `current`: the variable that stands for the scalar.
  void Rename(const Body& body, VariableId scalar, std::optional<VariableId> current) {
    for (const StatementId id : body) {
      if (const auto value = ValueFor(region_, id, scalar)) {
        RenameIn(*value, scalar, current);
        Variable own = region_.variables[scalar];
        own.name = FreeName(region_, own.name);
        own.is_local = true;
        current = region_.variables.Add(std::move(own));
        region_.statements[id].node = Define{*current, *value};
        continue;
      }
      for (const ExprId expr : PartsOf(region_, id).exprs) RenameIn(expr, scalar, current);
      std::vector<Body> inner;
      for (const Body* each : PartsOf(region_, id).bodies) inner.push_back(*each);
      for (const Body& each : inner) Rename(each, scalar, current);
    }
  }

  void RenameIn(ExprId root, VariableId scalar, std::optional<VariableId> current) {
    ForEachExpr(region_, root, [&](ExprId each) {
      auto* use = std::get_if<Use>(&region_.exprs[each].node);
      if (use != nullptr && use->variable == scalar) use->variable = *current;
    });
  }

  Region& region_;
  std::set<VariableId> in_subscripts_, counters_, done_;
  Changes changes_;
  std::vector<VariableId> around_;  ///< counters of the loops around the present place
};

}  // namespace

void SeparateIndices(Region& region) {
  Separator(region).Run();
}

}  // namespace stencilgen::scop
