#include "scop/model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>

#include "scop/changes.h"
#include "scop/restrict_sizes.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kConditionChanges{"c-condition-changes", Severity::Error,
                                             "what this condition depends on changes below it"};
constexpr DiagnosticKind<> kSwap{"c-swap", Severity::Error,
                                 "pointers are exchanged at the end of a loop, after all else"};
constexpr DiagnosticKind<> kNothing{"scop-empty", Severity::Error, "this region assigns nothing"};

class Builder {
 public:
  Builder(const Region& region, DiagnosticSink& sink) : region_(region), sink_(sink) {
    const Changes changes = FindChanges(region);
    model_.owner = std::shared_ptr<isl_ctx>(isl_ctx_alloc(), isl_ctx_free);
    nowhere_ = isl::map(model_.ctx(), "{ [] -> [] }");
    model_.context = isl::set(model_.ctx(), "{ : }");
    model_.region = &region;
    model_.affine = std::make_shared<AffineReader>(region, changes.assigned, changes.inlined);
  }

  std::optional<Model> Run() {
    const std::size_t errors = sink_.ErrorCount();
    Walk(region_.body);
    if (model_.steps.empty() && sink_.ErrorCount() == errors) {
      sink_.Report(region_.begin, kNothing);
    }
    FindPrivates();
    CheckConditions();
    // Names of parameters first, so that all sets have the same ones.
    for (Step& step : model_.steps) CollectTexts(step);
    if (sink_.ErrorCount() > errors) return std::nullopt;
    for (std::size_t k = 0; k < model_.steps.size(); ++k) MakeSets(model_.steps[k], texts_[k]);
    RestrictSizes(model_, sink_);
    if (sink_.ErrorCount() > errors) return std::nullopt;
    return std::move(model_);
  }

 private:
  struct Texts {
    std::string domain, loops;
    struct AccessText {
      Access access;
      std::string part;  ///< which of two memories, where pointers are exchanged
      std::string map;
    };
    std::vector<AccessText> accesses;
  };

  void Walk(const std::vector<StatementId>& body) {
    std::size_t at = 0;
    WalkInto(body, at);
  }

  /// What an `if` holds counts as what stands around it.
  void WalkInto(const std::vector<StatementId>& body, std::size_t& at) {
    for (const StatementId id : body) {
      Match(
          region_.statements[id].node,
          [&](const Assign& n) {
            const auto& target = region_.exprs[n.target].node;
            const auto* element = std::get_if<Element>(&target);
            const VariableId variable =
                element != nullptr ? element->variable : std::get<Use>(target).variable;
            AddStep(id, variable, n.target, n.update, n.value, at++);
          },
          [&](const Define& n) {
            if (!n.value || model_.affine->inlined().count(n.variable) > 0) return;
            AddStep(id, n.variable, ExprId{}, std::nullopt, *n.value, at++);
          },
          [&](const Loop& n) {
            position_.push_back(at++);
            loops_.push_back(id);
            Walk(n.body);
            CheckSwaps(id);
            loops_.pop_back();
            position_.pop_back();
          },
          [&](const If& n) {
            const bool affine =
                model_.affine->Condition(n.condition, ScopeOf(region_, loops_)).has_value();
            guards_.push_back({n.condition, false, affine});
            WalkInto(n.then_body, at);
            guards_.back().negated = true;
            WalkInto(n.else_body, at);
            guards_.pop_back();
          },
          [&](const Swap& n) { AddSwap(n, id); });
    }
  }

  void AddSwap(const Swap& swap, StatementId id) {
    const Span span = region_.statements[id].span;
    if (loops_.empty() || !guards_.empty()) {
      sink_.Report(span, kSwap);
      return;
    }
    model_.swaps.push_back({loops_.back(), swap.first, swap.second, span});
    steps_before_swap_.push_back(model_.steps.size());
  }

  /// Nothing in the loop comes after its swaps.
  void CheckSwaps(StatementId loop) {
    for (std::size_t k = 0; k < model_.swaps.size(); ++k) {
      if (model_.swaps[k].loop != loop || steps_before_swap_[k] == model_.steps.size()) continue;
      sink_.Report(model_.swaps[k].span, kSwap);
    }
  }

  void AddStep(StatementId id, VariableId variable, ExprId target, std::optional<BinaryOp> update,
               ExprId value, std::size_t at) {
    Step step(isl::set(model_.ctx(), "{ : }"));
    step.number = model_.steps.size();
    step.statement = id;
    step.target = variable;
    step.target_expr = target;
    step.update = update;
    step.value = value;
    step.span = region_.statements[id].span;
    step.loops = loops_;
    step.position = position_;
    step.position.push_back(at);
    step.guards = guards_;
    model_.steps.push_back(std::move(step));
  }

  bool IsScalarAccess(VariableId id) const { return region_.variables[id].extents.empty(); }

  /// Scalars that each iteration sets before it reads them.
  void FindPrivates() {
    std::map<VariableId, std::vector<const Step*>> uses;
    for (const Step& step : model_.steps) {
      std::set<VariableId> named;
      const auto note = [&](ExprId id) {
        const auto* use = std::get_if<Use>(&region_.exprs[id].node);
        if (use != nullptr && model_.affine->IsAssigned(use->variable)) named.insert(use->variable);
      };
      ForEachExpr(region_, step.value, note);
      for (const Guard& guard : step.guards) {
        if (!guard.affine) ForEachExpr(region_, guard.condition, note);
      }
      if (IsScalarAccess(step.target)) named.insert(step.target);
      for (const VariableId id : named) uses[id].push_back(&step);
    }
    for (const auto& [id, steps] : uses) {
      const Step& first = *steps.front();
      if (first.target != id || first.update) continue;
      std::size_t depth = first.loops.size();
      bool common = true;
      for (const Step* step : steps) {
        common = common && step->loops.size() >= depth &&
                 std::equal(first.loops.begin(), first.loops.end(), step->loops.begin());
        common = common && step->guards.size() >= first.guards.size();
      }
      bool reads_itself = false;
      ForEachExpr(region_, first.value, [&](ExprId e) {
        const auto* use = std::get_if<Use>(&region_.exprs[e].node);
        if (use != nullptr && use->variable == id) reads_itself = true;
      });
      if (common && !reads_itself && !region_.variables[id].used_after && depth > 0) {
        model_.privates[id] = {depth};
      }
    }
  }

  /// Reads in branches, and all that data-dependent conditions around the step decide.
  void NoteConditional(const Step& step) {
    conditional_.clear();
    const auto all = [&](ExprId root) {
      ForEachExpr(region_, root, [&](ExprId id) { conditional_.insert(id); });
    };
    for (const Guard& guard : step.guards) {
      if (!guard.affine) all(step.value);
    }
    // A definition in an `if` is computed at all points of its loops.
    if (model_.privates.count(step.target) > 0 && !step.guards.empty()) all(step.value);
    ForEachExpr(region_, step.value, [&](ExprId id) {
      const auto& node = region_.exprs[id].node;
      if (const auto* choice = std::get_if<Conditional>(&node)) {
        all(choice->then_value);
        all(choice->else_value);
      } else if (const auto* binary = std::get_if<Binary>(&node)) {
        if (IsLogical(binary->op)) all(binary->rhs);
      }
    });
  }

  /// A data-dependent condition is evaluated again for each statement below it.
  void CheckConditions() {
    for (const Step& step : model_.steps) {
      for (const Guard& guard : step.guards) {
        if (guard.affine) continue;
        for (const Step& other : model_.steps) {
          if (other.number >= step.number || !Shares(other, guard)) continue;
          if (!Reads(guard.condition, other.target)) continue;
          sink_.Report(region_.exprs[guard.condition].span, kConditionChanges)
              .Note(other.span, "by this, and something under the condition follows")
              .Hint("keep the condition in a variable before the `if`");
        }
      }
    }
  }

  static bool Shares(const Step& step, const Guard& guard) {
    return std::any_of(step.guards.begin(), step.guards.end(),
                       [&](const Guard& own) { return own.condition == guard.condition; });
  }

  bool Reads(ExprId root, VariableId variable) const {
    bool found = false;
    ForEachExpr(region_, root, [&](ExprId id) {
      const auto& node = region_.exprs[id].node;
      if (const auto* use = std::get_if<Use>(&node)) found = found || use->variable == variable;
      if (const auto* element = std::get_if<Element>(&node)) {
        found = found || element->variable == variable;
      }
    });
    return found;
  }

  void CollectTexts(Step& step) {
    texts_.emplace_back();
    Texts& texts = texts_.back();
    texts.loops = DomainText(step, false);
    texts.domain = DomainText(step, true);
    const Scope scope = ScopeOf(region_, step.loops);
    const auto reads = [&](ExprId root) {
      ForEachExpr(region_, root, [&](ExprId id) { AddAccess(step, id, false, scope, texts); });
    };
    NoteConditional(step);
    reads(step.value);
    for (const Guard& guard : step.guards) {
      if (!guard.affine) reads(guard.condition);
    }
    if (step.target_expr.Valid()) {
      if (const auto* element = std::get_if<Element>(&region_.exprs[step.target_expr].node)) {
        for (const ExprId s : element->subscripts) reads(s);
      }
      if (step.update) AddAccess(step, step.target_expr, false, scope, texts);
      AddAccess(step, step.target_expr, true, scope, texts);
    } else {
      AddScalar(step, step.target, ExprId{}, true, texts);
    }
  }

  std::string DomainText(const Step& step, bool with_guards) {
    std::string conditions;
    const auto add = [&](const std::string& text) {
      conditions += (conditions.empty() ? "" : " and ") + fmt::format("({})", text);
    };
    for (std::size_t k = 0; k < step.loops.size(); ++k) {
      const auto& loop = std::get<Loop>(region_.statements[step.loops[k]].node);
      const std::vector<StatementId> outer(step.loops.begin(),
                                           step.loops.begin() + static_cast<std::ptrdiff_t>(k));
      const Scope scope = ScopeOf(region_, outer);
      const auto first = model_.affine->Value(loop.first, scope);
      if (!first) Refuse(loop.first, "first value of a loop");
      const std::string name = fmt::format("l{}", k);
      const bool up = loop.step > 0;
      if (first) {
        add(AnyOf(*first, [&](const std::string& value) {
          std::string text = fmt::format("{} {} {}", name, up ? ">=" : "<=", value);
          if (loop.step != 1 && loop.step != -1) {
            text += fmt::format(" and ({} - {}) mod {} = 0", name, value, std::abs(loop.step));
          }
          return text;
        }));
      }
      for (const Bound& end : loop.bounds) {
        const auto bound = model_.affine->Value(end.value, scope);
        if (!bound) {
          Refuse(end.value, "bound of a loop");
          continue;
        }
        BinaryOp op = end.comparison;
        if (op == BinaryOp::NotEqual) op = up ? BinaryOp::Less : BinaryOp::Greater;
        add(AnyOf(*bound, [&](const std::string& value) {
          return fmt::format("{} {} {}", name, ToString(op), value);
        }));
      }
    }
    const Scope scope = ScopeOf(region_, step.loops);
    for (const Guard& guard : step.guards) {
      if (!guard.affine || !with_guards) continue;
      const auto condition = model_.affine->Condition(guard.condition, scope);
      add(guard.negated ? fmt::format("not ({})", *condition) : *condition);
    }
    return fmt::format("{{ S{}[{}]{}{} }}", step.number, Tuple(step.loops.size()),
                       conditions.empty() ? "" : " : ", conditions);
  }

  /// A condition on each case of a value.
  template <typename Make>
  static std::string AnyOf(const std::vector<Piece>& pieces, const Make& make) {
    std::string text;
    for (const Piece& piece : pieces) {
      std::string part = make(piece.value);
      if (!piece.condition.empty()) part += fmt::format(" and ({})", piece.condition);
      text += fmt::format("{}({})", text.empty() ? "" : " or ", part);
    }
    return text;
  }

  void Refuse(ExprId id, const std::string& what) {
    ReportNotAffine(region_.exprs[id].span, what, sink_);
  }

  void AddScalar(const Step& step, VariableId variable, ExprId expr, bool write, Texts& texts) {
    const auto found = model_.privates.find(variable);
    const std::size_t depth = found == model_.privates.end() ? 0 : found->second.depth;
    texts.accesses.push_back(
        {{variable, variable, write, false, expr, nowhere_, nowhere_, nowhere_},
         "",
         fmt::format("{{ S{}[{}] -> V{}[{}] }}", step.number, Tuple(step.loops.size()),
                     variable.index, Tuple(depth))});
  }

  void AddAccess(const Step& step, ExprId id, bool write, const Scope& scope, Texts& texts) {
    if (const auto* use = std::get_if<Use>(&region_.exprs[id].node)) {
      const bool counter = scope.iterators.count(use->variable) > 0;
      if (counter || !model_.affine->IsAssigned(use->variable)) return;
      if (model_.affine->inlined().count(use->variable) > 0) return;
      return AddScalar(step, use->variable, id, write, texts);
    }
    const auto* element = std::get_if<Element>(&region_.exprs[id].node);
    if (element == nullptr) return;
    const Variable& variable = region_.variables[element->variable];
    STENCILGEN_CHECK(element->subscripts.size() == variable.extents.size());
    std::vector<Piece> rows{{"", ""}};
    for (const ExprId subscript : element->subscripts) {
      const auto pieces = model_.affine->Value(subscript, scope);
      if (!pieces) return Refuse(subscript, "subscript");
      std::vector<Piece> next;
      for (const Piece& row : rows) {
        for (const Piece& piece : *pieces) {
          std::string condition = row.condition;
          if (!piece.condition.empty()) {
            condition += (condition.empty() ? "" : " and ") + fmt::format("({})", piece.condition);
          }
          next.push_back({condition, row.value + (row.value.empty() ? "" : ", ") + piece.value});
        }
      }
      rows = std::move(next);
    }
    std::string text;
    for (const Piece& row : rows) {
      text += fmt::format("{}S{}[{}] -> V{}[{}]{}{}", text.empty() ? "" : "; ", step.number,
                          Tuple(step.loops.size()), element->variable.index, row.value,
                          row.condition.empty() ? "" : " : ", row.condition);
    }
    texts.accesses.push_back(
        {{element->variable, element->variable, write, !write && conditional_.count(id) > 0, id,
          nowhere_, nowhere_, nowhere_},
         PlaceIn(step, element->variable, scope),
         fmt::format("{{ {} }}", text)});
  }

  void MakeSets(Step& step, const Texts& texts) {
    step.domain = model_.Set(texts.domain).coalesce();
    step.loop_domain = model_.Set(texts.loops).coalesce();
    for (const auto& [access, part, text] : texts.accesses) {
      Access made = access;
      made.everywhere = model_.Map(text);
      made.map = made.everywhere.intersect_domain(step.domain).coalesce();
      made.place = made.map;
      if (!part.empty()) {
        made.storage = StorageOf(made.variable);
        isl_map* place = isl_map_flat_range_product(
            model_
                .Map(fmt::format("{{ S{}[{}] -> [c] : {} }}", step.number, Tuple(step.loops.size()),
                                 part))
                .release(),
            made.map.copy());
        made.place = isl::manage(isl_map_set_tuple_name(
            place, isl_dim_out, fmt::format("V{}", made.storage.index).c_str()));
      }
      step.accesses.push_back(std::move(made));
    }
  }

  VariableId StorageOf(VariableId variable) const {
    for (const PointerSwap& swap : model_.swaps) {
      if (swap.second == variable) return swap.first;
    }
    return variable;
  }

  /// A condition on `c`, the memory that a pointer points to; empty where there is only one.
  std::string PlaceIn(const Step& step, VariableId variable, const Scope& scope) {
    for (const PointerSwap& swap : model_.swaps) {
      if (swap.first != variable && swap.second != variable) continue;
      const auto& loop = std::get<Loop>(region_.statements[swap.loop].node);
      const auto first = model_.affine->Value(loop.first, scope);
      const auto inside = std::find(step.loops.begin(), step.loops.end(), swap.loop);
      // Before and after the loop it may be either.
      if (inside == step.loops.end() || !first || first->size() != 1) return "0 <= c <= 1";
      return fmt::format("c = ({} + l{} - {}) mod 2", swap.first == variable ? 0 : 1,
                         inside - step.loops.begin(), (*first)[0].value);
    }
    return "";
  }

  const Region& region_;
  DiagnosticSink& sink_;
  Model model_;
  isl::map nowhere_;  ///< in the place of what is not known yet: isl copies no null
  std::vector<StatementId> loops_;
  std::vector<Guard> guards_;
  std::vector<std::size_t> position_;
  std::vector<Texts> texts_;
  std::vector<std::size_t> steps_before_swap_;
  std::set<ExprId> conditional_;  ///< reads of the step that is being made
};

}  // namespace

std::string Tuple(std::size_t size, char letter) {
  std::string out;
  for (std::size_t k = 0; k < size; ++k) {
    out += fmt::format("{}{}{}", k > 0 ? ", " : "", letter, k);
  }
  return out;
}

Scope ScopeOf(const Region& region, const std::vector<StatementId>& loops) {
  Scope scope;
  for (std::size_t k = 0; k < loops.size(); ++k) {
    const auto& loop = std::get<Loop>(region.statements[loops[k]].node);
    scope.iterators[loop.iterator] = fmt::format("l{}", k);
  }
  return scope;
}

std::optional<Model> BuildModel(const Region& region, DiagnosticSink& sink) {
  return Builder(region, sink).Run();
}

}  // namespace stencilgen::scop
