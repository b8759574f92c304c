// The sets of a model: domains and accesses of its steps, by way of isl's notation.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>

#include "scop/changes.h"
#include "scop/model_parts.h"
#include "scop/restrict_sizes.h"
#include "support/check.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kOutOfRows{
    "c-rows", Severity::Error,
    "other subscripts of `{}` say a row and a place in it, which this one does not"};

/// A condition on each case of a value.
template <typename Make>
std::string AnyOf(const std::vector<Piece>& pieces, const Make& make) {
  std::string text;
  for (const Piece& piece : pieces) {
    std::string part = make(piece.value);
    if (!piece.condition.empty()) part += fmt::format(" and ({})", piece.condition);
    text += fmt::format("{}({})", text.empty() ? "" : " or ", part);
  }
  return text;
}

/// What is known of a step before all parameters are.
struct Texts {
  std::string domain, loops, computed;
  struct AccessText {
    Access access;
    std::string part;  ///< which of two memories, where pointers are exchanged
    std::string map;
    std::string condition;  ///< where C reads it at all; empty: everywhere
  };
  std::vector<AccessText> accesses;
};

class Maker {
 public:
  Maker(Model& model, DiagnosticSink& sink)
      : region_(*model.region), model_(model), sink_(sink), nowhere_(model.ctx(), "{ [] -> [] }") {}

  void Run() {
    const std::size_t errors = sink_.ErrorCount();
    // Names of parameters first, so that all sets have the same ones.
    for (Step& step : model_.steps) CollectTexts(step);
    if (sink_.ErrorCount() > errors) return;
    for (std::size_t k = 0; k < model_.steps.size(); ++k) MakeStep(model_.steps[k], texts_[k]);
  }

 private:
  /// Reads in branches, and all that data-dependent conditions around the step decide.
  void NoteConditional(const Step& step) {
    conditional_.clear();
    const auto all = [&](ExprId root) {
      ForEachExpr(region_, root, [&](ExprId id) { conditional_.insert(id); });
    };
    for (const Guard& guard : step.guards) {
      if (!guard.affine) all(step.value);
    }
    // A definition is computed wherever its scalar is named.
    const auto found = model_.privates.find(step.target);
    if (found != model_.privates.end() && step.guards.size() > found->second.guards) {
      all(step.value);
    }
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

  void CollectTexts(Step& step) {
    texts_.emplace_back();
    Texts& texts = texts_.back();
    const auto found = model_.privates.find(step.target);
    texts.loops = DomainText(step, 0);
    texts.domain = DomainText(step, step.guards.size());
    texts.computed =
        found == model_.privates.end() ? texts.domain : DomainText(step, found->second.guards);
    const Scope scope = ScopeOf(region_, step.loops);
    const auto reads = [&](ExprId root) { AddReads(step, root, "", scope, texts); };
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

  /// The reads of an expression that C computes where `condition` holds.
  void AddReads(const Step& step, ExprId id, const std::string& condition, const Scope& scope,
                Texts& texts) {
    AddAccess(step, id, false, scope, texts, condition);
    const Expr expr = region_.exprs[id];
    const auto under = [&](ExprId part, ExprId decides, bool holds) {
      AddReads(step, part, And(condition, Decided(decides, holds, scope)), scope, texts);
    };
    if (const auto* choice = std::get_if<Conditional>(&expr.node)) {
      AddReads(step, choice->condition, condition, scope, texts);
      under(choice->then_value, choice->condition, true);
      under(choice->else_value, choice->condition, false);
      return;
    }
    const auto* binary = std::get_if<Binary>(&expr.node);
    if (binary != nullptr && IsLogical(binary->op)) {
      AddReads(step, binary->lhs, condition, scope, texts);
      under(binary->rhs, binary->lhs, binary->op == BinaryOp::And);
      return;
    }
    Expr parts = expr;
    ReplaceOperands(parts, [&](ExprId part) {
      AddReads(step, part, condition, scope, texts);
      return part;
    });
  }

  static std::string And(const std::string& a, const std::string& b) {
    return a.empty() ? b : b.empty() ? a : fmt::format("{} and {}", a, b);
  }

  /// What is known of the counters where the expression is true, or false. Which of two arrays a
  /// size chooses says nothing of how large they are.
  std::string Decided(ExprId id, bool holds, const Scope& scope) {
    const auto* binary = std::get_if<Binary>(&region_.exprs[id].node);
    if (binary != nullptr && binary->op == (holds ? BinaryOp::And : BinaryOp::Or)) {
      return And(Decided(binary->lhs, holds, scope), Decided(binary->rhs, holds, scope));
    }
    if (model_.affine->IsFixed(id, scope)) return "";
    const auto condition = model_.affine->Condition(id, scope);
    if (!condition) return "";
    return fmt::format(fmt::runtime(holds ? "({})" : "not ({})"), *condition);
  }

  /// With the first `guards` of the conditions around the step.
  std::string DomainText(const Step& step, std::size_t guards) {
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
    for (std::size_t k = 0; k < guards; ++k) {
      const Guard& guard = step.guards[k];
      if (!guard.affine) continue;
      const auto condition = model_.affine->Condition(guard.condition, scope);
      add(guard.negated ? fmt::format("not ({})", *condition) : *condition);
    }
    return fmt::format("{{ S{}[{}]{}{} }}", step.number, Tuple(step.loops.size()),
                       conditions.empty() ? "" : " : ", conditions);
  }

  void Refuse(ExprId id, const std::string& what) {
    ReportNotAffine(region_.exprs[id].span, what, sink_);
  }

  /// Subscripts like `i*m + j` are sums of counters only where all of an array's are in rows of
  /// `m`: what is in the way is said once.
  void RefuseSubscript(VariableId variable, ExprId element, ExprId subscript) {
    const auto found = region_.out_of_rows.find(variable);
    if (found == region_.out_of_rows.end() ||
        (found->second.element == element && !found->second.is_sum)) {
      return Refuse(subscript, "subscript");
    }
    if (!found->second.is_sum || !out_of_rows_.insert(variable).second) return;
    sink_
        .Report(region_.exprs[found->second.element].span, kOutOfRows,
                region_.variables[variable].text)
        .Hint(
            "rows have one length: `u[i*m + j]`; or give the array its dimensions: `double "
            "(*u)[m]`");
  }

  void AddScalar(const Step& step, VariableId variable, ExprId expr, bool write, Texts& texts) {
    const auto found = model_.privates.find(variable);
    const std::size_t depth = found == model_.privates.end() ? 0 : found->second.depth;
    texts.accesses.push_back(
        {{variable, variable, write, false, expr, nowhere_, nowhere_, nowhere_},
         "",
         fmt::format("{{ S{}[{}] -> V{}[{}] }}", step.number, Tuple(step.loops.size()),
                     variable.index, Tuple(depth)),
         ""});
  }

  void AddAccess(const Step& step, ExprId id, bool write, const Scope& scope, Texts& texts,
                 const std::string& where = "") {
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
      if (!pieces) return RefuseSubscript(element->variable, id, subscript);
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
         fmt::format("{{ {} }}", text),
         where});
  }

  void MakeStep(Step& step, const Texts& texts) {
    step.domain = model_.Set(texts.domain).coalesce();
    step.loop_domain = model_.Set(texts.loops).coalesce();
    step.computed = model_.Set(texts.computed).coalesce();
    for (const auto& [access, part, text, condition] : texts.accesses) {
      Access made = access;
      made.everywhere = model_.Map(text);
      isl::set where = step.domain;
      if (!condition.empty()) {
        where = where.intersect(model_.Set(
            fmt::format("{{ S{}[{}] : {} }}", step.number, Tuple(step.loops.size()), condition)));
      }
      made.map = made.everywhere.intersect_domain(where).coalesce();
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

  /// The first of the pointers that exchange what they point to.
  VariableId StorageOf(VariableId variable) const {
    const Rotation* rotation = RotationOf(model_.rotations, variable);
    return rotation == nullptr ? variable : rotation->pointers[0];
  }

  /// A condition on `c`, the memory that a pointer points to; empty where there is only one.
  std::string PlaceIn(const Step& step, VariableId variable, const Scope& scope) {
    const Rotation* any = RotationOf(model_.rotations, variable);
    if (any == nullptr) return "";
    const std::size_t count = any->pointers.size();
    for (const Rotation& rotation : model_.rotations) {
      const auto inside = std::find(step.loops.begin(), step.loops.end(), rotation.loop());
      const std::size_t place = rotation.PlaceOf(variable);
      if (place == rotation.pointers.size() || inside == step.loops.end()) continue;
      const auto& loop = std::get<Loop>(region_.statements[rotation.loop()].node);
      const auto first = model_.affine->Value(loop.first, scope);
      if (!first || first->size() != 1 || std::abs(loop.step) != 1) continue;
      return fmt::format("c = ({} + {}*(l{} - {})) mod {}", place, loop.step,
                         inside - step.loops.begin(), (*first)[0].value, count);
    }
    // Before and after the loop it may be any.
    return fmt::format("0 <= c < {}", count);
  }

  const Region& region_;
  Model& model_;
  DiagnosticSink& sink_;
  isl::map nowhere_;  ///< in the place of what is not known yet: isl copies no null
  std::vector<Texts> texts_;
  std::set<VariableId> out_of_rows_;  ///< of which has been said what is in the way
  std::set<ExprId> conditional_;      ///< reads of the step that is being made
};

}  // namespace

void MakeSets(Model& model, DiagnosticSink& sink) {
  Maker(model, sink).Run();
}

}  // namespace stencilgen::scop
