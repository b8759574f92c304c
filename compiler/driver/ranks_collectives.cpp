#include "driver/ranks_collectives.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/nodes.h"
#include "graph/reduction.h"
#include "support/check.h"
#include "support/code_writer.h"

namespace stencilgen::driver {

using namespace distribute;

namespace {

std::string_view FoldName(graph::ReduceOp op) {
  constexpr std::string_view kNames[] = {"Sum", "Min", "Max", "Any", "All"};
  return kNames[static_cast<std::size_t>(op)];
}

/// The bounds' quotients, of which the largest or the smallest one counts.
std::string BoundText(const std::vector<graph::Bound>& bounds, bool lower,
                      const RanksNames& names) {
  std::vector<std::string> all;
  for (const graph::Bound& bound : bounds) {
    const std::string form = graph::ToString(bound.numerator, names.parameters);
    if (bound.divisor == 1) {
      all.push_back(bound.numerator.IsConstant() ? form + "LL" : form);
      continue;
    }
    all.push_back(fmt::format("stencilgen::lanes::{}({}, {})", lower ? "CeilDiv" : "FloorDiv", form,
                              bound.divisor));
  }
  if (all.size() == 1) return all[0];
  return fmt::format("std::{}({{{}}})", lower ? "max" : "min", fmt::join(all, ", "));
}

}  // namespace

int FieldNumber(const Distributed& program, ArrayId array) {
  const auto at = std::find(program.fields.begin(), program.fields.end(), array);
  STENCILGEN_CHECK(at != program.fields.end());
  return static_cast<int>(at - program.fields.begin());
}

bool HasCollective(const Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    const auto* look = std::get_if<LookStep>(&step.what);
    if (look != nullptr) return HasCollective(look->body);
    const auto* repeat = std::get_if<RepeatStep>(&step.what);
    if (repeat != nullptr) return repeat->stop || HasCollective(repeat->body);
    return std::holds_alternative<CollectStep>(step.what) ||
           std::holds_alternative<ReduceStep>(step.what);
  });
}

std::string CollectText(const Distributed& program, const CollectStep& collect) {
  std::vector<int> numbers;
  for (const ArrayId array : collect.arrays) numbers.push_back(FieldNumber(program, array));
  return fmt::format("stencilgen::mpi::Complete(fields, {{{}}});", fmt::join(numbers, ", "));
}

std::string ReduceText(const Distributed& program, const RanksNames& names,
                       const ReduceStep& reduce, bool exact) {
  const graph::Operator& op = graph::OperatorOf(program.graph, reduce.node);
  std::vector<std::string> first, last;
  for (const graph::Interval& interval : op.domain.intervals) {
    first.push_back(BoundText(interval.lower, true, names));
    last.push_back(BoundText(interval.upper, false, names));
  }
  const ScalarType type = program.graph.arrays[reduce.lanes].type;
  std::string deal = fmt::format("{{{{{}}}, {{{}}}, {{{}}}}}", fmt::join(first, ", "),
                                 fmt::join(last, ", "), fmt::join(op.reduction->lanes, ", "));
  std::vector<std::string> guards;
  for (const graph::LinearForm& guard : op.domain.guards) {
    guards.push_back(fmt::format("{} >= 0", graph::ToString(guard, names.parameters)));
  }
  if (!guards.empty()) {
    deal = fmt::format("{} ? stencilgen::lanes::Deal{} : stencilgen::lanes::Deal::None({{{}}})",
                       fmt::join(guards, " && "), deal, fmt::join(op.reduction->lanes, ", "));
  }
  return fmt::format(
      "stencilgen::mpi::Reducer<{}>(fields, stencilgen::lanes::Fold::{}, {}, {}, {}).Run({});",
      type == ScalarType::Bool ? "unsigned char" : ToString(type), FoldName(op.reduction->op),
      FieldNumber(program, reduce.values), FieldNumber(program, reduce.lanes), deal, exact);
}

}  // namespace stencilgen::driver
