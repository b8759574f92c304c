#include "scop/unroll_loops.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"
#include "scop/evaluate.h"
#include "scop/local_arrays.h"
#include "scop/polynomial.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

using Body = std::vector<StatementId>;

constexpr std::int64_t kMostUnrolledTurns = 27;
/// Of a region, with what it had before.
constexpr std::size_t kMostUnrolledStatements = 400;

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
      if (turns && !LeavesValue(id) && IsDistance(loop->body, loop->iterator) &&
          FitsIn(loop->body, turns->size())) {
        for (const std::int64_t turn : *turns) {
          renamed_.clear();
          Copy(loop->body, loop->iterator, turn, out);
        }
      } else {
        out.push_back(id);
      }
    }
    return out;
  }

  /// The values of the counter in their order, where they are few and known.
  std::optional<std::vector<std::int64_t>> TurnsOf(const Loop& loop) const {
    const auto range = CounterRange(region_, loop);
    if (!range || range->second - range->first >= kMostUnrolledTurns) return std::nullopt;
    std::vector<std::int64_t> turns;
    for (std::int64_t turn = range->first; turn <= range->second; ++turn) turns.push_back(turn);
    if (loop.step < 0) std::reverse(turns.begin(), turns.end());
    return turns;
  }

  /// True where some subscript has the counter beside another one, with the same stride: in
  /// `u[(i + p)*n + j]` it moves by rows, as `i` does, but `c` in `u[(i*n + j)*3 + c]` does not.
  bool IsDistance(const Body& body, VariableId counter) const {
    bool found = false;
    ForEachExpr(region_, body, [&](ExprId id) {
      const auto* element = std::get_if<Element>(&region_.exprs[id].node);
      if (element == nullptr) return;
      const bool local = !LocalExtents(region_, element->variable).empty();
      for (const ExprId subscript : element->subscripts) {
        found = found || (local && MentionsIn(region_, subscript, counter));
        found = found || IsDistanceIn(subscript, counter) || IsFromTable(subscript, counter);
        // `int y = j + p < 0 ? 0 : j + p; ... u[i][y]`
        ForEachExpr(region_, subscript, [&](ExprId each) {
          const auto* use = std::get_if<Use>(&region_.exprs[each].node);
          if (use == nullptr || counters_.count(use->variable) > 0) return;
          for (const ExprId value : ValuesOf(body, use->variable)) {
            const bool beside =
                MentionsIn(region_, value, counter) && MentionsOtherCounter(subscript, counter);
            found = found || beside || IsDistanceIn(value, counter) || IsFromTable(value, counter);
          }
        });
      }
    });
    return found;
  }

  /// What statements of the body set an integer to.
  std::vector<ExprId> ValuesOf(const Body& body, VariableId scalar) const {
    std::vector<ExprId> values;
    for (const StatementId id : body) {
      const auto& node = region_.statements[id].node;
      const auto* define = std::get_if<Define>(&node);
      if (define != nullptr && define->variable == scalar && define->value) {
        values.push_back(*define->value);
      }
      const auto* assign = std::get_if<Assign>(&node);
      const auto* use =
          assign == nullptr ? nullptr : std::get_if<Use>(&region_.exprs[assign->target].node);
      if (use != nullptr && use->variable == scalar) values.push_back(assign->value);
    }
    return values;
  }

  /// `u[opposite[q]]`: the numbers of a constant array are known turn by turn.
  bool IsFromTable(ExprId subscript, VariableId counter) const {
    return AnyOfTables(subscript, [&](ExprId each) { return MentionsIn(region_, each, counter); });
  }
  bool HasTable(ExprId subscript) const {
    return AnyOfTables(subscript, [](ExprId) { return true; });
  }
  /// True where `matches` holds for some element of a constant array in the subscript.
  template <typename Matches>
  bool AnyOfTables(ExprId subscript, Matches matches) const {
    bool found = false;
    ForEachExpr(region_, subscript, [&](ExprId each) {
      const auto* element = std::get_if<Element>(&region_.exprs[each].node);
      const bool table = element != nullptr && !region_.variables[element->variable].values.empty();
      found = found || (table && matches(each));
    });
    return found;
  }

  bool IsDistanceIn(ExprId subscript, VariableId counter) const {
    if (!MentionsIn(region_, subscript, counter)) return false;
    const auto sum = ReadPolynomial(region_, subscript, [&](ExprId part) {
      const auto* use = std::get_if<Use>(&region_.exprs[part].node);
      return use == nullptr ? std::nullopt : std::optional(Polynomial{{{use->variable}, 1}});
    });
    // `cx[q]` of a constant array says how far, whatever else is there: so q is a distance.
    if (!sum) return !HasTable(subscript) && MentionsOtherCounter(subscript, counter);
    const std::map<VariableId, Polynomial> strides = StridesIn(*sum);
    const auto own = strides.find(counter);
    return own != strides.end() &&
           std::any_of(strides.begin(), strides.end(), [&](const auto& other) {
             return other.first != counter && other.second == own->second;
           });
  }

  bool MentionsOtherCounter(ExprId subscript, VariableId counter) const {
    bool found = false;
    ForEachExpr(region_, subscript, [&](ExprId each) {
      const auto* use = std::get_if<Use>(&region_.exprs[each].node);
      found = found ||
              (use != nullptr && use->variable != counter && counters_.count(use->variable) > 0);
    });
    return found;
  }

  /// What each counter is multiplied by, without its sign.
  std::map<VariableId, Polynomial> StridesIn(const Polynomial& sum) const {
    std::map<VariableId, Polynomial> strides;
    for (const auto& [product, factor] : sum) {
      for (const VariableId each : product) {
        if (counters_.count(each) == 0 || factor == 0) continue;
        strides[each] = Sum(strides[each], {{*Quotient(product, {each}), factor}}, 1);
      }
    }
    for (auto& [counter, stride] : strides) {
      if (!stride.empty() && stride.begin()->second < 0) stride = Sum({}, stride, -1);
    }
    return strides;
  }

  bool FitsIn(const Body& body, std::size_t turns) const {
    const std::optional<std::size_t> size = SizeOf(body);
    return size && region_.statements.size() + turns * *size <= kMostUnrolledStatements;
  }
  /// Statements of the body, and of what is in it; empty where some loop cannot be there twice.
  std::optional<std::size_t> SizeOf(const Body& body) const {
    std::size_t size = body.size();
    for (const StatementId id : body) {
      if (LeavesValue(id)) return std::nullopt;
      const auto& node = region_.statements[id].node;
      std::vector<const Body*> inner;
      if (const auto* loop = std::get_if<Loop>(&node)) inner = {&loop->body};
      if (const auto* branch = std::get_if<If>(&node)) {
        inner = {&branch->then_body, &branch->else_body};
      }
      for (const Body* each : inner) {
        const std::optional<std::size_t> more = SizeOf(*each);
        if (!more) return std::nullopt;
        size += *more;
      }
    }
    return size;
  }
  /// The loop is named by what it leaves in a scalar.
  bool LeavesValue(StatementId id) const {
    return std::any_of(region_.left.begin(), region_.left.end(),
                       [&](const LeftValue& left) { return left.loop == id; });
  }

  void Copy(const Body& body, VariableId counter, std::int64_t turn, Body& out) {
    for (const StatementId id : body) {
      Statement statement = region_.statements[id];
      const auto copy = [&](ExprId expr) { return Copied(expr, counter, turn); };
      if (const auto* branch = std::get_if<If>(&statement.node)) {
        // `if (q > 0)` is known in each turn.
        if (const auto known = Evaluate(region_, copy(branch->condition), {})) {
          Copy(*known != 0 ? branch->then_body : branch->else_body, counter, turn, out);
          continue;
        }
      }
      Match(
          statement.node,
          [&](Assign& n) {
            n.target = CopiedTarget(n.target, counter, turn);
            n.value = copy(n.value);
            n.extremum.reset();
          },
          [&](Define& n) {
            if (n.value) n.value = copy(*n.value);
            n.variable = OwnOfTurn(n.variable);
          },
          [&](Loop& n) {
            n.first = copy(n.first);
            for (Bound& bound : n.bounds) bound.value = copy(bound.value);
            Body inner;
            Copy(n.body, counter, turn, inner);
            n.body = std::move(inner);
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

  /// An integer that the body declares is another one in each turn: it may be a subscript.
  VariableId OwnOfTurn(VariableId declared) {
    if (!IsInteger(region_.variables[declared].type)) return declared;
    Variable own = region_.variables[declared];
    own.name = FreeName(region_, own.name);
    const VariableId variable = region_.variables.Add(std::move(own));
    renamed_[declared] = variable;
    return variable;
  }

  /// The expression where the counter has that value.
  ExprId Copied(ExprId id, VariableId counter, std::int64_t turn) {
    Expr expr = region_.exprs[id];
    if (auto* use = std::get_if<Use>(&expr.node); use != nullptr) {
      const auto renamed = renamed_.find(use->variable);
      if (renamed != renamed_.end()) use->variable = renamed->second;
      if (use->variable == counter) expr.node = Integer{turn};
      return AddExpr(region_, std::move(expr));
    }
    ReplaceOperands(expr, [&](ExprId part) { return Copied(part, counter, turn); });
    PutTableValue(region_, expr);
    return AddExpr(region_, std::move(expr));
  }
  /// The same of what is set: an element of a constant array is no number where it gets it.
  ExprId CopiedTarget(ExprId id, VariableId counter, std::int64_t turn) {
    Expr expr = region_.exprs[id];
    if (!std::holds_alternative<Element>(expr.node)) return Copied(id, counter, turn);
    ReplaceOperands(expr, [&](ExprId part) { return Copied(part, counter, turn); });
    return AddExpr(region_, std::move(expr));
  }

  Region& region_;
  std::set<VariableId> counters_;
  std::map<VariableId, VariableId> renamed_;  ///< in the turn that is being written
};

}  // namespace

void UnrollLoops(Region& region) {
  Unroller(region).Run();
}

}  // namespace stencilgen::scop
