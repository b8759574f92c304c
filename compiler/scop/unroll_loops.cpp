#include "scop/unroll_loops.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

using Body = std::vector<StatementId>;

constexpr std::int64_t kMostTurns = 16;
/// Of a region, with what it had before.
constexpr std::size_t kMostStatements = 400;

class Unroller {
 public:
  explicit Unroller(Region& region) : region_(region) {
    for (const Statement& statement : region.statements) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) counters_.insert(loop->iterator);
    }
  }

  void Run() { region_.body = Unroll(region_.body); }

 private:
  /// Inner loops first.
  Body Unroll(const Body& body) {
    Body out;
    for (const StatementId id : body) {
      Statement statement = region_.statements[id];
      if (auto* branch = std::get_if<If>(&statement.node)) {
        branch->then_body = Unroll(branch->then_body);
        branch->else_body = Unroll(branch->else_body);
      }
      auto* loop = std::get_if<Loop>(&statement.node);
      if (loop != nullptr) loop->body = Unroll(loop->body);
      region_.statements[id] = statement;
      const auto turns = loop == nullptr ? std::nullopt : TurnsOf(*loop);
      if (turns && IsDistance(loop->body, loop->iterator) && FitsIn(loop->body, turns->size())) {
        for (const std::int64_t turn : *turns) Copy(loop->body, loop->iterator, turn, out);
      } else {
        out.push_back(id);
      }
    }
    return out;
  }

  std::optional<std::int64_t> NumberOf(ExprId id) const {
    return Match(
        region_.exprs[id].node, [](const Integer& n) { return std::optional(n.value); },
        [&](const Unary& n) -> std::optional<std::int64_t> {
          const auto value = NumberOf(n.operand);
          if (!value || n.op == UnaryOp::Not) return std::nullopt;
          return n.op == UnaryOp::Negate ? -*value : *value;
        },
        [&](const Binary& n) -> std::optional<std::int64_t> {
          const auto a = NumberOf(n.lhs), b = NumberOf(n.rhs);
          if (!a || !b) return std::nullopt;
          if (n.op == BinaryOp::Add) return *a + *b;
          if (n.op == BinaryOp::Sub) return *a - *b;
          if (n.op == BinaryOp::Mul) return *a * *b;
          return std::nullopt;
        },
        [](const auto&) { return std::optional<std::int64_t>(); });
  }

  /// The values of the counter, where they are few and known.
  std::optional<std::vector<std::int64_t>> TurnsOf(const Loop& loop) const {
    const auto first = NumberOf(loop.first);
    const auto bound = loop.bounds.size() == 1 ? NumberOf(loop.bounds[0].value) : std::nullopt;
    if (!first || !bound || loop.step != 1) return std::nullopt;
    const BinaryOp comparison = loop.bounds[0].comparison;
    if (comparison != BinaryOp::Less && comparison != BinaryOp::LessEqual) return std::nullopt;
    const std::int64_t end = comparison == BinaryOp::Less ? *bound : *bound + 1;
    if (end <= *first || end - *first > kMostTurns) return std::nullopt;
    std::vector<std::int64_t> turns;
    for (std::int64_t turn = *first; turn < end; ++turn) turns.push_back(turn);
    return turns;
  }

  /// True where some subscript has the counter beside another one.
  bool IsDistance(const Body& body, VariableId counter) const {
    bool found = false;
    ForEachIn(body, [&](ExprId id) {
      const auto* element = std::get_if<Element>(&region_.exprs[id].node);
      if (element == nullptr) return;
      for (const ExprId subscript : element->subscripts) {
        if (!MentionsIn(region_, subscript, counter)) continue;
        ForEachExpr(region_, subscript, [&](ExprId each) {
          const auto* use = std::get_if<Use>(&region_.exprs[each].node);
          found = found || (use != nullptr && use->variable != counter &&
                            counters_.count(use->variable) > 0);
        });
      }
    });
    return found;
  }

  void ForEachIn(const Body& body, const std::function<void(ExprId)>& visit) const {
    for (const StatementId id : body) {
      const Parts parts = PartsOf(region_, id);
      for (const ExprId expr : parts.exprs) ForEachExpr(region_, expr, visit);
      for (const Body* inner : parts.bodies) ForEachIn(*inner, visit);
    }
  }

  bool FitsIn(const Body& body, std::size_t turns) {
    const std::size_t more = turns * body.size();
    if (region_.statements.size() + more > kMostStatements) return false;
    return std::none_of(body.begin(), body.end(), [&](StatementId id) {
      return std::holds_alternative<Loop>(region_.statements[id].node);
    });
  }

  void Copy(const Body& body, VariableId counter, std::int64_t turn, Body& out) {
    for (const StatementId id : body) {
      Statement statement = region_.statements[id];
      const auto copy = [&](ExprId expr) { return Copied(expr, counter, turn); };
      Match(
          statement.node,
          [&](Assign& n) {
            n.target = copy(n.target);
            n.value = copy(n.value);
            n.extremum.reset();
          },
          [&](Define& n) {
            if (n.value) n.value = copy(*n.value);
          },
          [&](If& n) {
            n.condition = copy(n.condition);
            Body then_body, else_body;
            Copy(n.then_body, counter, turn, then_body);
            Copy(n.else_body, counter, turn, else_body);
            n.then_body = std::move(then_body);
            n.else_body = std::move(else_body);
          },
          [](auto&) {});
      out.push_back(region_.statements.Add(std::move(statement)));
    }
  }

  /// The expression where the counter has that value.
  ExprId Copied(ExprId id, VariableId counter, std::int64_t turn) {
    Expr expr = region_.exprs[id];
    if (const auto* use = std::get_if<Use>(&expr.node); use != nullptr) {
      if (use->variable == counter) expr.node = Integer{turn};
      return AddExpr(region_, std::move(expr));
    }
    ReplaceOperands(expr, [&](ExprId part) { return Copied(part, counter, turn); });
    PutValue(expr);
    return AddExpr(region_, std::move(expr));
  }

  /// `c[3]` of a constant array is its number.
  void PutValue(Expr& expr) const {
    const auto* element = std::get_if<Element>(&expr.node);
    if (element == nullptr || region_.variables[element->variable].values.empty()) return;
    const Variable& array = region_.variables[element->variable];
    std::size_t at = 0;
    for (std::size_t d = 0; d < element->subscripts.size(); ++d) {
      const auto place = NumberOf(element->subscripts[d]);
      const auto extent = NumberOf(*array.extents[d]);
      if (!place || !extent || *place < 0 || *place >= *extent) return;
      at = at * static_cast<std::size_t>(*extent) + static_cast<std::size_t>(*place);
    }
    if (element->subscripts.size() != array.extents.size()) return;
    Match(
        array.values[at], [&](std::int64_t value) { expr.node = Integer{value}; },
        [&](double value) { expr.node = Floating{value}; });
  }

  Region& region_;
  std::set<VariableId> counters_;
};

}  // namespace

void UnrollLoops(Region& region) {
  Unroller(region).Run();
}

}  // namespace stencilgen::scop
