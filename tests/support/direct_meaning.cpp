#include "support/direct_meaning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

#include "support/direct_arithmetic.h"
#include "support/match.h"

namespace stencilgen::testing {
namespace {

using Point = std::array<std::int64_t, 3>;
using Points = std::set<Point>;

/// A local scalar: one value a point, in a map so that its domain needs no bounds, over a value for
/// all points.
struct LocalScalar {
  ScalarType type = ScalarType::Double;
  DirectNumber uniform_value;
  std::map<Point, DirectNumber> values;
};

/// One statement of a call.
struct Step {
  std::optional<ast::DomainSpec> domain;
  std::string target;
  std::vector<ast::ExprId> indices;
  AssignOp op = AssignOp::Assign;
  ast::ExprId value;
  bool local_scalar = false;
  bool program_scalar = false;
  bool uniform = false;
  bool computed = true;  ///< uniform: every element it reads exists
  bool update = false;
  int group = -1;
  Points points;
};

class Evaluation {
 public:
  Evaluation(const ast::Program& program, const std::map<std::string, std::int64_t>& parameters,
             DirectState& state)
      : program_(program), parameters_(parameters), state_(state) {
    for (const auto& [name, array] : state_) {
      for (const std::int64_t extent : array.shape) largest_ = std::max(largest_, extent);
    }
    for (const ast::BoundarySpec& b : program_.boundaries) boundaries_[b.array.text] = &b;
  }

  void Run() { Run(program_.calls); }

 private:
  void Run(const std::vector<ast::CallItem>& items) {
    for (const ast::CallItem& item : items) {
      Match(
          item, [&](const ast::StencilCall& call) { RunCall(call); },
          [&](const ast::Swap& swap) {
            std::swap(state_.at(swap.first.text).values, state_.at(swap.second.text).values);
            std::swap(state_.at(swap.first.text).defined, state_.at(swap.second.text).defined);
          },
          [&](const ast::Iterate& iterate) {
            const auto count = static_cast<std::int64_t>(Eval(iterate.count, {}).value);
            for (std::int64_t n = 0; n < count; ++n) Run(iterate.body);
          });
    }
  }

  // --- names ---

  std::string Actual(const std::string& name) const {
    const auto found = formals_.find(name);
    if (found == formals_.end()) return name;
    const auto* ref = std::get_if<ast::NameRef>(&program_.exprs[found->second].node);
    return ref != nullptr ? ref->name : "";
  }
  bool IsLocalArray(const std::string& name) const { return local_arrays_.count(name) > 0; }
  DirectArray* FindArray(const std::string& name) {
    if (formals_.count(name) == 0) {
      const auto local = local_arrays_.find(name);
      if (local != local_arrays_.end()) return &local->second;
      if (local_scalars_.count(name) > 0) return nullptr;
    }
    const auto found = state_.find(Actual(name));
    return found == state_.end() ? nullptr : &found->second;
  }
  LocalScalar* FindLocalScalar(const std::string& name) {
    if (formals_.count(name) > 0) return nullptr;
    const auto found = local_scalars_.find(name);
    return found == local_scalars_.end() ? nullptr : &found->second;
  }

  // --- reading ---

  /// The element an access reads, empty where it lies outside.
  std::optional<std::size_t> Element(const ast::Access& access, const DirectArray& array,
                                     const Point& p, std::optional<double>* constant) {
    const auto boundary = IsLocalArray(access.name.text)
                              ? boundaries_.end()
                              : boundaries_.find(Actual(access.name.text));
    std::size_t element = 0;
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      const std::int64_t n = array.shape[d];
      auto x = static_cast<std::int64_t>(Eval(access.indices[d], p).value);
      if (x < 0 || x >= n) {
        if (boundary == boundaries_.end() || n < 1) return std::nullopt;
        const auto& spec = *boundary->second;
        const ast::BoundaryMode& mode = spec.modes[spec.per_dimension ? d : 0];
        if (mode.kind == ast::BoundaryKind::Constant) {
          if (!*constant) *constant = Eval(*mode.value, p).value;
          x = 0;
        } else if (mode.kind == ast::BoundaryKind::Clamp) {
          x = x < 0 ? 0 : n - 1;
        } else if (mode.kind == ast::BoundaryKind::Wrap) {
          x = ((x % n) + n) % n;
        } else {
          x = ((x % (2 * n)) + 2 * n) % (2 * n);
          if (x >= n) x = 2 * n - 1 - x;
        }
      }
      element = element * static_cast<std::size_t>(n) + static_cast<std::size_t>(x);
    }
    return element;
  }

  /// Every array element and local the expression reads exists and has been computed.
  bool Readable(ast::ExprId id, const Point& p) {
    return Match(
        program_.exprs[id].node, [](const ast::IntLiteral&) { return true; },
        [](const ast::FloatLiteral&) { return true; },
        [&](const ast::NameRef& n) {
          if (FindLocalScalar(n.name) == nullptr) return true;
          const auto found = computed_scalars_.find(n.name);
          return uniform_now_.count(n.name) > 0 ||
                 (found != computed_scalars_.end() && found->second.count(p) > 0);
        },
        [&](const ast::Access& n) {
          std::optional<double> constant;
          const auto element = Element(n, *FindArray(n.name.text), p, &constant);
          if (!element) return false;
          if (formals_.count(n.name.text) > 0 || !IsLocalArray(n.name.text)) return true;
          return computed_arrays_[n.name.text].count(*element) > 0;
        },
        [&](const ast::Unary& n) { return Readable(n.operand, p); },
        [&](const ast::Binary& n) { return Readable(n.lhs, p) && Readable(n.rhs, p); },
        [&](const ast::Conditional& n) {
          return Readable(n.condition, p) && Readable(n.then_value, p) && Readable(n.else_value, p);
        },
        [&](const ast::Call& n) {
          return std::all_of(n.arguments.begin(), n.arguments.end(),
                             [&](ast::ExprId argument) { return Readable(argument, p); });
        });
  }

  DirectNumber Eval(ast::ExprId id, const Point& p) {
    return Match(
        program_.exprs[id].node,
        [](const ast::IntLiteral& n) {
          return DirectNumber{static_cast<double>(n.value), true, true};
        },
        [](const ast::FloatLiteral& n) {
          return DirectNumber{n.value, false, true};
        },
        [&](const ast::NameRef& n) { return EvalName(n.name, p); },
        [&](const ast::Access& n) {
          DirectArray& array = *FindArray(n.name.text);
          std::optional<double> constant;
          const auto element = Element(n, array, p, &constant);
          const bool integer = !IsFloating(array.type);
          if (constant) return DirectNumber{*constant, integer, true};
          return DirectNumber{array.values[*element], integer, array.defined[*element] != 0};
        },
        [&](const ast::Unary& n) { return DirectUnary(n.op, Eval(n.operand, p)); },
        [&](const ast::Binary& n) { return DirectBinary(n.op, Eval(n.lhs, p), Eval(n.rhs, p)); },
        [&](const ast::Conditional& n) {
          const DirectNumber condition = Eval(n.condition, p);
          const DirectNumber a = Eval(n.then_value, p);
          const DirectNumber b = Eval(n.else_value, p);
          DirectNumber chosen = condition.value != 0 ? a : b;
          chosen.integer = a.integer && b.integer;
          chosen.defined = chosen.defined && condition.defined;
          return chosen;
        },
        [&](const ast::Call& n) {
          std::vector<DirectNumber> arguments;
          for (const ast::ExprId argument : n.arguments) arguments.push_back(Eval(argument, p));
          return DirectCall(n.function.text, arguments);
        });
  }

  DirectNumber EvalName(const std::string& name, const Point& p) {
    for (std::size_t d = 0; d < program_.iterators.size(); ++d) {
      if (program_.iterators[d].text == name) {
        return {static_cast<double>(p[d]), true, true};
      }
    }
    if (LocalScalar* scalar = FindLocalScalar(name)) {
      const auto own = scalar->values.find(p);
      DirectNumber number = own != scalar->values.end() ? own->second : scalar->uniform_value;
      number.integer = !IsFloating(scalar->type);
      return number;
    }
    const auto formal = formals_.find(name);
    if (formal != formals_.end() && Actual(name).empty()) return Eval(formal->second, p);
    const std::string actual = Actual(name);
    const auto parameter = parameters_.find(actual);
    if (parameter != parameters_.end()) {
      return {static_cast<double>(parameter->second), true, true};
    }
    const DirectArray& scalar = state_.at(actual);
    return {scalar.values[0], !IsFloating(scalar.type), scalar.defined[0] != 0};
  }

  // --- one call ---

  void RunCall(const ast::StencilCall& call) {
    const auto stencil =
        std::find_if(program_.stencils.begin(), program_.stencils.end(),
                     [&](const ast::Stencil& s) { return s.name.text == call.stencil.text; });
    formals_.clear();
    local_arrays_.clear();
    local_scalars_.clear();
    for (std::size_t i = 0; i < stencil->formals.size(); ++i) {
      formals_[stencil->formals[i].name.text] = call.actuals[i];
    }
    std::vector<Step> steps = Steps(*stencil);
    FindGroups(steps);
    FindPoints(steps, call.domain);
    for (LocalScalar* scalar : AllScalars()) scalar->values.clear();
    for (const Step& step : steps) Execute(step);
  }

  std::vector<LocalScalar*> AllScalars() {
    std::vector<LocalScalar*> all;
    for (auto& [name, scalar] : local_scalars_) all.push_back(&scalar);
    return all;
  }

  std::vector<Step> Steps(const ast::Stencil& stencil) {
    for (const ast::StencilItem& item : stencil.items) {
      const auto* declaration = std::get_if<ast::Declaration>(&item);
      if (declaration == nullptr) continue;
      for (const ast::Declarator& d : declaration->declarators) {
        if (d.extents.empty()) {
          local_scalars_[d.name.text].type = declaration->type;
          continue;
        }
        DirectArray array;
        array.type = declaration->type;
        std::size_t count = 1;
        for (const ast::ExprId extent : d.extents) {
          array.shape.push_back(static_cast<std::int64_t>(Eval(extent, {}).value));
          count *= static_cast<std::size_t>(array.shape.back());
        }
        array.values.resize(count);
        array.defined.resize(count);
        local_arrays_[d.name.text] = std::move(array);
      }
    }
    std::vector<Step> steps;
    for (const ast::StencilItem& item : stencil.items) {
      if (const auto* declaration = std::get_if<ast::Declaration>(&item)) {
        for (const ast::Declarator& d : declaration->declarators) {
          if (d.init) steps.push_back({{}, d.name.text, {}, AssignOp::Assign, *d.init});
        }
      } else if (const auto* assignment = std::get_if<ast::Assignment>(&item)) {
        Step step{assignment->domain, "", {}, assignment->op, assignment->value};
        const ast::Expr& target = program_.exprs[assignment->target];
        if (const auto* access = std::get_if<ast::Access>(&target.node)) {
          step.target = access->name.text;
          step.indices = access->indices;
        } else {
          step.target = std::get<ast::NameRef>(target.node).name;
        }
        steps.push_back(std::move(step));
      }
    }
    std::set<std::string> uniform;
    for (Step& step : steps) {
      step.local_scalar = FindLocalScalar(step.target) != nullptr;
      step.program_scalar = !step.local_scalar && step.indices.empty();
      step.update = step.op != AssignOp::Assign || Reads(step.value, step.target);
      if (!step.local_scalar) continue;
      const bool keeps = step.op == AssignOp::Assign || uniform.count(step.target) > 0;
      step.uniform = keeps && !Varies(step.value, uniform);
      if (step.uniform) {
        uniform.insert(step.target);
      } else {
        uniform.erase(step.target);
      }
    }
    return steps;
  }

  /// The actual array or the local a name stands for: two formals may be one array.
  std::string Identity(const std::string& name) const {
    const bool local = formals_.count(name) == 0 &&
                       (local_arrays_.count(name) > 0 || local_scalars_.count(name) > 0);
    return local ? "local " + name : Actual(name);
  }

  bool Reads(ast::ExprId id, const std::string& name) {
    return Match(
        program_.exprs[id].node, [](const ast::IntLiteral&) { return false; },
        [](const ast::FloatLiteral&) { return false; },
        [&](const ast::NameRef& n) { return Identity(n.name) == Identity(name); },
        [&](const ast::Access& n) { return Identity(n.name.text) == Identity(name); },
        [&](const ast::Unary& n) { return Reads(n.operand, name); },
        [&](const ast::Binary& n) { return Reads(n.lhs, name) || Reads(n.rhs, name); },
        [&](const ast::Conditional& n) {
          return Reads(n.condition, name) || Reads(n.then_value, name) || Reads(n.else_value, name);
        },
        [&](const ast::Call& n) {
          return std::any_of(n.arguments.begin(), n.arguments.end(),
                             [&](ast::ExprId argument) { return Reads(argument, name); });
        });
  }

  /// True where the value differs from point to point.
  bool Varies(ast::ExprId id, const std::set<std::string>& uniform) {
    return Match(
        program_.exprs[id].node, [](const ast::IntLiteral&) { return false; },
        [](const ast::FloatLiteral&) { return false; },
        [&](const ast::NameRef& n) {
          if (FindLocalScalar(n.name) != nullptr) return uniform.count(n.name) == 0;
          return std::any_of(program_.iterators.begin(), program_.iterators.end(),
                             [&](const ast::Name& it) { return it.text == n.name; });
        },
        [&](const ast::Access& n) {
          return std::any_of(n.indices.begin(), n.indices.end(),
                             [&](ast::ExprId index) { return Varies(index, uniform); });
        },
        [&](const ast::Unary& n) { return Varies(n.operand, uniform); },
        [&](const ast::Binary& n) { return Varies(n.lhs, uniform) || Varies(n.rhs, uniform); },
        [&](const ast::Conditional& n) {
          return Varies(n.condition, uniform) || Varies(n.then_value, uniform) ||
                 Varies(n.else_value, uniform);
        },
        [&](const ast::Call& n) {
          return std::any_of(n.arguments.begin(), n.arguments.end(),
                             [&](ast::ExprId argument) { return Varies(argument, uniform); });
        });
  }

  // --- domains as sets of points ---

  bool SameDomain(const Step& a, const Step& b) {
    if (!a.domain || !b.domain) return !a.domain && !b.domain;
    const auto& x = a.domain->ranges;
    const auto& y = b.domain->ranges;
    if (x.size() != y.size()) return false;
    for (std::size_t d = 0; d < x.size(); ++d) {
      if (Eval(x[d].lo, {}).value != Eval(y[d].lo, {}).value) return false;
      if (Eval(x[d].hi, {}).value != Eval(y[d].hi, {}).value) return false;
    }
    return true;
  }

  /// The same elements of the array, iterator offsets aside: those only shift the statement.
  bool SameTarget(const Step& a, const Step& b) {
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      const double first = Eval(a.indices[d], {}).value;
      const double second = Eval(b.indices[d], {}).value;
      bool shiftable = false;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Point unit{};
        unit[axis] = 1;
        const double step = Eval(a.indices[d], unit).value - first;
        if (step != Eval(b.indices[d], unit).value - second) return false;
        shiftable = shiftable || step == 1;
      }
      if (!shiftable && first != second) return false;
    }
    return true;
  }

  void FindGroups(std::vector<Step>& steps) {
    int groups = 0;
    std::map<std::string, std::vector<std::size_t>> leaders;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Step& step = steps[i];
      if (step.program_scalar) continue;
      auto& open = leaders[Identity(step.target)];
      if (!step.update) open.clear();
      const auto leader = std::find_if(open.begin(), open.end(), [&](std::size_t first) {
        return SameTarget(step, steps[first]) && (!step.domain || SameDomain(step, steps[first]));
      });
      if (leader == open.end()) {
        step.group = groups++;
        open.push_back(i);
      } else {
        step.group = steps[*leader].group;
      }
    }
  }

  std::vector<bool> TargetIterators(const Step& step) {
    std::vector<bool> used(program_.iterators.size(), step.indices.empty());
    for (std::size_t d = 0; d < used.size(); ++d) {
      Point p{};
      p[d] = 1;
      for (const ast::ExprId index : step.indices) {
        if (Eval(index, p).value != Eval(index, {}).value) used[d] = true;
      }
    }
    return used;
  }

  bool InDomain(const ast::DomainSpec& domain, const std::vector<bool>& used, const Point& p) {
    const bool all = domain.ranges.size() == used.size();
    std::size_t range = 0;
    for (std::size_t d = 0; d < used.size(); ++d) {
      if (!all && !used[d]) continue;
      const ast::Range& r = domain.ranges[range++];
      const auto x = static_cast<double>(p[d]);
      if (used[d] && (x < Eval(r.lo, {}).value || x > Eval(r.hi, {}).value)) return false;
    }
    return true;
  }

  /// The points a statement may have by its domains and the array it writes.
  Points Candidates(const Step& step, const std::optional<ast::DomainSpec>& call_domain) {
    const std::vector<bool> used = TargetIterators(step);
    constexpr std::int64_t kMargin = 6;  // larger than any offset
    std::array<std::int64_t, 3> lo{}, hi{};
    for (std::size_t d = 0; d < used.size(); ++d) {
      if (!used[d]) continue;
      lo[d] = -kMargin;
      hi[d] = largest_ + kMargin;
    }
    const ast::Access access{{step.target, {}}, step.indices};
    Points points;
    Point p{};
    for (p[0] = lo[0]; p[0] <= hi[0]; ++p[0]) {
      for (p[1] = lo[1]; p[1] <= hi[1]; ++p[1]) {
        for (p[2] = lo[2]; p[2] <= hi[2]; ++p[2]) {
          if (call_domain && !InDomain(*call_domain, used, p)) continue;
          if (step.domain && !InDomain(*step.domain, used, p)) continue;
          if (step.local_scalar || WritesInside(access, p)) points.insert(p);
        }
      }
    }
    return points;
  }

  bool WritesInside(const ast::Access& access, const Point& p) {
    const DirectArray& array = *FindArray(access.name.text);
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      const double x = Eval(access.indices[d], p).value;
      if (x < 0 || x >= static_cast<double>(array.shape[d])) return false;
    }
    return true;
  }

  void FindPoints(std::vector<Step>& steps, const std::optional<ast::DomainSpec>& call_domain) {
    for (Step& step : steps) {
      if (!step.program_scalar && !step.uniform) step.points = Candidates(step, call_domain);
    }
    IntersectGroups(steps);
    for (bool changed = true; changed;) {
      changed = false;
      computed_scalars_.clear();
      computed_arrays_.clear();
      uniform_now_.clear();
      for (Step& step : steps) {
        if (step.program_scalar) continue;
        if (step.uniform) {
          const bool old_value = step.op == AssignOp::Assign || OldReadable(step, {});
          step.computed = old_value && Readable(step.value, {});
          if (step.computed) uniform_now_.insert(step.target);
          continue;
        }
        changed = Shrink(step, steps) || changed;
        MarkComputed(step);
      }
    }
  }

  /// A group starts from the points that the domains of all its members allow.
  void IntersectGroups(std::vector<Step>& steps) {
    std::map<int, std::set<std::vector<std::int64_t>>> common;
    for (const Step& step : steps) {
      if (step.group < 0 || step.uniform) continue;
      std::set<std::vector<std::int64_t>> written;
      for (const Point& p : step.points) written.insert(Written(step, p));
      const auto [place, first] = common.try_emplace(step.group, written);
      if (first) continue;
      for (auto it = place->second.begin(); it != place->second.end();) {
        it = written.count(*it) > 0 ? std::next(it) : place->second.erase(it);
      }
    }
    for (Step& step : steps) {
      if (step.group < 0 || step.uniform) continue;
      for (auto p = step.points.begin(); p != step.points.end();) {
        p = common[step.group].count(Written(step, *p)) > 0 ? std::next(p) : step.points.erase(p);
      }
    }
  }

  /// Drops the points that cannot be computed, from the whole accumulation group.
  bool Shrink(const Step& step, std::vector<Step>& steps) {
    std::set<std::vector<std::int64_t>> lost;
    for (const Point& p : step.points) {
      const bool old_value = step.op == AssignOp::Assign || OldReadable(step, p);
      if (!old_value || !Readable(step.value, p)) lost.insert(Written(step, p));
    }
    if (lost.empty()) return false;
    for (Step& other : steps) {
      if (other.group != step.group || other.uniform || other.program_scalar) continue;
      for (auto p = other.points.begin(); p != other.points.end();) {
        p = lost.count(Written(other, *p)) > 0 ? other.points.erase(p) : std::next(p);
      }
    }
    return true;
  }

  /// Where the statement writes at p: the element of an array, the point itself for a scalar.
  std::vector<std::int64_t> Written(const Step& step, const Point& p) {
    if (step.indices.empty()) return {p.begin(), p.end()};
    std::vector<std::int64_t> element;
    for (const ast::ExprId index : step.indices) {
      element.push_back(static_cast<std::int64_t>(Eval(index, p).value));
    }
    return element;
  }

  bool OldReadable(const Step& step, const Point& p) {
    if (step.local_scalar) {
      return uniform_now_.count(step.target) > 0 || computed_scalars_[step.target].count(p) > 0;
    }
    if (formals_.count(step.target) > 0 || !IsLocalArray(step.target)) return true;
    std::optional<double> constant;
    const ast::Access access{{step.target, {}}, step.indices};
    const auto element = Element(access, *FindArray(step.target), p, &constant);
    return element && computed_arrays_[step.target].count(*element) > 0;
  }

  void MarkComputed(const Step& step) {
    if (step.local_scalar) {
      computed_scalars_[step.target].insert(step.points.begin(), step.points.end());
      return;
    }
    if (formals_.count(step.target) > 0 || !IsLocalArray(step.target)) return;
    const ast::Access access{{step.target, {}}, step.indices};
    for (const Point& p : step.points) {
      std::optional<double> constant;
      computed_arrays_[step.target].insert(*Element(access, *FindArray(step.target), p, &constant));
    }
  }

  // --- execution: everything is read before anything is written ---

  void Execute(const Step& step) {
    if (step.program_scalar) {
      DirectArray& scalar = *FindArray(step.target);
      const DirectNumber number = NewValue(step, {});
      scalar.values[0] = DirectConvert(number, scalar.type).value;
      scalar.defined[0] = number.defined ? 1 : 0;
      return;
    }
    if (step.local_scalar) {
      LocalScalar& scalar = local_scalars_.at(step.target);
      if (step.uniform) {
        if (!step.computed) return;
        scalar.uniform_value = DirectConvert(NewValue(step, {}), scalar.type);
        scalar.values.clear();
        return;
      }
      std::map<Point, DirectNumber> fresh;
      for (const Point& p : step.points) fresh[p] = DirectConvert(NewValue(step, p), scalar.type);
      for (const auto& [p, number] : fresh) scalar.values[p] = number;
      return;
    }
    DirectArray& array = *FindArray(step.target);
    const ast::Access access{{step.target, {}}, step.indices};
    std::vector<std::pair<std::size_t, DirectNumber>> writes;
    for (const Point& p : step.points) {
      std::optional<double> constant;
      writes.emplace_back(*Element(access, array, p, &constant),
                          DirectConvert(NewValue(step, p), array.type));
    }
    for (const auto& [element, number] : writes) {
      array.values[element] = number.value;
      array.defined[element] = number.defined ? 1 : 0;
    }
  }

  DirectNumber NewValue(const Step& step, const Point& p) {
    const DirectNumber value = Eval(step.value, p);
    if (step.op == AssignOp::Assign) return value;
    if (step.indices.empty()) {
      return DirectBinary(UpdateOperator(step.op), EvalName(step.target, p), value);
    }
    DirectArray& array = *FindArray(step.target);
    std::optional<double> constant;
    const std::size_t element = *Element({{step.target, {}}, step.indices}, array, p, &constant);
    const DirectNumber old{array.values[element], !IsFloating(array.type),
                           array.defined[element] != 0};
    return DirectBinary(UpdateOperator(step.op), old, value);
  }

  const ast::Program& program_;
  const std::map<std::string, std::int64_t>& parameters_;
  DirectState& state_;
  std::int64_t largest_ = 1;
  std::map<std::string, const ast::BoundarySpec*> boundaries_;
  std::map<std::string, ast::ExprId> formals_;
  std::map<std::string, DirectArray> local_arrays_;
  std::map<std::string, LocalScalar> local_scalars_;
  std::map<std::string, Points> computed_scalars_;
  std::map<std::string, std::set<std::size_t>> computed_arrays_;
  std::set<std::string> uniform_now_;
};

}  // namespace

void EvaluateDirectly(const ast::Program& program,
                      const std::map<std::string, std::int64_t>& parameters, DirectState& state) {
  Evaluation(program, parameters, state).Run();
}

}  // namespace stencilgen::testing
