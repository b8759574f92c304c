#include "scop/extrema.h"

#include <utility>

#include "scop/affine.h"
#include "scop/scalar_uses.h"

namespace stencilgen::scop {
namespace {

class ExtremumFinder {
 public:
  explicit ExtremumFinder(Region& region) : region_(region) {}

  void Run() {
    for (const StatementId id : region_.statements.Ids()) {
      if (const auto* branch = std::get_if<If>(&region_.statements[id].node)) {
        if (auto assign = FromBranch(*branch)) region_.statements[id].node = *assign;
      }
      auto* assign = std::get_if<Assign>(&region_.statements[id].node);
      if (assign == nullptr || assign->update || !IsScalar(assign->target)) continue;
      assign->extremum = Find(*assign);
    }
  }

 private:
  bool IsScalar(ExprId id) const {
    return std::holds_alternative<Use>(region_.exprs[id].node) &&
           IsArithmetic(region_.exprs[id].type);
  }
  static bool IsArithmetic(CType type) { return type == CType::Int || IsFloating(type); }

  /// `if (x > m) m = x;`
  std::optional<Assign> FromBranch(const If& branch) {
    if (branch.then_body.size() != 1 || !branch.else_body.empty()) return std::nullopt;
    const Statement inner = region_.statements[branch.then_body[0]];
    const auto* assign = std::get_if<Assign>(&inner.node);
    if (assign == nullptr || assign->update || !IsScalar(assign->target)) return std::nullopt;
    const CType type = region_.exprs[assign->target].type;
    if (region_.exprs[assign->value].type != type) return std::nullopt;
    const Conditional choice{branch.condition, assign->value, assign->target};
    if (!OfChoice(assign->target, choice)) return std::nullopt;
    return Assign{assign->target, std::nullopt, AddExpr(region_, {choice, type, inner.span})};
  }

  std::optional<Extremum> Find(const Assign& assign) const {
    const auto& node = region_.exprs[assign.value].node;
    if (const auto* choice = std::get_if<Conditional>(&node))
      return OfChoice(assign.target, *choice);
    const auto* call = std::get_if<Call>(&node);
    if (call == nullptr || (call->function != "min" && call->function != "max")) {
      return std::nullopt;
    }
    const ExprId a = call->arguments[0], b = call->arguments[1];
    if (Same(a, assign.target)) return Of(assign.target, call->function == "max", b);
    if (Same(b, assign.target)) return Of(assign.target, call->function == "max", a);
    return std::nullopt;
  }

  /// `x > m ? x : m`, and the like.
  std::optional<Extremum> OfChoice(ExprId target, const Conditional& choice) const {
    const auto* compare = std::get_if<Binary>(&region_.exprs[choice.condition].node);
    if (compare == nullptr) return std::nullopt;
    const bool less = compare->op == BinaryOp::Less || compare->op == BinaryOp::LessEqual;
    const bool more = compare->op == BinaryOp::Greater || compare->op == BinaryOp::GreaterEqual;
    if (!less && !more) return std::nullopt;
    const bool taken_left = Same(compare->lhs, choice.then_value);
    const bool crossed = Same(compare->rhs, choice.then_value);
    const ExprId other = taken_left ? compare->rhs : compare->lhs;
    if ((!taken_left && !crossed) || !Same(other, choice.else_value)) return std::nullopt;
    const bool largest = taken_left == more;
    const bool keeps = Same(choice.else_value, target);
    if (!keeps && !Same(choice.then_value, target)) return std::nullopt;
    return Of(target, largest, keeps ? choice.then_value : choice.else_value);
  }

  std::optional<Extremum> Of(ExprId target, bool largest, ExprId operand) const {
    const VariableId scalar = std::get<Use>(region_.exprs[target].node).variable;
    if (MentionsIn(region_, operand, scalar)) return std::nullopt;
    return Extremum{largest, operand};
  }

  bool Same(ExprId a, ExprId b) const { return TextOf(region_, a) == TextOf(region_, b); }

  Region& region_;
};

}  // namespace

void FindExtrema(Region& region) {
  ExtremumFinder(region).Run();
}

}  // namespace stencilgen::scop
