#include "support/direct_points.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <variant>

#include "support/direct_eval.h"

namespace stencilgen::testing::direct {
namespace {

/// An element of an array, or the point itself for a scalar.
using Written = std::vector<std::int64_t>;

Written WrittenAt(Scope& scope, const Step& step, const Point& p) {
  if (step.target.indices.empty()) return {p.begin(), p.end()};
  Written element;
  for (const ast::ExprId index : step.target.indices) {
    element.push_back(static_cast<std::int64_t>(Eval(scope, index, p).value));
  }
  return element;
}

/// Drops the points of a step for which the predicate does not hold.
template <typename Predicate>
void KeepPoints(Step& step, const Predicate& keep) {
  for (auto p = step.points.begin(); p != step.points.end();) {
    p = keep(*p) ? std::next(p) : step.points.erase(p);
  }
}

// --- what the domains and extents allow ---

/// By iterator; a scalar has a value at every point.
std::vector<bool> TargetIterators(Scope& scope, const ast::Access& target) {
  std::vector<bool> used(scope.program().iterators.size(), target.indices.empty());
  for (std::size_t d = 0; d < used.size(); ++d) {
    Point unit{};
    unit[d] = 1;
    for (const ast::ExprId index : target.indices) {
      if (Eval(scope, index, unit).value != EvalUniform(scope, index)) used[d] = true;
    }
  }
  return used;
}

/// A domain has a range for each iterator of the program, or for each that the target uses.
bool InDomain(Scope& scope, const ast::DomainSpec& domain, const std::vector<bool>& used,
              const Point& p) {
  const bool all = domain.ranges.size() == used.size();
  std::size_t range = 0;
  for (std::size_t d = 0; d < used.size(); ++d) {
    if (!all && !used[d]) continue;
    const ast::Range& r = domain.ranges[range++];
    const auto x = static_cast<double>(p[d]);
    if (used[d] && (x < EvalUniform(scope, r.lo) || x > EvalUniform(scope, r.hi))) return false;
  }
  return true;
}

bool WritesInside(Scope& scope, const ast::Access& target, const Point& p) {
  const DirectArray& array = *scope.FindArray(target.name.text);
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    const double x = Eval(scope, target.indices[d], p).value;
    if (x < 0 || x >= static_cast<double>(array.shape[d])) return false;
  }
  return true;
}

Points CandidatesAlong(Scope& scope, const Step& step, const std::vector<bool>& used,
                       const ast::DomainSpec* call_domain) {
  constexpr std::int64_t kMargin = 6;  // larger than any offset
  Point lo{};
  Point hi{};
  for (std::size_t d = 0; d < used.size(); ++d) {
    if (!used[d]) continue;
    lo[d] = -kMargin;
    hi[d] = scope.largest_extent() + kMargin;
  }
  Points points;
  Point p{};
  for (p[0] = lo[0]; p[0] <= hi[0]; ++p[0]) {
    for (p[1] = lo[1]; p[1] <= hi[1]; ++p[1]) {
      for (p[2] = lo[2]; p[2] <= hi[2]; ++p[2]) {
        if (call_domain != nullptr && !InDomain(scope, *call_domain, used, p)) continue;
        if (step.domain != nullptr && !InDomain(scope, *step.domain, used, p)) continue;
        if (step.kind == StepTarget::LocalScalar || WritesInside(scope, step.target, p)) {
          points.insert(p);
        }
      }
    }
  }
  return points;
}

Points Candidates(Scope& scope, const Step& step, const ast::DomainSpec* call_domain) {
  return CandidatesAlong(scope, step, TargetIterators(scope, step.target), call_domain);
}

/// A group starts from the points that the domains of all its members allow.
void IntersectGroups(Scope& scope, std::vector<Step>& steps) {
  std::map<int, std::set<Written>> common;
  for (const Step& step : steps) {
    if (!step.HasPoints()) continue;
    std::set<Written> written;
    for (const Point& p : step.points) written.insert(WrittenAt(scope, step, p));
    const auto [place, first] = common.try_emplace(step.group, written);
    if (first) continue;
    for (auto it = place->second.begin(); it != place->second.end();) {
      it = written.count(*it) > 0 ? std::next(it) : place->second.erase(it);
    }
  }
  for (Step& step : steps) {
    if (!step.HasPoints()) continue;
    const std::set<Written>& kept = common.at(step.group);
    KeepPoints(step, [&](const Point& p) { return kept.count(WrittenAt(scope, step, p)) > 0; });
  }
}

// --- what can be computed ---

/// What the steps so far have computed of the call's locals; everything else always has a value.
class Computed {
 public:
  explicit Computed(Scope& scope) : scope_(scope) {}

  void AddUniform(const std::string& scalar) { uniform_.insert(scalar); }

  void Add(const Step& step) {
    const std::string& name = step.target.name.text;
    if (step.kind == StepTarget::LocalScalar) {
      scalars_[name].insert(step.points.begin(), step.points.end());
    } else if (scope_.IsLocalArray(name)) {
      for (const Point& p : step.points) {
        arrays_[name].insert(FindPlace(scope_, step.target, p).value().element);
      }
    }
  }

  /// The step's value, and the old value of a compound assignment, can be had at the point.
  bool CanCompute(const Step& step, const Point& p) const {
    return (step.op == AssignOp::Assign || HasOldValue(step, p)) && Readable(step.value, p);
  }

 private:
  bool HasScalar(const std::string& name, const Point& p) const {
    const auto found = scalars_.find(name);
    return uniform_.count(name) > 0 || (found != scalars_.end() && found->second.count(p) > 0);
  }

  bool HasElement(const ast::Access& access, const Point& p) const {
    const std::optional<Place> place = FindPlace(scope_, access, p);
    if (!place || !scope_.IsLocalArray(access.name.text)) return place.has_value();
    const auto found = arrays_.find(access.name.text);
    return found != arrays_.end() && found->second.count(place->element) > 0;
  }

  bool HasOldValue(const Step& step, const Point& p) const {
    const std::string& name = step.target.name.text;
    if (step.kind == StepTarget::LocalScalar) return HasScalar(name, p);
    return !scope_.IsLocalArray(name) || HasElement(step.target, p);
  }

  /// Every array element and local the expression reads exists and has been computed.
  bool Readable(ast::ExprId id, const Point& p) const {
    const ast::Expr& expr = scope_.program().exprs[id];
    if (const auto* ref = std::get_if<ast::NameRef>(&expr.node)) {
      return scope_.FindLocalScalar(ref->name) == nullptr || HasScalar(ref->name, p);
    }
    if (const auto* access = std::get_if<ast::Access>(&expr.node)) {
      return std::all_of(access->indices.begin(), access->indices.end(),
                         [&](ast::ExprId index) { return Readable(index, p); }) &&
             HasElement(*access, p);
    }
    return !AnyOperand(expr, [&](ast::ExprId operand) { return !Readable(operand, p); });
  }

  Scope& scope_;
  std::map<std::string, Points> scalars_;
  std::map<std::string, std::set<std::size_t>> arrays_;
  std::set<std::string> uniform_;
};

/// The reductions of an expression.
void CollectReductions(Scope& scope, ast::ExprId id, std::vector<const ast::Call*>& found) {
  const ast::Expr& expr = scope.program().exprs[id];
  const auto* call = std::get_if<ast::Call>(&expr.node);
  if (call != nullptr && IsReduction(*call)) return found.push_back(call);
  AnyOperand(expr, [&](ast::ExprId operand) {
    CollectReductions(scope, operand, found);
    return false;
  });
}

/// Every array that the expression reads with a boundary mode has the point itself, offsets aside.
bool HasOwnPoints(Scope& scope, ast::ExprId id, const Point& p) {
  const ast::Expr& expr = scope.program().exprs[id];
  const auto* access = std::get_if<ast::Access>(&expr.node);
  if (access == nullptr) {
    return !AnyOperand(expr, [&](ast::ExprId operand) { return !HasOwnPoints(scope, operand, p); });
  }
  if (scope.FindBoundary(access->name.text) == nullptr) return true;
  const std::vector<std::int64_t>& shape = scope.FindArray(access->name.text)->shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (IsPlace(scope, access->indices[d])) continue;
    const double start = EvalUniform(scope, access->indices[d]);
    const double x = Eval(scope, access->indices[d], p).value - start;
    const bool moves = [&] {
      Point ones = {1, 1, 1};
      return Eval(scope, access->indices[d], ones).value != start;
    }();
    if (moves && (x < 0 || x >= static_cast<double>(shape[d]))) return false;
  }
  return true;
}

/// Where the argument has a value in the domains, at what has been computed so far.
Points ReductionPoints(Scope& scope, const Computed& computed, const Step& step,
                       const ast::Call& reduction, const ast::DomainSpec* call_domain) {
  const ast::ExprId argument = reduction.arguments.front();
  std::vector<bool> used;
  for (const ast::Name& iterator : scope.program().iterators) {
    used.push_back(Mentions(scope, argument, iterator.text));
  }
  Step value = step;
  value.kind = StepTarget::LocalScalar;
  value.op = AssignOp::Assign;
  value.value = argument;
  Points points;
  for (const Point& p : CandidatesAlong(scope, value, used, call_domain)) {
    if (computed.CanCompute(value, p) && HasOwnPoints(scope, argument, p)) points.insert(p);
  }
  return points;
}

/// Drops the points where the step cannot be computed, from its whole accumulation group. True
/// where there were any.
bool Shrink(Scope& scope, const Computed& computed, const Step& step, std::vector<Step>& steps) {
  std::set<Written> lost;
  for (const Point& p : step.points) {
    if (!computed.CanCompute(step, p)) lost.insert(WrittenAt(scope, step, p));
  }
  if (lost.empty()) return false;
  for (Step& other : steps) {
    if (other.group != step.group || !other.HasPoints()) continue;
    KeepPoints(other, [&](const Point& p) { return lost.count(WrittenAt(scope, other, p)) == 0; });
  }
  return true;
}

/// One pass over the steps in order. True where a step lost points: a group's later members may
/// have taken points from steps before them.
bool Pass(Scope& scope, std::vector<Step>& steps, const ast::DomainSpec* call_domain) {
  Computed computed(scope);
  bool changed = false;
  for (Step& step : steps) {
    if (step.uniform) {
      step.computed = computed.CanCompute(step, Point{});
      if (step.computed) computed.AddUniform(step.target.name.text);
    } else if (step.HasPoints()) {
      changed = Shrink(scope, computed, step, steps) || changed;
      computed.Add(step);
    } else {
      std::vector<const ast::Call*> reductions;
      CollectReductions(scope, step.value, reductions);
      for (const ast::Call* each : reductions) {
        step.reductions[each] = ReductionPoints(scope, computed, step, *each, call_domain);
      }
    }
  }
  return changed;
}

}  // namespace

void FindPoints(Scope& scope, std::vector<Step>& steps, const ast::DomainSpec* call_domain) {
  for (Step& step : steps) {
    if (step.HasPoints()) step.points = Candidates(scope, step, call_domain);
  }
  IntersectGroups(scope, steps);
  while (Pass(scope, steps, call_domain)) {
  }
}

}  // namespace stencilgen::testing::direct
