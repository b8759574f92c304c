#include "scop/domains.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <isl/set.h>

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kNoBox{"c-no-box", Severity::Error,
                                  "the bounds of these loops are no sums of sizes"};

/// All points in all turns of the loops around, which know nothing of each other's counters.
isl::set AllTurns(const Writing& writing, const Frame& frame) {
  const auto count = static_cast<unsigned>(frame.size());
  const auto dims = Tuple(frame.size(), 'e');
  isl::set all = writing.model.Set(fmt::format("{{ [{}] }}", dims));
  for (unsigned k = 0; k < frame.turns.size(); ++k) {
    isl_set* turns = isl_set_insert_dims(writing.turns[k].values.copy(), isl_dim_set, 0, k);
    turns = isl_set_insert_dims(turns, isl_dim_set, k + 1, count - k - 1);
    all = all.intersect(isl::manage(turns));
  }
  return all;
}

/// The values of one counter in a set of a step's instances.
isl::set Only(const isl::set& domain, std::size_t size, std::size_t level) {
  const auto k = static_cast<unsigned>(level);
  isl_set* only =
      isl_set_project_out(domain.copy(), isl_dim_set, k + 1, static_cast<unsigned>(size) - k - 1);
  only = isl_set_project_out(only, isl_dim_set, 0, k);
  return isl::manage(only);
}

/// A bound of all points along one dimension. Where conditions make several cases of it, it is the
/// one for large sizes: 1 for those of `i < 2 && i < n - 2`; at other sizes, too, none is beyond
/// it. Empty where no case is such a bound.
std::optional<Linear> BoundOf(const Writing& writing, const isl::set& places, std::size_t c,
                              bool least) {
  const auto bound = [&](const isl::set& set) {
    return least ? SmallestOf(set, c) : LargestOf(set, c);
  };
  if (auto one = bound(places)) return one;
  std::vector<Linear> candidates;
  const isl::set large = places.intersect_params(LargeSizes(writing));
  if (!large.is_empty()) {
    if (auto one = bound(large)) candidates.push_back(*std::move(one));
  }
  for (Linear& each : least ? SmallestCasesOf(places, c) : LargestCasesOf(places, c)) {
    candidates.push_back(std::move(each));
  }
  const auto size = static_cast<std::size_t>(isl_set_dim(places.get(), isl_dim_set));
  for (const Linear& each : candidates) {
    const isl::set within = writing.model.Set(fmt::format("{{ [{}] : l{} {} {} }}", Tuple(size), c,
                                                          least ? ">=" : "<=", IslText(each, {})));
    if (places.is_subset(within)) return each;
  }
  return std::nullopt;
}

/// Conditions on the counters of a step.
class Conditions {
 public:
  Conditions(Writing& writing, const Step& step, const Frame& frame, ValueWriter& values)
      : writing_(writing), step_(step), frame_(frame), values_(values) {}

  void Add(ast::ExprId condition) {
    all_ =
        all_ ? writing_.Add({ast::Binary{BinaryOp::And, *all_, condition}, step_.span}) : condition;
  }

  /// The bounds of a loop that instances of the box leave, and its steps.
  void AddBounds(std::size_t k, const isl::set& around) {
    const auto& loop = std::get<Loop>(writing_.region.statements[step_.loops[k]].node);
    // As everywhere, not as at the step's own points: the box has others, too.
    const isl::map counters = frame_.MapOf(writing_.model, step_).reverse();
    std::optional<Linear> counter;
    if (OneOutput(counters, k).is_single_valued()) counter = ToLinear(OutputOf(counters, k));
    if (!counter) counter = ToLinear(OutputOf(counters.intersect_range(step_.domain), k));
    if (!counter) return;
    if (IsOneValue(loop)) {
      if (Leaves(around, k, BinaryOp::Equal, loop.first)) {
        Compare(*counter, BinaryOp::Equal, loop.first);
      }
      return;
    }
    const bool up = loop.step > 0;
    const BinaryOp from = up ? BinaryOp::GreaterEqual : BinaryOp::LessEqual;
    if (Leaves(around, k, from, loop.first)) Compare(*counter, from, loop.first);
    for (const Bound& bound : loop.bounds) {
      BinaryOp op = bound.comparison;
      if (op == BinaryOp::NotEqual) op = up ? BinaryOp::Less : BinaryOp::Greater;
      if (Leaves(around, k, op, bound.value)) Compare(*counter, op, bound.value);
    }
    if (loop.step != 1 && loop.step != -1) AddStride(*counter, loop);
  }

  std::optional<ast::ExprId> all() const { return all_; }

 private:
  /// True where the comparison of the counter with the bound fails somewhere in the box.
  bool Leaves(const isl::set& around, std::size_t k, BinaryOp op, ExprId bound) const {
    const Scope scope = ScopeOf(writing_.region, step_.loops);
    const auto pieces = writing_.model.affine->Value(bound, scope);
    if (!pieces) return true;
    std::string holds;
    for (const Piece& piece : *pieces) {
      holds +=
          fmt::format("{}(l{} {} {}{})", holds.empty() ? "" : " or ", k,
                      op == BinaryOp::Equal ? "=" : ToString(op), piece.value,
                      piece.condition.empty() ? "" : fmt::format(" and ({})", piece.condition));
    }
    const isl::set inside = writing_.model.Set(
        fmt::format("{{ S{}[{}] : {} }}", step_.number, Tuple(step_.loops.size()), holds));
    return !around.is_subset(inside);
  }

  /// `for (j = value; j <= value; j++)`
  static bool IsOneValue(const Loop& loop) {
    return loop.step == 1 && loop.bounds.size() == 1 && loop.bounds[0].value == loop.first &&
           loop.bounds[0].comparison == BinaryOp::LessEqual;
  }

  ast::ExprId Counter(const Linear& counter) {
    return writing_.Write(counter, &frame_, step_.span);
  }

  void Compare(const Linear& counter, BinaryOp op, ExprId bound) {
    const auto value = values_.Write(step_, bound);
    if (value) Add(writing_.Add({ast::Binary{op, Counter(counter), value->id}, step_.span}));
  }

  void AddStride(const Linear& counter, const Loop& loop) {
    const auto first = values_.Write(step_, loop.first);
    if (!first) return;
    const Span span = step_.span;
    const bool up = loop.step > 0;
    const ast::ExprId from = up ? first->id : Counter(counter);
    const ast::ExprId to = up ? Counter(counter) : first->id;
    const ast::ExprId way = writing_.Add({ast::Binary{BinaryOp::Sub, to, from}, span});
    const ast::ExprId width = writing_.Integer(std::abs(loop.step), span);
    const ast::ExprId rest = writing_.Add({ast::Binary{BinaryOp::Mod, way, width}, span});
    Add(writing_.Add({ast::Binary{BinaryOp::Equal, rest, writing_.Integer(0, span)}, span}));
  }

  Writing& writing_;
  const Step& step_;
  const Frame& frame_;
  ValueWriter& values_;
  std::optional<ast::ExprId> all_;
};

}  // namespace

isl::set LargeSizes(const Writing& writing) {
  static constexpr int kLarge = 64;
  std::string conditions = "0 = 0";
  for (const auto& [variable, extents] : writing.extents) {
    for (const Linear& extent : extents) {
      for (const auto& [symbol, factor] : extent.symbols) {
        conditions += fmt::format(" and {} >= {}", AffineReader::NameOf(symbol), kLarge);
      }
    }
  }
  return writing.model.Set(fmt::format("{{ : {} }}", conditions));
}

isl::set CounterValues(const Step& step, std::size_t level) {
  return Only(step.loop_domain, step.loops.size(), level);
}

isl::set CounterValuesAround(const Step& step, std::size_t level) {
  const auto inside = static_cast<unsigned>(level + 1);
  const auto count = static_cast<unsigned>(step.loops.size()) - inside;
  isl_set* free =
      isl_set_drop_constraints_involving_dims(step.loop_domain.copy(), isl_dim_set, inside, count);
  return Only(isl::manage(free).coalesce(), step.loops.size(), level);
}

std::optional<StepDomain> WriteDomain(Writing& writing, const Step& step, const Frame& frame) {
  const isl::set sizes = writing.context.intersect(writing.valid);
  const isl::set points =
      step.domain.intersect_params(sizes).apply(frame.MapOf(writing.model, step));
  const auto turns = static_cast<unsigned>(frame.turns.size());
  // Without the strides of loops: their last point is a quotient of sizes.
  const isl::set places =
      isl::manage(isl_set_remove_divs(isl_set_project_out(points.copy(), isl_dim_set, 0, turns)));
  // Where no case of a bound holds for all sizes, it is that of the loops.
  const isl::set looped =
      step.loop_domain.intersect_params(sizes).apply(frame.MapOf(writing.model, step));
  const isl::set loops =
      isl::manage(isl_set_remove_divs(isl_set_project_out(looped.copy(), isl_dim_set, 0, turns)));
  StepDomain domain;
  const std::vector<std::string> dims = frame.Dims();
  std::string text = fmt::format("{{ [{}] : 0 = 0", Tuple(frame.size(), 'e'));
  std::vector<std::pair<std::size_t, ast::Range>> ranges;
  for (std::size_t c = 0; c < frame.iterators.size(); ++c) {
    auto low = BoundOf(writing, places, c, true);
    auto high = BoundOf(writing, places, c, false);
    if (!low) low = SmallestOf(loops, c);
    if (!high) high = LargestOf(loops, c);
    if (!low || !high) {
      const std::size_t last = writing.iterators.size() - frame.iterators[c];
      const auto found = writing.extents.find(step.target.index);
      if (found == writing.extents.end()) {
        writing.sink.Report(step.span, kNoBox)
            .Hint("compute the bounds before the region, in variables of their own");
        return std::nullopt;
      }
      low = Number(0);
      high = Sum(found->second[found->second.size() - last], Number(-1));
    }
    text += fmt::format(" and {0} <= {1} <= {2}", IslText(*low, {}), dims[turns + c],
                        IslText(*high, {}));
    ranges.push_back(
        {frame.iterators[c],
         {writing.Write(*low, nullptr, step.span), writing.Write(*high, nullptr, step.span)}});
  }
  const isl::set around =
      AllTurns(writing, frame).intersect(writing.model.Set(text + " }")).intersect_params(sizes);
  if (domain.box == Box::Exact && !around.is_subset(points)) domain.box = Box::Around;
  domain.strided = !isl::manage(isl_set_remove_divs(points.copy())).is_subset(points);
  domain.around = around.apply(frame.MapOf(writing.model, step).reverse());
  if (ranges.empty()) return domain;
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  domain.ranges.emplace();
  domain.ranges->span = step.span;
  for (const auto& range : ranges) domain.ranges->ranges.push_back(range.second);
  return domain;
}

std::optional<ast::ExprId> WriteCondition(Writing& writing, const Step& step, const Frame& frame,
                                          ValueWriter& values, const StepDomain& domain,
                                          bool local) {
  Conditions conditions(writing, step, frame, values);
  const bool exact = domain.box == Box::Exact;
  for (std::size_t k = 0; !local && !exact && k < step.loops.size(); ++k) {
    conditions.AddBounds(k, *domain.around);
  }
  const auto scalar = writing.model.privates.find(step.target);
  const std::size_t known = local ? scalar->second.guards : 0;
  for (std::size_t k = known; k < step.guards.size(); ++k) {
    const Guard& guard = step.guards[k];
    if (guard.affine && exact && !local) continue;
    const auto condition = values.Write(step, guard.condition);
    if (!condition) continue;
    const Span span = step.span;
    conditions.Add(guard.negated ? writing.Add({ast::Unary{UnaryOp::Not, condition->id}, span})
                                 : condition->id);
  }
  return conditions.all();
}

}  // namespace stencilgen::scop
