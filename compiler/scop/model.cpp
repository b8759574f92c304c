#include "scop/model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>
#include <isl/options.h>

#include "scop/changes.h"
#include "scop/model_parts.h"
#include "scop/restrict_sizes.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kSwap{"c-swap", Severity::Error,
                                 "pointers are exchanged at the end of a loop, after all else"};
constexpr DiagnosticKind<> kNothing{"scop-empty", Severity::Error, "this region assigns nothing"};

class Builder {
 public:
  Builder(const Region& region, DiagnosticSink& sink) : region_(region), sink_(sink) {
    const Changes changes = FindChanges(region);
    model_.owner = std::shared_ptr<isl_ctx>(isl_ctx_alloc(), isl_ctx_free);
    // What isl cannot do is reported as an exception, and not on the terminal too.
    isl_options_set_on_error(model_.owner.get(), ISL_ON_ERROR_CONTINUE);
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
    model_.rotations = FindRotations(region_, swaps_, sink_);
    FindPrivates(model_);
    CheckConditions(model_, sink_);
    MakeSets(model_, sink_);
    if (sink_.ErrorCount() > errors) return std::nullopt;
    if (DropUnreached()) {
      FindPrivates(model_);
      MakeSets(model_, sink_);
      if (model_.steps.empty()) sink_.Report(region_.begin, kNothing);
    }
    RestrictSizes(model_, sink_);
    if (sink_.ErrorCount() > errors) return std::nullopt;
    return std::move(model_);
  }

 private:
  /// Steps without a single instance, as in a branch for no counter, would have any order. True
  /// where there were some.
  bool DropUnreached() {
    std::vector<Step>& steps = model_.steps;
    const std::size_t before = steps.size();
    steps.erase(std::remove_if(steps.begin(), steps.end(),
                               [](const Step& step) { return step.domain.is_empty(); }),
                steps.end());
    if (steps.size() == before) return false;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      steps[k].number = k;
      steps[k].accesses.clear();
    }
    return true;
  }

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
            model_.steps.back().extremum = n.extremum;
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
            const auto outer = static_cast<std::ptrdiff_t>(guards_.size());
            AddGuards(n.condition, n.else_body.empty());
            WalkInto(n.then_body, at);
            guards_.erase(guards_.begin() + outer, guards_.end());
            if (n.else_body.empty()) return;
            guards_.push_back({n.condition, true, IsAffine(n.condition)});
            WalkInto(n.else_body, at);
            guards_.pop_back();
          },
          [&](const Swap& n) { AddSwap(n, id); });
    }
  }

  bool IsAffine(ExprId condition) {
    return model_.affine->Condition(condition, ScopeOf(region_, loops_)).has_value();
  }

  /// The condition of a branch. Without another branch, one on counters and values both is several,
  /// so that what counters say is part of the domain: `i > 0 && u[i-1] > 0`.
  void AddGuards(ExprId condition, bool only) {
    const auto* binary = std::get_if<Binary>(&region_.exprs[condition].node);
    const bool affine = IsAffine(condition);
    if (only && !affine && binary != nullptr && binary->op == BinaryOp::And) {
      AddGuards(binary->lhs, only);
      AddGuards(binary->rhs, only);
    } else {
      guards_.push_back({condition, false, affine});
    }
  }

  void AddSwap(const Swap& swap, StatementId id) {
    const Span span = region_.statements[id].span;
    if (loops_.empty() || !guards_.empty()) {
      sink_.Report(span, kSwap);
      return;
    }
    swaps_.push_back({loops_, swap.first, swap.second, span});
    steps_before_swap_.push_back(model_.steps.size());
  }

  /// Nothing in the loop comes after its swaps.
  void CheckSwaps(StatementId loop) {
    for (std::size_t k = 0; k < swaps_.size(); ++k) {
      if (swaps_[k].loops.back() != loop || steps_before_swap_[k] == model_.steps.size()) continue;
      sink_.Report(swaps_[k].span, kSwap);
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

  const Region& region_;
  DiagnosticSink& sink_;
  Model model_;
  std::vector<StatementId> loops_;
  std::vector<Guard> guards_;
  std::vector<std::size_t> position_;
  std::vector<PointerSwap> swaps_;
  std::vector<std::size_t> steps_before_swap_;
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

void SharePrivates(Model& model, const std::set<VariableId>& scalars) {
  for (const VariableId scalar : scalars) model.privates.erase(scalar);
  for (Step& step : model.steps) step.accesses.clear();
  DiagnosticSink said;  // what there is to say has been said
  MakeSets(model, said);
  RestrictSizes(model, said);
}

std::optional<Model> BuildModel(const Region& region, DiagnosticSink& sink) {
  return Builder(region, sink).Run();
}

}  // namespace stencilgen::scop
