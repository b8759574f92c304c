#include "passes/share_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "graph/nodes.h"
#include "graph/regions.h"
#include "graph/slow_operations.h"
#include "graph/verify.h"
#include "graph/walk.h"
#include "passes/copy_body.h"
#include "passes/shared_array.h"
#include "passes/shifted_values.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

constexpr std::size_t kMostArrays = 64;

/// What values of one number are used for.
struct Uses {
  std::vector<Occurrence> occurrences;       // in the order of the region
  std::set<std::pair<int, Offset>> parents;  // numbers of what is made of them, -1: of something
                                             // else; and how far these are from them
};

/// The expressions below the roots that are computed whatever conditions say.
std::set<ExprId> AlwaysComputed(const Graph& graph, const Operator& op) {
  std::set<ExprId> found;
  std::vector<ExprId> pending = {op.value};
  for (const Let& let : op.lets) pending.push_back(let.value);
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (!found.insert(id).second) continue;
    const Expr& expr = graph.exprs[id];
    const auto* choice = std::get_if<Conditional>(&expr.node);
    const auto* binary = std::get_if<Binary>(&expr.node);
    if (choice != nullptr) {
      pending.push_back(choice->condition);
    } else if (binary != nullptr && (binary->op == BinaryOp::And || binary->op == BinaryOp::Or)) {
      pending.push_back(binary->lhs);
    } else {
      VisitOperands(expr, [&](ExprId operand) { pending.push_back(operand); });
    }
  }
  return found;
}

Offset Minus(Offset a, const Offset& b) {
  for (std::size_t x = 0; x < a.size(); ++x) a[x] -= b[x];
  return a;
}

Interval Moved(Interval interval, std::int64_t by) {
  for (auto* bounds : {&interval.lower, &interval.upper}) {
    for (Bound& bound : *bounds) bound.numerator.constant += by * bound.divisor;
  }
  return interval;
}

/// Makes `hull` hold `interval` too. False where a bound has no constant distance from its own.
bool Widen(std::vector<Bound>& hull, const std::vector<Bound>& bounds, bool lower) {
  if (hull.size() != bounds.size()) return false;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    if (hull[k].divisor != bounds[k].divisor) return false;
    if (hull[k].numerator.terms != bounds[k].numerator.terms) return false;
    std::int64_t& constant = hull[k].numerator.constant;
    const std::int64_t other = bounds[k].numerator.constant;
    constant = lower ? std::min(constant, other) : std::max(constant, other);
  }
  return true;
}
bool Widen(Interval& hull, const Interval& interval) {
  return Widen(hull.lower, interval.lower, true) && Widen(hull.upper, interval.upper, false);
}
bool Widen(Domain& hull, const Domain& domain, const std::vector<int>& iterators,
           const Offset& offset) {
  if (hull.guards != domain.guards) return false;
  for (std::size_t n = 0; n < iterators.size(); ++n) {
    const std::int64_t by = offset[static_cast<std::size_t>(iterators[n])];
    if (!Widen(hull.intervals[n], Moved(domain.intervals[n], by))) return false;
  }
  return true;
}

/// True where there are a few points along an iterator, as many at all sizes.
bool HasFewPoints(const Domain& domain) {
  constexpr std::int64_t kFew = 8;
  const auto few = [](const Interval& interval) {
    for (const Bound& lower : interval.lower) {
      for (const Bound& upper : interval.upper) {
        const LinearForm length = upper.numerator - lower.numerator;
        const bool whole = lower.divisor == 1 && upper.divisor == 1;
        if (whole && length.IsConstant() && length.constant < kFew) return true;
      }
    }
    return false;
  };
  return std::any_of(domain.intervals.begin(), domain.intervals.end(), few);
}

/// Shares values of the operators of one region.
class RegionSharer {
 public:
  RegionSharer(Graph& graph, RegionId region, std::int64_t least, std::set<ExprId>& refused)
      : graph_(graph), region_(region), least_(least), refused_(refused), values_(graph) {}

  /// The array's name; empty where nothing is left to share.
  std::optional<std::string> ShareOne() {
    Collect();
    for (const auto& [number, uses] : uses_) {
      if (!IsSlow(uses.occurrences.front())) continue;
      for (const int whole : Surroundings(number)) {
        auto sharing = Plan(whole);
        if (!sharing || refused_.count(sharing->occurrences.front().expr) > 0) continue;
        const Graph before = graph_;
        const std::string name = AddSharedArray(graph_, region_, *sharing, values_);
        if (Verify(graph_).empty()) return name;
        graph_ = before;
        refused_.insert(sharing->occurrences.front().expr);
      }
    }
    return std::nullopt;
  }

 private:
  void Collect() {
    for (const NodeId node : graph_.regions[region_].nodes) {
      const auto* op = std::get_if<Operator>(&graph_.nodes[node]);
      if (op == nullptr || op->reduction || op->iterators.empty()) continue;
      const ShiftedValues::Numbered numbered = values_.Number(*op);
      const std::set<ExprId> always = AlwaysComputed(graph_, *op);
      for (const auto& [id, value] : numbered) {
        NoteParents(id, value, numbered);
        if (value.number < 0 || !DependsOn(value.number, op->iterators)) continue;
        if (std::holds_alternative<LetRef>(graph_.exprs[id].node)) continue;
        uses_[value.number].occurrences.push_back({node, id, value.offset, always.count(id) > 0});
      }
      const ShiftedValue& result = numbered.at(op->value);
      if (result.number >= 0) uses_[result.number].parents.insert({-1, {}});
    }
    for (auto at = uses_.begin(); at != uses_.end();) {
      at = at->second.occurrences.empty() ? uses_.erase(at) : std::next(at);
    }
  }

  void NoteParents(ExprId id, const ShiftedValue& value, const ShiftedValues::Numbered& numbered) {
    VisitOperands(graph_.exprs[id], [&](ExprId operand) {
      const ShiftedValue& each = numbered.at(operand);
      if (each.number < 0) return;
      const bool known = value.number >= 0;
      uses_[each.number].parents.insert(
          {value.number, known ? Minus(value.offset, each.offset) : Offset{}});
    });
  }

  const ShiftClass& ClassOf(int number) const {
    return values_.classes()[static_cast<std::size_t>(number)];
  }

  /// On all of these iterators and no other.
  bool DependsOn(int number, const std::vector<int>& iterators) const {
    const std::vector<bool>& of = ClassOf(number).iterators;
    const auto depends = [&](int x) { return bool{of[static_cast<std::size_t>(x)]}; };
    return std::count(of.begin(), of.end(), true) == std::ptrdiff_t(iterators.size()) &&
           std::all_of(iterators.begin(), iterators.end(), depends);
  }

  /// A division, but by what is the same at all points; a root or a function.
  bool IsSlow(const Occurrence& at) const {
    const Expr& expr = graph_.exprs[at.expr];
    if (SlowOperations(graph_, expr) == 0) return false;
    const auto* division = std::get_if<Binary>(&expr.node);
    if (division == nullptr) return true;
    const auto& op = OperatorOf(graph_, at.node);
    std::vector<bool> uniform;
    for (const Let& let : op.lets) uniform.push_back(IsUniform(graph_, let.value, uniform));
    return !IsUniform(graph_, division->rhs, uniform);
  }

  /// The largest value that is all that this one is used for, and the value itself.
  std::vector<int> Surroundings(int number) const {
    int at = number;
    for (;;) {
      const auto found = uses_.find(at);
      if (found == uses_.end() || found->second.parents.size() != 1) break;
      const int parent = found->second.parents.begin()->first;
      if (parent < 0 || uses_.count(parent) == 0 || !IsFloating(ClassOf(parent).type)) break;
      if (ClassOf(parent).iterators != ClassOf(at).iterators) break;
      at = parent;
    }
    return at == number ? std::vector<int>{number} : std::vector<int>{at, number};
  }

  /// How the value becomes an array, where that saves enough.
  std::optional<SharedArray> Plan(int number) const {
    const std::vector<Occurrence>& all = uses_.at(number).occurrences;
    if (Saved(number, all) < least_) return std::nullopt;
    SharedArray sharing;
    sharing.number = number;
    const Operator& first = OperatorOf(graph_, MainNode(all));
    sharing.iterators = first.iterators;
    for (const int x : sharing.iterators) {
      auto dimension = DimensionOf(ReadsAlong(x, all));
      if (!dimension) return std::nullopt;
      sharing.dimensions.push_back(std::move(*dimension));
    }
    bool begun = false;
    for (const Occurrence& each : all) {
      const Operator& op = OperatorOf(graph_, each.node);
      if (op.iterators != first.iterators || HasFewPoints(op.domain)) continue;
      Domain domain = first.domain;
      if (!Widen(domain, op.domain, op.iterators, Offset(each.offset.size(), 0))) continue;
      if (!HasModesEverywhere(sharing, op)) continue;
      if (!begun) {
        sharing.domain = op.domain;
        for (std::size_t n = 0; n < op.iterators.size(); ++n) {
          const auto x = static_cast<std::size_t>(op.iterators[n]);
          sharing.domain.intervals[n] = Moved(op.domain.intervals[n], each.offset[x]);
        }
        begun = true;
      }
      Widen(sharing.domain, op.domain, op.iterators, each.offset);
      sharing.occurrences.push_back(each);
    }
    if (Saved(number, sharing.occurrences) < least_) return std::nullopt;
    for (std::size_t n = 0; n < sharing.dimensions.size(); ++n) {
      if (sharing.dimensions[n].mode.kind == BoundaryKind::None) continue;
      sharing.domain.intervals[n] = WholeOf(sharing.dimensions[n]);
    }
    return sharing;
  }

  /// Divisions a point that are not repeated at other places.
  std::int64_t Saved(int number, const std::vector<Occurrence>& occurrences) const {
    std::set<Offset> places;
    for (const Occurrence& each : occurrences) {
      if (each.always) places.insert(each.offset);
    }
    return (std::int64_t(places.size()) - 1) * ClassOf(number).slow;
  }

  /// The operator that has the value most often.
  static NodeId MainNode(const std::vector<Occurrence>& occurrences) {
    std::map<NodeId, int> times;
    for (const Occurrence& each : occurrences) times[each.node] += each.always ? 1 : 0;
    return std::max_element(times.begin(), times.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  static Interval WholeOf(const SharedDimension& dimension) {
    Interval whole;
    AddLower(whole, {LinearForm::Constant(0)});
    AddUpper(whole, {dimension.extent - 1});
    return whole;
  }

  /// Along dimensions with a mode the operator computes all places.
  static bool HasModesEverywhere(const SharedArray& sharing, const Operator& op) {
    for (std::size_t n = 0; n < sharing.dimensions.size(); ++n) {
      if (sharing.dimensions[n].mode.kind == BoundaryKind::None) continue;
      const Interval whole = WholeOf(sharing.dimensions[n]);
      const Interval& computed = op.domain.intervals[n];
      if (!AlwaysContains(computed, whole) || !AlwaysContains(whole, computed)) return false;
    }
    return true;
  }

  /// What the value reads, by way of lets too.
  std::vector<ExprId> AccessesOf(const Occurrence& at) const {
    const Operator& op = OperatorOf(graph_, at.node);
    const std::vector<bool> used = LetsOf(graph_, op, at.expr);
    std::vector<ExprId> accesses;
    for (std::size_t k = 0; k < op.lets.size(); ++k) {
      if (used[k]) CollectAccesses(graph_, op.lets[k].value, accesses);
    }
    CollectAccesses(graph_, at.expr, accesses);
    return accesses;
  }

  /// What the value reads along an iterator.
  struct Read {
    std::int64_t place = 0;  ///< of the element, from the value's own
    LinearForm extent;
    Boundary mode;
  };
  std::vector<Read> ReadsAlong(int x, const std::vector<Occurrence>& occurrences) const {
    std::vector<Read> reads;
    for (const Occurrence& at : occurrences) {
      for (const ExprId id : AccessesOf(at)) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        const Array& array = graph_.arrays[graph_.versions[access.version].array];
        for (std::size_t d = 0; d < access.indices.size(); ++d) {
          const Index& index = access.indices[d];
          if (index.iterator != x) continue;
          const std::int64_t from = at.offset[static_cast<std::size_t>(x)];
          reads.push_back({index.offset.constant - from, array.extents[d],
                           access.boundary.empty() ? Boundary{} : access.boundary[d]});
        }
      }
    }
    return reads;
  }

  /// The array's extent and mode along an iterator; empty where it can have none.
  static std::optional<SharedDimension> DimensionOf(const std::vector<Read>& reads) {
    SharedDimension dimension;
    std::set<std::int64_t> places;
    bool extents_differ = false;
    for (const Read& read : reads) {
      places.insert(read.place);
      extents_differ = extents_differ || !(read.extent == reads.front().extent);
      if (read.place == 0) dimension.extent = read.extent;
      if (read.mode.kind == BoundaryKind::None) continue;
      const bool has = dimension.mode.kind != BoundaryKind::None;
      if (has && !(dimension.mode == read.mode)) return std::nullopt;
      dimension.mode = read.mode;
    }
    switch (dimension.mode.kind) {
      case BoundaryKind::None:
        return dimension;
      case BoundaryKind::Constant:
        return std::nullopt;
      case BoundaryKind::Wrap:
        if (extents_differ) return std::nullopt;
        return dimension;
      default:
        if (extents_differ || places.size() != 1) return std::nullopt;
        return dimension;
    }
  }

  Graph& graph_;
  RegionId region_;
  std::int64_t least_;
  std::set<ExprId>& refused_;
  ShiftedValues values_;
  std::map<int, Uses> uses_;  // by number
};

/// True where an operator has something slow.
bool HasSlow(const Graph& graph) {
  return std::any_of(graph.exprs.begin(), graph.exprs.end(),
                     [&](const Expr& expr) { return SlowOperations(graph, expr) > 0; });
}

}  // namespace

SharedValues ShareValues(Graph graph, std::int64_t least) {
  SharedValues shared{std::move(graph), {}};
  if (!HasSlow(shared.graph)) return shared;
  std::set<ExprId> refused;
  for (const RegionId region : shared.graph.regions.Ids()) {
    while (shared.arrays.size() < kMostArrays) {
      auto name = RegionSharer(shared.graph, region, least, refused).ShareOne();
      if (!name) break;
      shared.arrays.push_back(std::move(*name));
    }
  }
  return shared;
}

}  // namespace stencilgen::passes
