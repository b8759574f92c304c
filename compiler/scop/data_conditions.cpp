#include "scop/data_conditions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "scop/affine.h"
#include "scop/changes.h"
#include "scop/model.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

using Body = std::vector<StatementId>;

/// Makes one assignment of the two of an `if`.
class BranchJoiner {
 public:
  /// `affine`: also where the condition is.
  BranchJoiner(Region& region, bool affine)
      : region_(region), changes_(FindChanges(region)), affine_(affine) {}

  /// Whether some were joined.
  bool Run() {
    Join(region_.body);
    return joined_;
  }

 private:
  void Join(const Body& body) {
    for (const StatementId id : body) {
      const Statement statement = region_.statements[id];
      if (const auto* loop = std::get_if<Loop>(&statement.node)) {
        loops_.push_back(id);
        Join(loop->body);
        loops_.pop_back();
      } else if (const auto* branch = std::get_if<If>(&statement.node)) {
        Join(branch->then_body);
        Join(branch->else_body);
        if (auto joined = Joined(*branch)) {
          region_.statements[id].node = *joined;
          joined_ = true;
        }
      }
    }
  }

  std::optional<Assign> Joined(const If& branch) {
    if (branch.then_body.size() != 1 || branch.else_body.size() != 1) return std::nullopt;
    const Statement then_statement = region_.statements[branch.then_body[0]];
    const Statement else_statement = region_.statements[branch.else_body[0]];
    const auto* a = std::get_if<Assign>(&then_statement.node);
    const auto* b = std::get_if<Assign>(&else_statement.node);
    if (a == nullptr || b == nullptr) return std::nullopt;
    if (TextOf(region_, a->target) != TextOf(region_, b->target)) return std::nullopt;
    if (!affine_) {
      AffineReader reader(region_, changes_.assigned, changes_.inlined);
      if (reader.Condition(branch.condition, ScopeOf(region_, loops_))) return std::nullopt;
    }
    const CType type = region_.exprs[a->target].type;
    if (!IsFloating(type) && !IsComplex(type) && type != CType::Int) return std::nullopt;
    const Span span = then_statement.span;
    const Conditional choice{branch.condition, NewValue(*a, type), NewValue(*b, type)};
    return Assign{a->target, std::nullopt, AddExpr(region_, {choice, type, span})};
  }

  /// What the assignment leaves in its target.
  ExprId NewValue(const Assign& assign, CType type) {
    ExprId value = assign.value;
    if (assign.update) {
      const CType common = std::max({type, region_.exprs[value].type, CType::Int});
      value = AddExpr(region_, {Binary{*assign.update, assign.target, value}, common,
                                region_.exprs[value].span});
    }
    const Expr expr = region_.exprs[value];
    return expr.type == type ? value : AddExpr(region_, {Cast{value}, type, expr.span});
  }

  Region& region_;
  Changes changes_;
  bool affine_;
  bool joined_ = false;
  Body loops_;
};

/// Puts conditions into scalars.
class ConditionKeeper {
 public:
  explicit ConditionKeeper(Region& region) : region_(region) {}

  void Run() { region_.body = Keep(region_.body); }

 private:
  Body Keep(const Body& body) {
    Body out;
    for (const StatementId id : body) {
      const Statement statement = region_.statements[id];
      if (const auto* loop = std::get_if<Loop>(&statement.node)) {
        Body inner = Keep(loop->body);
        std::get<Loop>(region_.statements[id].node).body = std::move(inner);
      } else if (const auto* branch = std::get_if<If>(&statement.node)) {
        Body then_body = Keep(branch->then_body);
        Body else_body = Keep(branch->else_body);
        ExprId condition = branch->condition;
        if (Changes(*branch)) {
          const VariableId kept = AddScalar(region_.exprs[condition].span);
          out.push_back(region_.statements.Add(
              {Define{kept, Truth(condition)}, region_.exprs[condition].span}));
          condition = AddExpr(region_, {Use{kept}, CType::Bool, region_.exprs[condition].span});
        }
        region_.statements[id].node = If{condition, std::move(then_body), std::move(else_body)};
      }
      out.push_back(id);
    }
    return out;
  }

  /// Something under the condition assigns what it names, and something follows under it.
  bool Changes(const If& branch) const {
    std::size_t count = 0;
    bool changes = false, loops = false;
    const auto look = [&](const Body& body, const auto& self) -> void {
      for (const StatementId id : body) {
        Match(
            region_.statements[id].node,
            [&](const Assign& n) {
              ++count;
              changes = changes || MentionsIn(region_, branch.condition, VariableOf(n.target));
            },
            [&](const Define& n) { count += n.value.has_value(); },
            [&](const If& n) {
              self(n.then_body, self);
              self(n.else_body, self);
            },
            [&](const auto&) { loops = true; });
      }
    };
    look(branch.then_body, look);
    look(branch.else_body, look);
    return changes && count > 1 && !loops;
  }

  VariableId VariableOf(ExprId target) const {
    const auto& node = region_.exprs[target].node;
    const auto* use = std::get_if<Use>(&node);
    return use != nullptr ? use->variable : std::get<Element>(node).variable;
  }

  ExprId Truth(ExprId id) {
    const Expr expr = region_.exprs[id];
    const auto* binary = std::get_if<Binary>(&expr.node);
    const bool truth = binary != nullptr && (IsComparison(binary->op) || IsLogical(binary->op));
    if (truth || expr.type == CType::Bool) return id;
    const ExprId zero = AddExpr(region_, {Integer{0}, CType::Int, expr.span});
    return AddExpr(region_, {Binary{BinaryOp::NotEqual, id, zero}, CType::Int, expr.span});
  }

  VariableId AddScalar(Span span) {
    Variable variable;
    variable.text = "condition";
    variable.name = FreeName(region_, "condition");
    variable.type = CType::Bool;
    variable.is_local = true;
    variable.used = span;
    return region_.variables.Add(std::move(variable));
  }

  Region& region_;
};

}  // namespace

void PrepareDataConditions(Region& region) {
  BranchJoiner(region, false).Run();
  ConditionKeeper(region).Run();
}

bool JoinBranches(Region& region) {
  return BranchJoiner(region, true).Run();
}

}  // namespace stencilgen::scop
