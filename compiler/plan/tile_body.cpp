#include "plan/tile_body.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "graph/extrapolated.h"
#include "graph/walk.h"
#include "kernel/lower_body.h"
#include "kernel/uses.h"
#include "passes/share_sums.h"
#include "plan/sums_key.h"
#include "plan/tile.h"

namespace stencilgen::plan {
namespace {

using graph::Operator;

/// Sums of planes to come take their parts; that of the farthest plane begins with its part.
void SetSinks(const Tile& tile, int op, kernel::Body& body) {
  const auto& scatter = tile.ops[static_cast<std::size_t>(op)].scatter;
  for (kernel::Result& result : body.results) {
    const auto& statement = body.statements[static_cast<std::size_t>(result.statement)];
    const bool adds = scatter && StepsAhead(tile, statement) != scatter->parts.size() - 1;
    result.sink = adds ? kernel::Sink::Add : kernel::Sink::Keep;
  }
}

/// Lets the result's contributions go to the sum itself, where nobody else needs its value.
void AddDirectly(kernel::Body& body, const kernel::Uses& uses, kernel::ValueId value) {
  const auto& definitions = uses.definitions[value.index];
  if (!uses.uses[value.index].empty() || body.values[value].held) return;
  kernel::Instruction& first = body.instructions[definitions.front()];
  if (first.combine == kernel::Combine::None) {
    const auto* binary = std::get_if<BinaryOp>(&first.operation);
    const auto* unary = std::get_if<UnaryOp>(&first.operation);
    first.negative = unary != nullptr && *unary == UnaryOp::Negate;
    if (first.negative) first.operation = kernel::Copy{};
    const bool product = binary != nullptr && *binary == BinaryOp::Mul;
    if (!product && !std::holds_alternative<kernel::Copy>(first.operation)) return;
    first.combine = kernel::Combine::Sum;
  }
  body.values[value].held = first.combine == kernel::Combine::Sum;
}

/// True for divisions and functions, which compilers know better together (`a / sqrt(b)`).
bool HasMoreThanSums(const kernel::Body& body) {
  return std::any_of(body.instructions.begin(), body.instructions.end(),
                     [](const kernel::Instruction& instruction) {
                       const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
                       return std::holds_alternative<stencilgen::Function>(instruction.operation) ||
                              (binary != nullptr && *binary == BinaryOp::Div);
                     });
}

/// True where the tile reads along lines that go on beyond ends.
bool HasLines(const graph::Graph& graph, const Tile& tile) {
  bool found = false;
  const auto look = [&](graph::ExprId id) {
    found = found || graph::Extrapolated(graph, id) != nullptr;
  };
  for (const TileOperator& each : tile.ops) {
    const auto& op = std::get<Operator>(graph.nodes[each.node]);
    for (const graph::Let& let : op.lets) graph::Walk(graph, let.value, look);
    graph::Walk(graph, op.value, look);
  }
  return found;
}

/// How the tile's operator computes its sums. Choosing a schedule asks for the same operator at the
/// same points many times, with other blocks and in other steps of a loop: what has been found is
/// kept, for the whole process.
OperatorSums FindSum(const graph::Graph& graph, const Tile& tile, std::size_t op,
                     const SumRules& rules) {
  constexpr std::size_t kMostKept = 100000;
  static std::mutex mutex;
  static std::map<std::vector<std::int64_t>, OperatorSums> kept;
  const auto number = static_cast<int>(op);
  const std::vector<std::array<int, 3>> points = PointsOf(tile);
  std::vector<std::int64_t> key = SumsKey(graph, tile, number, points, rules);
  {
    const std::lock_guard lock(mutex);
    const auto at = kept.find(key);
    if (at != kept.end()) return at->second;
  }
  const TileBody body = WriteBody(graph, tile, number, points, rules);
  const OperatorSums sum = {body.arithmetic, body.shared};
  const std::lock_guard lock(mutex);
  if (kept.size() >= kMostKept) kept.clear();
  kept.emplace(std::move(key), sum);
  return sum;
}

}  // namespace

std::vector<TilePart> PartsOf(const graph::Graph& graph, const Tile& tile, int op) {
  const auto& scatter = tile.ops[static_cast<std::size_t>(op)].scatter;
  if (!scatter) return {{OperatorAt(graph, tile, op).value, 0}};
  std::vector<TilePart> parts;
  for (std::size_t n = 0; n < scatter->parts.size(); ++n) {
    if (!scatter->parts[n].Valid()) continue;
    parts.push_back({scatter->parts[n], scatter->parts.size() - 1 - n});
  }
  return parts;
}

std::vector<std::int64_t> OffsetOf(const Tile& tile, const std::array<int, 3>& point,
                                   std::size_t ahead) {
  std::vector<std::int64_t> offset(point.begin(),
                                   point.begin() + static_cast<std::ptrdiff_t>(tile.dimensions));
  if (tile.stream) offset[*tile.stream] = static_cast<std::int64_t>(ahead);
  return offset;
}

std::size_t StepsAhead(const Tile& tile, const kernel::Statement& statement) {
  return tile.stream ? static_cast<std::size_t>(statement.offset[*tile.stream]) : 0;
}

std::array<int, 3> PointOf(const Tile& tile, const kernel::Statement& statement) {
  std::array<int, 3> point = {0, 0, 0};
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    if (tile.stream != d) point[d] = static_cast<int>(statement.offset[d]);
  }
  return point;
}

TileBody WriteBody(const graph::Graph& graph, const Tile& tile, int op,
                   const std::vector<std::array<int, 3>>& points, const SumRules& rules) {
  constexpr double kClearly = 0.95;
  const std::vector<TilePart> parts = PartsOf(graph, tile, op);
  TileBody body;
  std::vector<const Operator*> ops;
  for (const TilePart& part : parts) {
    body.ops.push_back(OperatorAt(graph, tile, op));
    body.ops.back().value = part.value;
  }
  for (const Operator& each : body.ops) ops.push_back(&each);
  std::vector<kernel::Statement> statements;
  for (const std::array<int, 3>& point : points) {
    for (std::size_t n = 0; n < parts.size(); ++n) {
      statements.push_back({static_cast<int>(n), OffsetOf(tile, point, parts[n].ahead)});
    }
  }
  body.body = kernel::LowerBody(graph, ops, statements, rules.distribute);
  SetSinks(tile, op, body.body);
  const std::int64_t written = passes::CountArithmetic(body.body);
  const kernel::Uses uses = kernel::FindUses(body.body);
  for (const kernel::Result& result : body.body.results) {
    if (result.sink == kernel::Sink::Add) AddDirectly(body.body, uses, result.value);
  }
  body.arithmetic = written;
  if (!rules.share || HasMoreThanSums(body.body)) return body;
  kernel::Body shared = passes::ShareSums(body.body);
  const std::int64_t count = passes::CountArithmetic(shared);
  if (static_cast<double>(count) > kClearly * static_cast<double>(written)) return body;
  body.has_common = shared.values.size() > body.body.values.size();
  body.body = std::move(shared);
  body.arithmetic = count;
  body.shared = true;
  return body;
}

bool MayShareSums(const Schedule& schedule) {
  return schedule.form != Form::Gather;
}

TileSums FindSums(const graph::Graph& graph, const Kernel& kernel) {
  TileSums sums;
  if (!kernel.tile) return sums;
  const Tile& tile = *kernel.tile;
  const SumRules rules = {kernel::Distribute::WhereFree, MayShareSums(kernel.schedule)};
  for (std::size_t op = 0; op < tile.ops.size(); ++op) {
    sums.push_back(FindSum(graph, tile, op, rules));
  }
  if (!HasLines(graph, tile)) return sums;
  // Few blocks are at ends, where a line is more than the element.
  const graph::Graph inside = graph::WithoutLines(graph);
  for (std::size_t op = 0; op < tile.ops.size(); ++op) {
    if (sums[op].shared) continue;
    sums[op].arithmetic = FindSum(inside, tile, op, {rules.distribute, false}).arithmetic;
  }
  return sums;
}

}  // namespace stencilgen::plan
