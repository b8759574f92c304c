#include "passes/component_arrays.h"

#include <algorithm>
#include <numeric>

#include "graph/linear.h"
#include "support/match.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// Components of an array, at most: each is a pointer that kernels are given.
constexpr std::int64_t kMostComponents = 64;

/// The values between bounds that are numbers; empty where some is not, or there is no value.
std::optional<Range> KnownValues(const Interval& interval) {
  const auto known = [](const Bound& bound) { return bound.numerator.IsConstant(); };
  if (interval.lower.empty() || interval.upper.empty() ||
      !std::all_of(interval.lower.begin(), interval.lower.end(), known) ||
      !std::all_of(interval.upper.begin(), interval.upper.end(), known)) {
    return std::nullopt;
  }
  const Range values = Evaluate(interval, {});
  if (values.size() == 0) return std::nullopt;
  return values;
}

class Finder {
 public:
  explicit Finder(const Graph& graph)
      : graph_(graph), class_(graph.arrays.size()), open_(graph.arrays.size()) {
    std::iota(class_.begin(), class_.end(), 0U);
    for (const ArrayId id : graph.arrays.Ids()) open_[id.index] = MayHaveComponents(id);
  }

  ComponentArrays Find() {
    JoinClasses();
    CloseWholeClasses();
    for (bool again = true; again;) {
      again = false;
      for (const NodeId node : graph_.nodes.Ids()) {
        const auto* op = std::get_if<Operator>(&graph_.nodes[node]);
        if (op != nullptr && CloseWhatItNeedsWhole(*op)) again = true;
      }
      CloseWholeClasses();
    }
    CloseWithoutSingleWrites();
    return Found();
  }

 private:
  const Array& ArrayOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }
  bool IsOpen(VersionId version) const { return open_[graph_.versions[version].array.index]; }

  bool MayHaveComponents(ArrayId id) const {
    const Array& array = graph_.arrays[id];
    if (array.rank() < 2 || array.constant || !array.extents[0].IsConstant()) return false;
    const std::int64_t count = array.extents[0].constant;
    return 2 <= count && count <= kMostComponents;
  }

  std::uint32_t ClassOf(ArrayId id) const {
    std::uint32_t at = id.index;
    while (class_[at] != at) at = class_[at];
    return at;
  }
  void Join(ArrayId a, ArrayId b) { class_[ClassOf(a)] = ClassOf(b); }
  void Join(ArrayId a, VersionId b) { Join(a, graph_.versions[b].array); }

  /// Arrays whose versions are one another's.
  void JoinClasses() {
    for (const Node& node : graph_.nodes) {
      Match(
          node,
          [&](const Operator& op) {
            if (op.background.Valid()) Join(graph_.versions[op.result].array, op.background);
          },
          [&](const Loop& loop) {
            for (const Carried& carried : loop.carried) {
              for (const VersionId version :
                   {carried.initial, carried.entry, carried.next, carried.result}) {
                Join(carried.array, version);
              }
            }
          });
    }
    for (const Output& output : graph_.outputs) Join(output.array, output.version);
    for (std::uint32_t n = 1; n < graph_.arrays.size(); ++n) {
      const auto& component = graph_.arrays[ArrayId{n}].component;
      if (component && component->number > 0) Join(ArrayId{n}, ArrayId{n - 1});
    }
  }

  /// Closes classes with a member that is closed.
  void CloseWholeClasses() {
    std::vector<bool> closed(open_.size(), false);
    for (const ArrayId id : graph_.arrays.Ids()) {
      if (!open_[id.index]) closed[ClassOf(id)] = true;
    }
    for (const ArrayId id : graph_.arrays.Ids()) {
      if (closed[ClassOf(id)]) open_[id.index] = false;
    }
  }

  /// The operator by components of what it writes, as far as that is still to be taken apart.
  std::optional<RepeatedOperator> RepetitionOf(const Operator& op) const {
    if (!IsOpen(op.result) || op.target[0].iterator < 0 || op.reduction) return std::nullopt;
    const int iterator = op.target[0].iterator;
    const auto at = std::find(op.iterators.begin(), op.iterators.end(), iterator);
    const auto values =
        KnownValues(op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())]);
    const auto is_wanted = [&](const WantedPlaces& wanted) { return wanted.iterator == iterator; };
    if (!values || values->size() > kMostComponents ||
        std::any_of(graph_.wanted.begin(), graph_.wanted.end(), is_wanted)) {
      return std::nullopt;
    }
    return RepeatedOperator{iterator, *values};
  }

  /// The index is a number within the array's first dimension in every repetition.
  static bool IsNumber(const Index& index, const Array& array,
                       const std::optional<RepeatedOperator>& repeated) {
    if (index.place.Valid() || !index.offset.IsConstant()) return false;
    Range values = {0, 0};
    if (index.iterator >= 0) {
      if (!repeated || repeated->iterator != index.iterator) return false;
      values = repeated->values;
    }
    const auto is_within = [&](std::int64_t value) {
      const std::int64_t number = index.coefficient * value + index.offset.constant;
      return 0 <= number && number < array.extents[0].constant;
    };
    return is_within(values.lo) && is_within(values.hi);
  }

  /// True where an array was closed.
  bool CloseWhatItNeedsWhole(const Operator& op) {
    const std::size_t before = CountOpen();
    const std::optional<RepeatedOperator> repeated = RepetitionOf(op);
    const auto check = [&](VersionId version, const Index& first) {
      if (!IsNumber(first, ArrayOf(version), repeated)) {
        open_[graph_.versions[version].array.index] = false;
      }
    };
    if (IsOpen(op.result)) check(op.result, op.target[0]);
    for (const ExprId id : Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      if (IsOpen(access.version)) check(access.version, access.indices[0]);
    }
    return CountOpen() < before;
  }
  std::size_t CountOpen() const {
    return static_cast<std::size_t>(std::count(open_.begin(), open_.end(), true));
  }

  /// Where statements write whole arrays only, these are as good together, unless what they are
  /// computed from is taken apart.
  void CloseWithoutSingleWrites() {
    std::vector<bool> single(open_.size(), false);
    const auto is_single = [&](VersionId version) {
      return IsOpen(version) && single[ClassOf(graph_.versions[version].array)];
    };
    for (bool again = true; again;) {
      again = false;
      for (const Node& node : graph_.nodes) {
        const auto* op = std::get_if<Operator>(&node);
        if (op == nullptr || !IsOpen(op->result) || is_single(op->result)) continue;
        const std::vector<ExprId> accesses = Accesses(graph_, *op);
        const bool takes_parts = std::any_of(accesses.begin(), accesses.end(), [&](ExprId id) {
          const auto& access = std::get<Access>(graph_.exprs[id].node);
          return is_single(access.version) && access.indices[0].iterator >= 0;
        });
        if (op->target[0].iterator >= 0 && !takes_parts) continue;
        single[ClassOf(graph_.versions[op->result].array)] = again = true;
      }
    }
    for (const ArrayId id : graph_.arrays.Ids()) {
      if (!single[ClassOf(id)]) open_[id.index] = false;
    }
  }

  ComponentArrays Found() const {
    ComponentArrays found;
    for (const ArrayId id : graph_.arrays.Ids()) {
      found.counts.push_back(open_[id.index] ? graph_.arrays[id].extents[0].constant : 0);
    }
    for (const Node& node : graph_.nodes) {
      const auto* op = std::get_if<Operator>(&node);
      found.repeated.push_back(op != nullptr ? RepetitionOf(*op) : std::nullopt);
    }
    return found;
  }

  const Graph& graph_;
  std::vector<std::uint32_t> class_;  // by array: another of its class, itself for the first
  std::vector<bool> open_;            // by array: nothing known needs it whole
};

}  // namespace

bool ComponentArrays::Any() const {
  return std::any_of(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; });
}

ComponentArrays FindComponentArrays(const Graph& graph) {
  return Finder(graph).Find();
}

}  // namespace stencilgen::passes
