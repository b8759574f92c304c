#include "choose/nest_cost.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "graph/walk.h"
#include "kernel/lower_body.h"
#include "kernel/uses.h"
#include "support/match.h"

namespace stencilgen::choose {
namespace {

using kernel::Body;
using kernel::Instruction;
using kernel::ValueId;
using lower::cpp::IsUniform;

// From the published tables of instructions: two units for arithmetic; two loads a cycle, but an
// unaligned vector of 64 bytes is in two lines of the cache and takes both.
constexpr double kOperation = 1;
constexpr double kSelection = 2;
constexpr double kDivision = 16;
constexpr double kRoot = 24;
constexpr double kElementLoad = 2;
constexpr double kUniformLoad = 0.5;
constexpr double kStore = 2;
// What a plane of the outermost iterator, of which a turn needs as many elements, costs from the
// second-level cache, or from the third where planes have two dimensions.
constexpr double kRowTraffic = 3;
constexpr double kPlaneTraffic = 8;
// What a row of an array costs where there are more than registers for their addresses.
constexpr std::size_t kAddressRegisters = 12;
constexpr double kAddress = 1.5;
// What an array costs from memory, where nothing is faster.
constexpr double kMemoryTraffic = 8;

double CyclesOf(const Instruction& instruction) {
  return Match(
      instruction.operation, [](kernel::Copy) { return kOperation; },
      [](UnaryOp) { return kOperation; },
      [](BinaryOp op) { return op == BinaryOp::Div ? kDivision : kOperation; },
      [](Function function) { return function == Function::Sqrt ? kRoot : kOperation; },
      [](kernel::Select) { return kSelection; }, [](kernel::Convert) { return kOperation; });
}

/// The elements that the body reads which differ from point to point.
std::vector<const graph::Access*> ElementsOf(const Body& body) {
  std::vector<const graph::Access*> elements;
  for (const kernel::Value& value : body.values) {
    const auto* element = std::get_if<kernel::Element>(&value.what);
    if (element != nullptr && !IsUniform(value)) elements.push_back(&element->access);
  }
  return elements;
}

}  // namespace

bool ReadsUnderConditions(const graph::Graph& graph, const graph::Operator& op) {
  struct Place {
    graph::ExprId expr;
    bool conditional;
  };
  std::vector<Place> pending = {{op.value, false}};
  for (const graph::Let& let : op.lets) pending.push_back({let.value, false});
  std::vector<const graph::Access*> always;
  std::vector<const graph::Access*> sometimes;
  while (!pending.empty()) {
    const auto [id, conditional] = pending.back();
    pending.pop_back();
    const graph::Expr& expr = graph.exprs[id];
    if (const auto* access = std::get_if<graph::Access>(&expr.node)) {
      const bool varies = std::any_of(
          access->indices.begin(), access->indices.end(),
          [&](const graph::Index& index) { return index.iterator == op.iterators.back(); });
      if (varies) (conditional ? sometimes : always).push_back(access);
    }
    const auto* branches = std::get_if<graph::Conditional>(&expr.node);
    for (graph::ExprId operand : graph::Operands(expr)) {
      const bool branch = branches != nullptr && operand != branches->condition;
      pending.push_back({operand, conditional || branch});
    }
  }
  return std::any_of(sometimes.begin(), sometimes.end(), [&](const graph::Access* access) {
    return std::none_of(always.begin(), always.end(), [&](const graph::Access* other) {
      return other->version == access->version && other->indices == access->indices;
    });
  });
}

Body LowerPoint(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops) {
  const std::vector<std::vector<std::int64_t>> point(ops.front()->iterators.size(), {0});
  return kernel::LowerBody(graph, ops, kernel::StatementsAt(ops.size(), point));
}

double ArithmeticCycles(const Body& body) {
  double sum = 0;
  for (const Instruction& instruction : body.instructions) sum += CyclesOf(instruction);
  return sum;
}

double CyclesOf(const Body& body, const lower::cpp::FetchPlan& plan) {
  double memory = kStore * static_cast<double>(body.results.size());
  for (const std::vector<ValueId>& fetches : plan.fetches) {
    for (ValueId id : fetches) memory += IsUniform(body.values[id]) ? kUniformLoad : kElementLoad;
  }
  // What overflows is stored and loaded again.
  memory += plan.overflow * (kStore + kElementLoad);
  return std::max(memory, ArithmeticCycles(body));
}

double PlainCycles(const Body& body) {
  constexpr int kUniformRegisters = 12;
  const kernel::Uses uses = kernel::FindUses(body);
  int elements = 0;
  int uniform = -kUniformRegisters;
  for (ValueId id : body.values.Ids()) {
    if (uses.uses[id.index].empty() || kernel::IsTemporary(body.values[id])) continue;
    ++(IsUniform(body.values[id]) ? uniform : elements);
  }
  const double memory = kElementLoad * elements + 2 * kUniformLoad * std::max(0, uniform) +
                        kStore * static_cast<double>(body.results.size());
  return std::max(memory, ArithmeticCycles(body));
}

std::size_t RowsOf(const Body& body) {
  std::set<std::pair<graph::VersionId, std::vector<std::int64_t>>> rows;
  for (const graph::Access* element : ElementsOf(body)) {
    std::vector<std::int64_t> row;
    for (const graph::Index& index : element->indices) row.push_back(index.offset.constant);
    row.pop_back();
    rows.emplace(element->version, std::move(row));
  }
  return rows.size();
}

double TrafficCycles(const Body& body, const graph::Operator& op, std::size_t points_in_plane) {
  const int outermost = op.iterators.front();
  std::set<std::pair<graph::VersionId, std::int64_t>> planes;
  for (const graph::Access* element : ElementsOf(body)) {
    std::int64_t offset = 0;
    for (const graph::Index& index : element->indices) {
      if (index.iterator == outermost) offset = index.offset.constant;
    }
    planes.emplace(element->version, offset);
  }
  const double each = op.iterators.size() > 2 ? kPlaneTraffic : kRowTraffic;
  const std::size_t rows = RowsOf(body);
  const double addresses = rows > kAddressRegisters ? kAddress * static_cast<double>(rows) : 0;
  return each * static_cast<double>(planes.size() * points_in_plane) + addresses;
}

double MemoryCycles(const Body& body, std::size_t written) {
  std::set<graph::VersionId> arrays;
  for (const graph::Access* element : ElementsOf(body)) arrays.insert(element->version);
  constexpr std::size_t kTimes = 2;  // loaded before it is stored
  return kMemoryTraffic * static_cast<double>(arrays.size() + kTimes * written);
}

}  // namespace stencilgen::choose
