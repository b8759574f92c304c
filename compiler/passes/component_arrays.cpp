#include "passes/component_arrays.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "graph/linear.h"
#include "graph/regions.h"
#include "support/match.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// Components of an array, at most: each is a pointer that kernels are given.
constexpr std::int64_t kMostComponents = 64;
/// So many are as fast apart as together, whoever writes them.
constexpr std::int64_t kFewComponents = 8;
/// Among so many a reduction chooses by conditions.
constexpr std::int64_t kMostChosen = 8;

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
    const auto values = ValuesOf(op, iterator);
    const auto is_wanted = [&](const WantedPlaces& wanted) { return wanted.iterator == iterator; };
    if (!values || values->size() > kMostComponents ||
        std::any_of(graph_.wanted.begin(), graph_.wanted.end(), is_wanted)) {
      return std::nullopt;
    }
    return RepeatedOperator{iterator, *values};
  }

  static std::optional<Range> ValuesOf(const Operator& op, int iterator) {
    return KnownValues(IndexValues(op, {iterator, 1, {}}));
  }

  /// The index, where its iterator takes these values, is a number within the first dimension.
  static bool IsNumber(const Index& index, const Array& array, const Range& values) {
    if (index.place.Valid() || !index.offset.IsConstant()) return false;
    const auto is_within = [&](std::int64_t value) {
      const std::int64_t number = index.coefficient * value + index.offset.constant;
      return 0 <= number && number < array.extents[0].constant;
    };
    return is_within(values.lo) && is_within(values.hi);
  }

  /// The values that the operator takes the first index at, one after the other: in repetitions, or
  /// of a reduction by conditions.
  std::optional<Range> TakenAt(const Operator& op, const Index& first,
                               const std::optional<RepeatedOperator>& repeated) const {
    if (first.iterator < 0) return Range{0, 0};
    if (op.reduction) {
      const std::optional<Range> values = ValuesOf(op, first.iterator);
      return values && values->size() <= kMostChosen ? values : std::nullopt;
    }
    if (!repeated || repeated->iterator != first.iterator) return std::nullopt;
    return repeated->values;
  }

  /// True where an array was closed.
  bool CloseWhatItNeedsWhole(const Operator& op) {
    const std::size_t before = CountOpen();
    const std::optional<RepeatedOperator> repeated = RepetitionOf(op);
    const auto close = [&](VersionId version) {
      open_[graph_.versions[version].array.index] = false;
    };
    const auto check = [&](VersionId version, const Index& first) {
      const std::optional<Range> values = TakenAt(op, first, repeated);
      if (!values || !IsNumber(first, ArrayOf(version), *values)) close(version);
    };
    if (op.reduction) close(op.result);  // it has lanes, no components
    if (IsOpen(op.result)) check(op.result, op.target[0]);
    for (const ExprId id : Accesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      if (!IsOpen(access.version)) continue;
      const Index& first = access.indices[0];
      check(access.version, first);
      if (!repeated || first.iterator != repeated->iterator) continue;
      // A neighbour: the axis is one of a grid.
      const Index& own = op.target[0];
      if (first.coefficient == own.coefficient && first.offset != own.offset) {
        close(access.version);
        close(op.result);
      }
    }
    return CountOpen() < before;
  }
  std::size_t CountOpen() const {
    return static_cast<std::size_t>(std::count(open_.begin(), open_.end(), true));
  }

  /// By class: enough statements write one component.
  std::vector<bool> ClassesWithSingleWrites() const {
    std::vector<std::set<std::int64_t>> written(open_.size());
    for (const Node& node : graph_.nodes) {
      const auto* op = std::get_if<Operator>(&node);
      if (op == nullptr || !IsOpen(op->result) || op->target[0].iterator >= 0) continue;
      written[ClassOf(graph_.versions[op->result].array)].insert(op->target[0].offset.constant);
    }
    std::vector<bool> single(open_.size(), false);
    for (const ArrayId id : graph_.arrays.Ids()) {
      const auto writes = static_cast<std::int64_t>(written[ClassOf(id)].size());
      if (!open_[id.index] || writes == 0) continue;
      const std::int64_t count = graph_.arrays[id].extents[0].constant;
      if (count <= kFewComponents || 2 * writes >= count) single[ClassOf(id)] = true;
    }
    return single;
  }

  /// Where statements write whole arrays only, these are as good together, unless what they are
  /// computed from is taken apart.
  void CloseWithoutSingleWrites() {
    std::vector<bool> single = ClassesWithSingleWrites();
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
        if (!takes_parts) continue;
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
