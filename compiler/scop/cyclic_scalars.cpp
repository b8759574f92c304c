#include "scop/cyclic_scalars.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"
#include "scop/evaluate.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

using Body = std::vector<StatementId>;

/// Turns after which the values must be the first ones again.
constexpr std::size_t kLongestCycle = 6;

struct Setting {
  VariableId scalar;
  ExprId value;
  std::optional<BinaryOp> update;
};

/// What a statement sets a scalar without subscripts to.
std::optional<Setting> SettingOf(const Region& region, StatementId id) {
  const auto& node = region.statements[id].node;
  if (const auto* define = std::get_if<Define>(&node)) {
    if (!define->value) return std::nullopt;
    return Setting{define->variable, *define->value, std::nullopt};
  }
  const auto* assign = std::get_if<Assign>(&node);
  const auto* use =
      assign == nullptr ? nullptr : std::get_if<Use>(&region.exprs[assign->target].node);
  if (use == nullptr) return std::nullopt;
  return Setting{use->variable, assign->value, assign->update};
}

void Set(const Region& region, const Setting& setting, Values& values) {
  auto value = Evaluate(region, setting.value, values);
  if (value && setting.update) {
    const auto old = values.find(setting.scalar);
    value = old == values.end() ? std::nullopt : Apply(*setting.update, old->second, *value);
  }
  values.erase(setting.scalar);
  if (value && Holds(region.variables[setting.scalar].type, *value))
    values[setting.scalar] = *value;
}

class Replacer {
 public:
  explicit Replacer(Region& region) : region_(region) {
    for (const Statement& statement : region.statements) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) counters_.insert(loop->iterator);
    }
  }

  void Run() { Visit(region_.body, true); }

 private:
  /// A loop that has been looked at: what is known of its scalars.
  struct Cycle {
    std::set<VariableId> scalars;
    std::vector<Values> turns;  ///< at the beginning of each turn of one cycle
    Values assumed;             ///< of those, from outside of the region
    std::set<StatementId> initial;
    bool read_after = false;  ///< behind the loop statements read what it leaves
  };

  void Visit(Body& body, bool outermost) {
    for (std::size_t at = 0; at < body.size(); ++at) {
      Statement statement = region_.statements[body[at]];
      if (auto* branch = std::get_if<If>(&statement.node)) {
        Visit(branch->then_body, false);
        Visit(branch->else_body, false);
      }
      auto* loop = std::get_if<Loop>(&statement.node);
      if (loop != nullptr) {
        const auto cycle = FindCycle(body, at, *loop, outermost);
        const Body after(body.begin() + static_cast<std::ptrdiff_t>(at) + 1, body.end());
        if (cycle && Replace(*loop, body[at], after, *cycle)) {
          const auto is_initial = [&](StatementId id) { return cycle->initial.count(id) > 0; };
          at -= static_cast<std::size_t>(std::count_if(
              body.begin(), body.begin() + static_cast<std::ptrdiff_t>(at), is_initial));
          body.erase(std::remove_if(body.begin(), body.end(), is_initial), body.end());
        }
        Visit(loop->body, false);
      }
      region_.statements[body[at]] = std::move(statement);
    }
  }

  /// Integers that the loop's own statements set to values of themselves alone.
  std::set<VariableId> Candidates(const Loop& loop) const {
    std::set<VariableId> set, refused;
    for (const StatementId id : loop.body) {
      const auto setting = SettingOf(region_, id);
      if (!setting) {
        NoteSet(id, refused);
        continue;
      }
      const Variable& variable = region_.variables[setting->scalar];
      if (IsInteger(variable.type) && counters_.count(setting->scalar) == 0) {
        set.insert(setting->scalar);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const StatementId id : loop.body) {
        const auto setting = SettingOf(region_, id);
        if (!setting || set.count(setting->scalar) == 0) continue;
        bool own = refused.count(setting->scalar) == 0;
        ForEachExpr(region_, setting->value, [&](ExprId part) {
          const auto& node = region_.exprs[part].node;
          const auto* use = std::get_if<Use>(&node);
          if (use != nullptr && set.count(use->variable) == 0) own = false;
          if (std::holds_alternative<Element>(node)) own = false;
        });
        if (own) continue;
        set.erase(setting->scalar);
        changed = true;
      }
    }
    return set;
  }

  /// The scalars that statements inside of this one set.
  void NoteSet(StatementId id, std::set<VariableId>& set) const {
    for (const Body* body : PartsOf(region_, id).bodies) {
      for (const StatementId inner : *body) {
        if (const auto setting = SettingOf(region_, inner)) set.insert(setting->scalar);
        NoteSet(inner, set);
      }
    }
  }

  std::optional<Cycle> FindCycle(const Body& around, std::size_t at, const Loop& loop,
                                 bool outermost) const {
    const auto* first = std::get_if<Integer>(&region_.exprs[loop.first].node);
    if (loop.step != 1 || first == nullptr || first->value < 0) return std::nullopt;
    Cycle cycle;
    cycle.scalars = Candidates(loop);
    if (cycle.scalars.empty()) return std::nullopt;
    std::set<VariableId> carried;  // what is read from turn to turn
    for (const VariableId scalar : cycle.scalars) {
      if (!SetsBeforeReading(region_, loop.body, scalar)) carried.insert(scalar);
    }
    const Body before(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(at));
    const Body after(around.begin() + static_cast<std::ptrdiff_t>(at) + 1, around.end());
    Values values;
    for (const VariableId scalar : cycle.scalars) {
      const bool needed = carried.count(scalar) > 0;
      if (!needed && region_.variables[scalar].used_after) return std::nullopt;
      if (!Begin(before, needed, scalar, outermost, cycle, values)) return std::nullopt;
      if (!EndsHere(after, scalar)) {
        const bool known = outermost && carried.count(scalar) > 0 && !SetsIn(after, scalar);
        if (!known || !CountsTurns(loop)) return std::nullopt;
        cycle.read_after = true;
      }
      if (!outermost && NamedOutside(around, scalar)) return std::nullopt;
    }
    const auto only_carried = [&](const Values& all) {
      Values out;
      for (const auto& [scalar, value] : all) {
        if (carried.count(scalar) > 0) out[scalar] = value;
      }
      return out;
    };
    values = only_carried(values);
    do {
      cycle.turns.push_back(only_carried(values));
      for (const StatementId id : loop.body) {
        const auto setting = SettingOf(region_, id);
        if (setting && cycle.scalars.count(setting->scalar) > 0) Set(region_, *setting, values);
      }
      if (cycle.turns.size() > kLongestCycle) return std::nullopt;
    } while (only_carried(values) != cycle.turns[0]);  // it must come back
    return cycle;
  }

  /// Finds the first value. False where it is not known, and is needed.
  bool Begin(const Body& before, bool needed, VariableId scalar, bool outermost, Cycle& cycle,
             Values& values) const {
    const Variable& variable = region_.variables[scalar];
    for (std::size_t k = before.size(); k-- > 0;) {
      const auto setting = SettingOf(region_, before[k]);
      if (setting && setting->scalar == scalar) {
        const auto value =
            setting->update ? std::nullopt : Evaluate(region_, setting->value, values);
        if (!value) return false;
        values[scalar] = *value;
        cycle.initial.insert(before[k]);
        return true;
      }
      if (Mentions(region_, before[k], scalar)) return false;
    }
    if (!needed) return true;
    if (!outermost || variable.is_local) return false;
    values[scalar] = variable.first_value.value_or(0);
    cycle.assumed[scalar] = values[scalar];
    return true;
  }

  /// Nothing behind the loop reads what it leaves in the scalar.
  bool EndsHere(const Body& after, VariableId scalar) const {
    for (const StatementId id : after) {
      if (!Mentions(region_, id, scalar)) continue;
      const auto setting = SettingOf(region_, id);
      return setting && setting->scalar == scalar && !setting->update &&
             !MentionsIn(region_, setting->value, scalar);
    }
    return true;
  }

  bool SetsIn(const Body& body, VariableId scalar) const {
    std::set<VariableId> set;
    for (const StatementId id : body) {
      if (const auto setting = SettingOf(region_, id)) set.insert(setting->scalar);
      NoteSet(id, set);
    }
    return set.count(scalar) > 0;
  }

  /// True where the bound of the loop, which the region does not change, says how often it runs.
  bool CountsTurns(const Loop& loop) const {
    if (loop.bounds.size() != 1 || (loop.bounds[0].comparison != BinaryOp::Less &&
                                    loop.bounds[0].comparison != BinaryOp::LessEqual)) {
      return false;
    }
    const Changes changes = FindChanges(region_);
    bool fixed = true;
    ForEachExpr(region_, loop.bounds[0].value, [&](ExprId part) {
      const auto* use = std::get_if<Use>(&region_.exprs[part].node);
      fixed = fixed && (use == nullptr || changes.assigned.count(use->variable) == 0);
    });
    return fixed;
  }

  bool NamedOutside(const Body& around, VariableId scalar) const {
    if (region_.variables[scalar].used_after) return true;
    return CountIn(region_.body, scalar) != CountIn(around, scalar);
  }

  std::size_t CountIn(const Body& body, VariableId scalar) const {
    std::size_t count = 0;
    for (const StatementId id : body) {
      const Parts parts = PartsOf(region_, id);
      for (const ExprId expr : parts.exprs) count += MentionsIn(region_, expr, scalar);
      const auto setting = SettingOf(region_, id);
      count += setting && setting->scalar == scalar;
      for (const Body* inner : parts.bodies) count += CountIn(*inner, scalar);
    }
    return count;
  }

  /// Puts functions of the counter into the loop's body, and of the number of turns into the
  /// statements behind it. False, and nothing has changed, where a value is none.
  bool Replace(Loop& loop, StatementId id, const Body& after, const Cycle& cycle) {
    loop_ = &loop;
    cycle_ = &cycle;
    possible_ = true;
    at_end_ = false;
    Body body;
    std::vector<Values> now = cycle.turns;
    std::vector<std::pair<StatementId, Statement>> changed;
    for (const StatementId each : loop.body) {
      const auto setting = SettingOf(region_, each);
      if (setting && cycle.scalars.count(setting->scalar) > 0) {
        for (Values& values : now) Set(region_, *setting, values);
        continue;
      }
      body.push_back(each);
      Change(each, now, changed);
    }
    at_end_ = true;
    if (cycle.read_after) {
      for (const StatementId each : after) Change(each, cycle.turns, changed);
    }
    if (!possible_) return false;
    for (auto& [at, statement] : changed) region_.statements[at] = std::move(statement);
    loop.body = std::move(body);
    for (const VariableId scalar : cycle.scalars) {
      if (!region_.variables[scalar].used_after) continue;
      std::vector<std::int64_t> values;
      for (const Values& turn : cycle.turns) values.push_back(turn.at(scalar));
      region_.left.push_back({scalar, id, std::move(values)});
    }
    for (const auto& [scalar, value] : cycle.assumed) region_.assumed.emplace_back(scalar, value);
    return true;
  }

  void Change(StatementId id, const std::vector<Values>& now,
              std::vector<std::pair<StatementId, Statement>>& changed) {
    Statement statement = region_.statements[id];
    const auto change = [&](ExprId& expr) { expr = Changed(expr, now); };
    const auto inner = [&](const Body& body) {
      for (const StatementId each : body) Change(each, now, changed);
    };
    Match(
        statement.node,
        [&](Assign& n) {
          change(n.target);
          change(n.value);
        },
        [&](Define& n) {
          if (n.value) change(*n.value);
        },
        [&](Loop& n) {
          change(n.first);
          for (Bound& bound : n.bounds) change(bound.value);
          inner(n.body);
        },
        [&](If& n) {
          change(n.condition);
          inner(n.then_body);
          inner(n.else_body);
        },
        [](Swap&) {});
    changed.emplace_back(id, std::move(statement));
  }

  ExprId Changed(ExprId id, const std::vector<Values>& now) {
    const bool names =
        std::any_of(cycle_->scalars.begin(), cycle_->scalars.end(),
                    [&](VariableId scalar) { return MentionsIn(region_, id, scalar); });
    if (!names) return id;
    Expr expr = region_.exprs[id];
    std::vector<std::int64_t> values;
    for (const Values& turn : now) {
      if (const auto value = Evaluate(region_, id, turn)) values.push_back(*value);
    }
    if (values.size() == now.size()) {
      if (const auto function = FunctionOf(values, expr.span)) return *function;
    }
    if (std::holds_alternative<Use>(expr.node)) possible_ = false;
    ReplaceOperands(expr, [&](ExprId part) { return Changed(part, now); });
    return AddExpr(region_, std::move(expr));
  }

  ExprId Number(std::int64_t value, Span span) {
    return AddExpr(region_, {Integer{value}, CType::Int, span});
  }

  /// The counter; behind the loop the value at which it ends.
  ExprId Turn(Span span) {
    if (!at_end_) return AddExpr(region_, {Use{loop_->iterator}, CType::Int, span});
    const Bound& end = loop_->bounds[0];
    if (end.comparison == BinaryOp::Less) return end.value;
    return AddExpr(region_, {Binary{BinaryOp::Add, end.value, Number(1, span)}, CType::Int, span});
  }

  /// The expression of the loop's counter that has these values, turn by turn and again: a number,
  /// `(t + 1) % 3`, or a choice of two.
  std::optional<ExprId> FunctionOf(const std::vector<std::int64_t>& values, Span span) {
    std::size_t period = 1;
    const auto repeats = [&] {
      for (std::size_t k = period; k < values.size(); ++k) {
        if (values[k] != values[k - period]) return false;
      }
      return values.size() % period == 0;
    };
    while (!repeats()) ++period;
    if (period == 1) return Number(values[0], span);
    const auto size = static_cast<std::int64_t>(period);
    bool counts = true;
    for (std::size_t k = 0; k < period; ++k) {
      counts = counts && values[k] == (values[0] + static_cast<std::int64_t>(k)) % size &&
               values[k] >= 0;
    }
    if (!counts && period != 2) return std::nullopt;
    const std::int64_t first = std::get<Integer>(region_.exprs[loop_->first].node).value;
    const std::int64_t at_zero = counts ? values[0] : 0;
    const std::int64_t shift = ((at_zero - first) % size + size) % size;
    ExprId turn = Turn(span);
    if (shift != 0) {
      turn = AddExpr(region_, {Binary{BinaryOp::Add, turn, Number(shift, span)}, CType::Int, span});
    }
    turn = AddExpr(region_, {Binary{BinaryOp::Mod, turn, Number(size, span)}, CType::Int, span});
    if (counts) return turn;
    const Binary even{BinaryOp::Equal, turn, Number(0, span)};
    const Conditional choice{AddExpr(region_, {even, CType::Int, span}), Number(values[0], span),
                             Number(values[1], span)};
    return AddExpr(region_, {choice, CType::Int, span});
  }

  Region& region_;
  std::set<VariableId> counters_;
  const Loop* loop_ = nullptr;    ///< that is being changed
  const Cycle* cycle_ = nullptr;  ///< its scalars
  bool at_end_ = false;           ///< it is the values behind the loop that are put in
  bool possible_ = true;
};

}  // namespace

void ReplaceCyclicScalars(Region& region) {
  Replacer(region).Run();
}

}  // namespace stencilgen::scop
