// Whether the region's dependences hold in the order of array assignments.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <isl/map.h>

#include "scop/order.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string, std::string, std::string> kFlow{
    "scop-dependence", Severity::Error, "{}, which has been written {}, is read {}"};
constexpr DiagnosticKind<std::string, std::string, std::string> kAnti{
    "scop-dependence", Severity::Error, "{}, which has been read {}, is written {}"};
constexpr DiagnosticKind<std::string, std::string, std::string> kOutput{
    "scop-dependence", Severity::Error, "{}, which has been written {}, is written again {}"};

isl::map Before(const isl::map& a, const isl::map& b) {
  return isl::manage(isl_map_lex_lt_map(a.copy(), b.copy()));
}
isl::map NotAfter(const isl::map& a, const isl::map& b) {
  return isl::manage(isl_map_lex_le_map(a.copy(), b.copy()));
}

/// Where instances of the two steps first differ, and by how many iterations.
struct Carrier {
  std::optional<std::size_t> loop;  ///< empty: by none, the statements stand one after the other
  std::optional<long> distance;     ///< where it is always the same
};

class Checker {
 public:
  Checker(const Model& model, const Order& order, DiagnosticSink& sink)
      : model_(model), order_(order), sink_(sink) {
    for (const Step& step : model.steps) size_ = std::max(size_, 2 * step.loops.size() + 1);
  }

  OrderCheck Run() {
    for (const Step& step : model_.steps) {
      old_.push_back(OldTimes(model_, step, size_).intersect_domain(step.domain));
      new_.push_back(NewTimes(model_, order_, step, size_).intersect_domain(step.domain));
    }
    // What is read too late says most: of scalars, the rest follows from it.
    for (const bool flow : {true, false}) {
      for (const Step& a : model_.steps) {
        for (const Step& b : model_.steps) Check(a, b, flow);
      }
    }
    return std::move(check_);
  }

 private:
  void Check(const Step& a, const Step& b, bool flow) {
    for (const Access& first : a.accesses) {
      for (const Access& second : b.accesses) {
        if (first.storage != second.storage || (!first.write && !second.write)) continue;
        if ((first.write && !second.write) != flow || scalars_.count(first.storage) > 0) continue;
        if (a.number == b.number && order_.placements[a.number].reduces &&
            first.variable == a.target) {
          continue;  // a sum may be added up in any order
        }
        Check(a, first, b, second);
      }
    }
  }

  /// Orders of two steps' instances.
  struct Orders {
    std::optional<isl::map> old_before, new_before, new_not_after;
  };

  const isl::map& OldBefore(const Step& a, const Step& b) {
    auto& order = orders_[{a.number, b.number}].old_before;
    if (!order) order = Before(old_[a.number], old_[b.number]);
    return *order;
  }

  /// All reads of an array assignment come before its writes.
  const isl::map& Kept(const Step& a, const Access& first, const Step& b) {
    Orders& orders = orders_[{a.number, b.number}];
    const bool read_first = a.number == b.number && !first.write;
    auto& order = read_first ? orders.new_not_after : orders.new_before;
    const isl::map &from = new_[a.number], &to = new_[b.number];
    if (!order) order = read_first ? NotAfter(from, to) : Before(from, to);
    return *order;
  }

  /// True where both accesses are of a scalar that each iteration has for itself, and the steps of
  /// an iteration keep their order.
  bool KeptInIteration(const Step& a, const Access& first, const Step& b,
                       const Access& second) const {
    const auto found = model_.privates.find(first.variable);
    if (found == model_.privates.end() || first.variable != second.variable) return false;
    const Placement &from = order_.placements[a.number], &to = order_.placements[b.number];
    if (a.loops != b.loops || found->second.depth != a.loops.size() || from.stays != to.stays) {
      return false;
    }
    return !(a.position < b.position) || from.position < to.position;
  }

  void Check(const Step& a, const Access& first, const Step& b, const Access& second) {
    if (KeptInIteration(a, first, b, second)) return;
    isl::map pairs = first.place.apply_range(second.place.reverse());
    pairs = pairs.intersect(OldBefore(a, b));
    if (pairs.is_empty()) return;
    const isl::map broken = pairs.subtract(Kept(a, first, b));
    if (broken.is_empty()) return;
    check_.holds = false;
    if (const Carrier carrier = CarrierOf(a, b, broken); carrier.loop) {
      check_.carriers.insert(a.loops[*carrier.loop]);
    }
    if (model_.region->variables[first.variable].extents.empty()) {
      scalars_.insert(first.storage);
      if (!first.write && ReportCarried(first.storage)) return;
    }
    Report(a, first, b, second, Nearest(a, b, broken, second.write));
  }

  /// Of the pairs those that lie closest together: for each instance of `a` the first one of `b`,
  /// or for each of `b` the last one of `a`.
  isl::map Nearest(const Step& a, const Step& b, const isl::map& pairs, bool forward) const {
    if (forward) {
      const isl::map& times = old_[b.number];
      return pairs.apply_range(times).lexmin().apply_range(times.reverse()).intersect(pairs);
    }
    const isl::map& times = old_[a.number];
    return pairs.reverse()
        .apply_range(times)
        .lexmax()
        .apply_range(times.reverse())
        .reverse()
        .intersect(pairs);
  }

  /// Reports a read of a scalar whose value comes from an earlier iteration. False where there is
  /// none.
  bool ReportCarried(VariableId scalar) {
    struct Writer {
      const Step* step;
      const Access* access;
      isl::map pairs;  ///< from reads to writes before them
    };
    for (const Step& b : model_.steps) {
      for (const Access& read : b.accesses) {
        if (read.write || read.storage != scalar) continue;
        std::vector<Writer> writers;
        std::optional<isl::map> times;
        for (const Step& a : model_.steps) {
          const Access& write = a.accesses.back();
          if (write.storage != scalar) continue;
          const isl::map pairs = write.place.apply_range(read.place.reverse())
                                     .intersect(Before(old_[a.number], old_[b.number]))
                                     .reverse();
          const isl::map at = pairs.apply_range(old_[a.number]);
          times = times ? times->unite(at) : at;
          writers.push_back({&a, &write, pairs});
        }
        if (!times) continue;
        const isl::map last = times->lexmax();
        for (const auto& [a, write, pairs] : writers) {
          const isl::map from =
              last.apply_range(old_[a->number].reverse()).intersect(pairs).reverse();
          if (from.is_empty() || !CarrierOf(*a, b, from).loop) continue;
          Report(*a, *write, b, read, from);
          return true;
        }
      }
    }
    return false;
  }

  std::string TextOfAccess(const Step& step, const Access& access) const {
    if (!access.expr.Valid()) {
      return fmt::format("`{}`", model_.region->variables[step.target].text);
    }
    return fmt::format("`{}`", SourceText(access.expr));
  }

  std::string SourceText(ExprId id) const {
    std::string text = TextOf(*model_.region, id);
    // Outer parentheses of subscripts say nothing.
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
      const bool open = text[k] == '(' && k > 0 && text[k - 1] == '[';
      const bool close = text[k] == ')' && k + 1 < text.size() && text[k + 1] == ']';
      if (!open && !close) out.push_back(text[k]);
    }
    std::string tight;
    bool inside = false;
    for (const char c : out) {
      if (c == '[') inside = true;
      if (c == ']') inside = false;
      if (c != ' ' || !inside) tight.push_back(c);
    }
    return tight;
  }

  Span SpanOf(const Step& step, const Access& access) const {
    return access.expr.Valid() ? model_.region->exprs[access.expr].span : step.span;
  }

  Carrier CarrierOf(const Step& a, const Step& b, const isl::map& broken) const {
    std::size_t common = 0;
    while (common < std::min(a.loops.size(), b.loops.size()) &&
           a.loops[common] == b.loops[common]) {
      ++common;
    }
    std::string same;
    for (std::size_t k = 0; k < common; ++k) {
      const isl::map here = broken.intersect(model_.Map(
          fmt::format("{{ S{}[{}] -> S{}[{}] : {}l{} != m{} }}", a.number, Tuple(a.loops.size()),
                      b.number, Tuple(b.loops.size(), 'm'), same, k, k)));
      if (!here.is_empty()) {
        const isl::map difference = model_.Map(
            fmt::format("{{ [S{}[{}] -> S{}[{}]] -> [m{} - l{}] }}", a.number,
                        Tuple(a.loops.size()), b.number, Tuple(b.loops.size(), 'm'), k, k));
        const isl::set distances = here.wrap().apply(difference);
        Carrier carrier{k, std::nullopt};
        const isl::val least = distances.dim_min_val(0);
        const isl::val most = distances.dim_max_val(0);
        if (least.is_int() && most.is_int()) {
          const auto& loop = std::get<Loop>(model_.region->statements[a.loops[k]].node);
          const long nearest = least.num_si() > 0 ? least.num_si() : most.num_si();
          const bool one = least.eq(most);
          if (one) carrier.distance = std::abs(nearest / loop.step);
        }
        return carrier;
      }
      same += fmt::format("l{} = m{} and ", k, k);
    }
    return {};
  }

  void Report(const Step& a, const Access& first, const Step& b, const Access& second,
              const isl::map& broken) {
    const Carrier carrier = CarrierOf(a, b, broken);
    std::string later = "later in the same iteration";
    std::string counter;
    if (carrier.loop) {
      const auto& loop = std::get<Loop>(model_.region->statements[a.loops[*carrier.loop]].node);
      counter = model_.region->variables[loop.iterator].text;
      later = !carrier.distance ? fmt::format("in later iterations of `{}`", counter)
              : *carrier.distance == 1
                  ? fmt::format("one iteration of `{}` later", counter)
                  : fmt::format("{} iterations of `{}` later", *carrier.distance, counter);
    }
    const std::string target = TextOfAccess(b, second);
    const std::string source = fmt::format("as {}", TextOfAccess(a, first));
    auto report = !first.write   ? sink_.Report(SpanOf(b, second), kAnti, target, source, later)
                  : second.write ? sink_.Report(SpanOf(b, second), kOutput, target, source, later)
                                 : sink_.Report(SpanOf(b, second), kFlow, target, source, later);
    report.Note(SpanOf(a, first), first.write ? "written here" : "read here");
    if (carrier.loop) {
      report.Note(model_.region->statements[a.loops[*carrier.loop]].span,
                  "the loop that is in the way");
    }
    report.Hint(HintFor(a, b, first, second, carrier));
  }

  /// True where a step reads elements that it writes later in the loops from number `k` on, as
  /// relaxations in place do.
  bool ReadsAhead(const Step& step, std::size_t k) const {
    const Access& write = step.accesses.back();
    return std::any_of(step.accesses.begin(), step.accesses.end(), [&](const Access& read) {
      if (read.write || read.storage != write.storage) return false;
      const isl::map same = model_.Map(SameLoops(step, k));
      const isl::map later = read.place.apply_range(write.place.reverse()).intersect(same);
      return !later.intersect(Before(old_[step.number], old_[step.number])).is_empty();
    });
  }

  /// Instances of one step in the same iteration of its first `count` loops.
  static std::string SameLoops(const Step& step, std::size_t count) {
    std::string same;
    for (std::size_t k = 0; k < count; ++k) {
      same += fmt::format("{}l{} = m{}", k > 0 ? " and " : " : ", k, k);
    }
    return fmt::format("{{ S{0}[{1}] -> S{0}[{2}]{3} }}", step.number, Tuple(step.loops.size()),
                       Tuple(step.loops.size(), 'm'), same);
  }

  std::string HintFor(const Step& a, const Step& b, const Access& first, const Access& second,
                      const Carrier& carrier) const {
    const bool scalar = model_.region->variables[first.variable].extents.empty();
    if (scalar) {
      return "an array assignment computes all points at once: no scalar carries a value from one "
             "point to the next";
    }
    if (first.write && !second.write && carrier.loop && !carrier.distance) {
      return "iterations need what others have written at distances that differ, as in a "
             "factorisation: no array assignment computes that. End the region before this loop";
    }
    if (first.write && !second.write && a.number == b.number) {
      if (!ReadsAhead(a, carrier.loop.value_or(0))) {
        return "each value needs the one before it, as in a running sum or a solver along a line: "
               "no array assignment computes that. End the region before this loop";
      }
      return "an array assignment computes all points at once, from values before it: update in "
             "two colours (all even points, then all odd ones), or write a second array";
    }
    if (a.number != b.number) {
      return "each statement is computed at all points before the next one: put the statements "
             "into loops of their own where that is what is meant, or write a second array";
    }
    return "each element is written once by an array assignment";
  }

  const Model& model_;
  const Order& order_;
  DiagnosticSink& sink_;
  std::size_t size_ = 1;
  OrderCheck check_{true, {}};
  std::set<VariableId> scalars_;  ///< that have been reported
  std::vector<isl::map> old_, new_;
  std::map<std::pair<std::size_t, std::size_t>, Orders> orders_;  ///< by the numbers of two steps
};

}  // namespace

OrderCheck CheckOrder(const Model& model, const Order& order, DiagnosticSink& sink) {
  return Checker(model, order, sink).Run();
}

}  // namespace stencilgen::scop
