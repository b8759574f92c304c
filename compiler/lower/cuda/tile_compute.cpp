#include "lower/cuda/tile_compute.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "kernel/liveness.h"
#include "lower/body_code.h"
#include "lower/cuda/device_style.h"
#include "lower/source_comments.h"
#include "plan/tile_body.h"
#include "plan/tile_edges.h"

namespace stencilgen::lower::cuda {

using graph::Operator;
using kernel::Block;
using kernel::Expr;
using kernel::VarRef;
using plan::ReadPath;
using plan::TileRead;

namespace {

constexpr TilePoint kFirst = {0, 0, 0};

/// The lane that has a point, counted from the thread's own, and the point among that lane's.
std::pair<std::int64_t, std::array<int, 3>> LaneOf(const plan::Tile& tile, const TileRead& read,
                                                   std::array<int, 3> point) {
  for (std::size_t d = 0; d < tile.dimensions; ++d) point[d] += static_cast<int>(read.offset[d]);
  const std::size_t x = tile.dimensions - 1;
  const std::int64_t lanes = graph::FloorDiv(point[x], tile.points[x]);
  point[x] -= static_cast<int>(lanes) * tile.points[x];
  return {lanes, point};
}

}  // namespace

const plan::TileVersion& TileCompute::Result(std::size_t op) const {
  return tile_.versions[static_cast<std::size_t>(tile_.Find(scope_.OperatorAt(op).result))];
}

/// The register with the operator's newest plane at the point.
Expr TileCompute::ResultOf(std::size_t op, const Point& point) const {
  return scope_.Register(tile_.Find(scope_.OperatorAt(op).result), 0, point);
}

void TileCompute::Lower(Block& block, std::size_t index, bool guarded) {
  guarded_ = guarded;
  const Operator& op = scope_.OperatorAt(index);
  const std::string comment = SourceComment(scope_.model().options(), op.span);
  if (!comment.empty()) block.Add(kernel::CommentStmt{comment});
  const auto& wall = tile_.ops[index].wall;
  if (wall && !guarded_) return LowerBeyondWall(block, index, *wall);
  tests_.Count(!wall);
  NeedInside(index);
  LowerShuffles(block, index);
  const bool scattered = tile_.ops[index].scatter.has_value();
  const auto skips = [&](const Point& point) { return Skips(index, point); };
  const bool is_body = IsBody(index);
  if (is_body && scattered) LowerOrdered(block, index, points_);
  if (is_body && !scattered && std::none_of(points_.begin(), points_.end(), skips)) {
    LowerTogether(block, index);
  } else {
    for (const Point& point : points_) {
      if (!is_body && scattered) LowerParts(block, index, point);
      LowerPoint(block, index, point);
    }
  }
  tests_.Count(true);
}

/// The operator computes nothing here: its result is its background.
void TileCompute::LowerBeyondWall(Block& block, std::size_t index, const plan::Wall& wall) {
  const Operator& op = scope_.OperatorAt(index);
  const plan::TileVersion& result = Result(index);
  tests_.NeedOutside(wall.dimension, scope_.RangeOf(op, wall.dimension), result.halo, result.lag,
                     wall.first);
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  for (const Point& point : points_) {
    if (held) Assign(block, ResultOf(index, point), Held(*held, point));
  }
}

/// Where no test is needed, no boundary mode has anything to do.
void TileCompute::NeedInside(std::size_t index) {
  const graph::Graph& graph = scope_.model().graph();
  const Operator& op = scope_.OperatorAt(index);
  const plan::TileVersion& result = Result(index);
  const auto need = [&](graph::VersionId version, std::size_t d, std::int64_t offset) {
    const bool along = tile_.stream == d;
    tests_.NeedInside(d, scope_.ArrayRange(version, d), result.lag,
                      (along ? 0 : result.halo.lo[d]) - offset,
                      (along ? 0 : result.halo.hi[d]) + offset);
  };
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (result.wraps[d]) need(op.result, d, 0);
  }
  for (const graph::ExprId id : graph::Accesses(graph, op)) {
    const auto& access = std::get<graph::Access>(graph.exprs[id].node);
    if (!FindRead(graph, tile_, static_cast<int>(index), access)) continue;
    const plan::Offset offset = *plan::DistanceOf(op, access);
    for (std::size_t d = 0; d < access.boundary.size(); ++d) {
      if (access.boundary[d].kind != graph::BoundaryKind::None) need(access.version, d, offset[d]);
    }
  }
}

/// Every value that another lane has is fetched by all lanes at once, whatever their points do.
void TileCompute::LowerShuffles(Block& block, std::size_t op) {
  shuffled_.clear();
  const graph::Graph& graph = scope_.model().graph();
  const auto find = guarded_ ? plan::FindAllReads : plan::FindReads;
  for (const TileRead& read : find(graph, tile_, static_cast<int>(op))) {
    for (const Point& point : points_) {
      if (PathOf(tile_, read, point) != ReadPath::Shuffle) continue;
      const auto [lanes, source] = LaneOf(tile_, read, point);
      const Expr value = scope_.Register(read.version, read.age, source);
      const auto [at, is_new] =
          shuffled_.try_emplace(fmt::format("{} {}", kernel::Print(value), lanes));
      if (!is_new) continue;
      const VarRef& plane = scope_.Registers(read.version, read.age);
      at->second = kernel::MakeVar(
          scope_.Claim(fmt::format("{}_{}", plane->name, lanes < 0 ? "left" : "right")),
          plane->type);
      const auto shuffle = lanes < 0 ? kernel::Routine::ShuffleUp : kernel::Routine::ShuffleDown;
      block.Add(kernel::LetStmt{
          at->second, kernel::Call(shuffle, plane->type,
                                   {value, kernel::Number(std::abs(lanes)),
                                    kernel::Number(tile_.threads[tile_.dimensions - 1])})});
    }
  }
}

Expr TileCompute::Held(const TileRead& read, const Point& point) {
  const ReadPath path = PathOf(tile_, read, point);
  const auto [lanes, source] = LaneOf(tile_, read, point);
  if (path == ReadPath::Register) return scope_.Register(read.version, read.age, source);
  if (path == ReadPath::Shuffle) {
    const Expr value = scope_.Register(read.version, read.age, source);
    return kernel::Read(shuffled_.at(fmt::format("{} {}", kernel::Print(value), lanes)));
  }
  return scope_.SharedElement(read.version, read.age, point, read.offset);
}

/// Then points that it does not compute must not be computed, and those that nobody needs had
/// better not be.
bool TileCompute::ReadsMemory(std::size_t op) const {
  return plan::ReadsMemory(scope_.model().graph(), tile_, static_cast<int>(op));
}

/// The element at that distance from the thread's first point, or what a boundary mode says.
Expr TileCompute::HeldAt(std::size_t index, const graph::Access& access, const TileRead& read,
                         const plan::Offset& distance,
                         const std::vector<TileElements::Moved>& moved) {
  if (!guarded_ || access.boundary.empty()) return Held(read, kFirst);
  return edges_.Choose(access, distance, moved, Result(index).lag, [&](const plan::Offset& at) {
    // The plane, then the element in it: another of the thread's points may be the reader.
    TileRead moved_read = read;
    moved_read.offset = at;
    if (tile_.stream) {
      const std::size_t d = *tile_.stream;
      moved_read.age += static_cast<int>(distance[d] - at[d]);
      moved_read.offset[d] = 0;
    }
    return Held(moved_read, kFirst);
  });
}

OperatorStyle TileCompute::StyleOf(std::size_t index, const Point& point) {
  OperatorStyle style = DeviceStyle(scope_.model());
  style.scope = &scope_.names();
  style.iterators = scope_.iterators();
  style.held = [this, index, point](const graph::Access& access) -> std::optional<Expr> {
    const graph::Graph& graph = scope_.model().graph();
    auto read = FindRead(graph, tile_, static_cast<int>(index), access);
    if (!read || PathOf(tile_, *read, point) == ReadPath::Memory) return std::nullopt;
    plan::Offset distance = *plan::DistanceOf(scope_.OperatorAt(index), access);
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      distance[d] += point[d];
      read->offset[d] += point[d];
    }
    const auto moved = TileElements::MovedBy(tile_, access, distance, point);
    return HeldAt(index, access, *read, distance, moved);
  };
  return style;
}

/// As StyleOf, for the elements of a body: distances are from the thread's first point.
OperatorStyle TileCompute::BodyStyle(std::size_t index, const std::vector<Point>& points) {
  OperatorStyle style = StyleOf(index, kFirst);
  const TileElements elements(scope_.model().graph(), tile_, static_cast<int>(index), points);
  style.uniform_alone = true;
  style.held = [this, elements, index](const graph::Access& access) -> std::optional<Expr> {
    const auto read = elements.Find(access);
    if (!read) return std::nullopt;
    return HeldAt(index, access, *read, elements.DistanceOf(access), elements.FindMoved(access));
  };
  return style;
}

Expr TileCompute::TargetOf(std::size_t index, const kernel::Statement& statement) const {
  const Point point = plan::PointOf(tile_, statement);
  if (tile_.ops[index].scatter) return scope_.Sum(index, plan::StepsAhead(tile_, statement), point);
  return ResultOf(index, point);
}

const TileBody& TileCompute::BodyOf(std::size_t index, const std::vector<Point>& points) {
  const auto [at, is_new] = bodies_.try_emplace({index, points});
  if (is_new) {
    at->second = OrderTile(scope_.model(), scope_.kernel(), static_cast<int>(index), points);
  }
  return at->second;
}

/// True where the operator is to be computed at all points of a thread together.
bool TileCompute::IsBody(std::size_t index) {
  return reorders_ || BodyOf(index, points_).shared;
}

/// The points as one body in the order that the options ask for.
void TileCompute::LowerOrdered(Block& block, std::size_t index, const std::vector<Point>& points) {
  const ProgramModel& model = scope_.model();
  const TileBody& body = BodyOf(index, points);
  OperatorStyle style = BodyStyle(index, points);
  style.result = TargetOf(index, body.ordered.statements.front());
  OperatorCode code(model, scope_.OperatorAt(index), std::move(style));
  std::vector<BodyOperator> ops;
  for (const Operator& op : body.ops) ops.push_back({&op, &code});
  const BodyCode lowered =
      LowerBodyCode(model.graph(), body.ordered, ops,
                    [&](const kernel::Statement& statement) { return TargetOf(index, statement); });
  kernel::ScopeStmt scope;
  if (body.has_common) {
    scope.body.Add(kernel::CommentStmt{"s0, s1, ...: what several of the sums have in common."});
  }
  if (reorders_) {
    scope.body.Add(kernel::CommentStmt{
        fmt::format("At most {} values live at once beside planes, {} in the order of the program.",
                    kernel::MaxLive(body.ordered), kernel::MaxLive(body.written))});
  }
  LowerIterators(scope.body, index, code, kFirst);
  scope.body.Append(code.uniform());
  scope.body.Append(lowered.uniform);
  scope.body.Append(code.centres());
  scope.body.Append(lowered.code);
  block.Add(std::move(scope));
}

/// All of the thread's points, whether the operator computes them or not; then the background's
/// value where it does not.
void TileCompute::LowerTogether(Block& block, std::size_t index) {
  const Operator& op = scope_.OperatorAt(index);
  const std::int64_t flops = graph::FlopsPerPoint(scope_.model().graph(), op);
  if (flops > 0) {
    block.Add(kernel::FlopsStmt{flops * static_cast<std::int64_t>(points_.size())});
  }
  LowerOrdered(block, index, points_);
  if (!tile_.ops[index].background) return;
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  for (const Point& point : points_) {
    const Expr test = Test(index, point);
    if (!test.Valid()) continue;
    kernel::IfStmt outside{kernel::Apply(UnaryOp::Not, test), {}, {}};
    Assign(outside.then_block, ResultOf(index, point), Held(*held, point));
    block.Add(std::move(outside));
  }
}

/// True where the operator's code must stand under its test at the point: where that may fail, and
/// what is computed then must not be.
bool TileCompute::Skips(std::size_t index, const Point& point) {
  const bool reads_memory = ReadsMemory(index);
  if (!reads_memory && !tile_.ops[index].background) return false;
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  return (reads_memory || !held) && Test(index, point).Valid();
}

/// The test that the operator computes the thread's point; invalid where that is certain.
Expr TileCompute::Test(std::size_t index, const Point& point) {
  const Operator& op = scope_.OperatorAt(index);
  const plan::TileVersion& result = Result(index);
  TileTests::Ranges ranges = {};
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (!result.wraps[d]) ranges[d] = &scope_.RangeOf(op, d);
  }
  Expr planes;
  if (tile_.stream && ranges[*tile_.stream] != nullptr) {
    planes = tests_.OfPlane(*ranges[*tile_.stream], result.lag);
    if (!guarded_) planes = {};
  }
  return kernel::And(
      {planes, tests_.Of("computes", ranges, result.halo,
                         ReadsMemory(index) ? &result.halo : nullptr, point, guarded_)});
}

/// What the code refers to, and the iterators at the point.
void TileCompute::LowerIterators(Block& block, std::size_t index, const OperatorCode& code,
                                 const Point& point) {
  scope_.Use(code);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (!code.UsesIterator(d)) continue;
    const plan::TileVersion& result = Result(index);
    const bool around = guarded_ && result.wraps[d];
    block.Add(
        kernel::LetStmt{scope_.iterators()[d], around ? edges_.Inside(result, d, point)
                                                      : scope_.Coordinate(d, point, result.lag)});
  }
}

void TileCompute::LowerCode(Block& block, std::size_t index, const OperatorCode& code,
                            const Point& point) {
  LowerIterators(block, index, code, point);
  block.Append(code.uniform());
  block.Append(code.point());
}

/// Adds what the newest plane gives to each sum; the farthest begins with it.
void TileCompute::LowerParts(Block& block, std::size_t index, const Point& point) {
  const plan::Scatter& scatter = *tile_.ops[index].scatter;
  for (std::size_t n = 0; n < scatter.parts.size(); ++n) {
    const std::size_t ahead = scatter.parts.size() - 1 - n;
    OperatorStyle style = StyleOf(index, point);
    style.result = scope_.Sum(index, ahead, point);
    style.value = scatter.parts[n];
    style.assign = n == 0 ? AssignOp::Assign : AssignOp::Add;
    if (!style.value.Valid()) {
      const kernel::Type type = style.result.type();
      if (n == 0) Assign(block, style.result, kernel::Constant(type, std::int64_t{0}));
      continue;
    }
    LowerCode(block, index, OperatorCode(scope_.model(), scope_.OperatorAt(index), style), point);
  }
}

/// Points that nobody needs are computed too, where that reads no memory: a value from there
/// reaches no point that is stored, and no thread waits for another's test.
void TileCompute::LowerPoint(Block& block, std::size_t index, const Point& point) {
  const Operator& op = scope_.OperatorAt(index);
  const bool background = tile_.ops[index].background;
  const bool reads_memory = ReadsMemory(index);
  const Expr target = ResultOf(index, point);
  OperatorStyle style = StyleOf(index, point);
  style.result = target;
  if (const auto& scatter = tile_.ops[index].scatter) {
    style.value = scatter->finish;
    style.sum = scope_.Sum(index, 0, point);
  }
  const Expr test = background || reads_memory ? Test(index, point) : Expr();
  const std::int64_t flops = graph::FlopsPerPoint(scope_.model().graph(), op);
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  const bool selects = test.Valid() && !reads_memory && held;
  if (selects) {
    style.result = kernel::Read(kernel::MakeVar("next", target.type()));
    style.declares_result = true;
  }
  const Expr next = style.result;
  const OperatorCode code(scope_.model(), op, style);
  Block computed;
  if (flops > 0) computed.Add(kernel::FlopsStmt{flops});
  if (reorders_ && !tile_.ops[index].scatter) {
    LowerOrdered(computed, index, {point});
  } else {
    LowerCode(computed, index, code, point);
  }
  if (selects) Assign(computed, target, kernel::Choose(test, next, Held(*held, point)));
  bool declares = code.point().stmts.size() > 1 || !code.uniform().stmts.empty();
  for (std::size_t d = 0; d < tile_.dimensions; ++d) declares = declares || code.UsesIterator(d);
  if (!test.Valid() && !declares) return block.Append(computed);
  if (!test.Valid() || selects) return block.Add(kernel::ScopeStmt{std::move(computed)});
  kernel::IfStmt branch{test, std::move(computed), {}};
  if (background) {
    Expr condition;
    Block otherwise = Background(condition, index, point);
    if (condition.Valid()) {
      branch.else_block.Add(kernel::IfStmt{condition, std::move(otherwise), {}});
    } else {
      branch.else_block = std::move(otherwise);
    }
  }
  block.Add(std::move(branch));
}

/// The result is its background's value there, from memory under a condition.
Block TileCompute::Background(Expr& condition, std::size_t index, const Point& point) {
  const ProgramModel& model = scope_.model();
  const Operator& op = scope_.OperatorAt(index);
  const plan::TileVersion& result = Result(index);
  const Expr target = ResultOf(index, point);
  Block block;
  if (const auto read = FindBackground(model.graph(), tile_, static_cast<int>(index))) {
    Assign(block, target, Held(*read, point));
    return block;
  }
  const plan::BufferId buffer = model.plan().buffer_of[op.background.index];
  scope_.Read(buffer);
  TileTests::Ranges ranges = {};
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (!result.wraps[d]) ranges[d] = &scope_.ArrayRange(op.background, d);
    indices.push_back(
        guarded_ ? edges_.Inside(result, d, point)
                 : kernel::ConvertTo(kernel::kIndex, scope_.Coordinate(d, point, result.lag)));
  }
  const Expr position = scope_.PositionOf(op.background, indices);
  Expr planes;
  if (tile_.stream && ranges[*tile_.stream] != nullptr && guarded_) {
    planes = tests_.OfPlane(*ranges[*tile_.stream], result.lag);
  }
  condition =
      kernel::And({planes, tests_.Of("inside", ranges, result.halo, &result.halo, point, true)});
  Assign(block, target, kernel::ElementAt(model.Var(buffer), position));
  return block;
}

void TileCompute::LowerAgeing(Block& block) {
  for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
    const auto& scatter = tile_.ops[op].scatter;
    for (std::size_t ahead = 1; scatter && ahead < scatter->parts.size(); ++ahead) {
      for (const Point& point : points_) {
        Assign(block, scope_.Sum(op, ahead - 1, point), scope_.Sum(op, ahead, point));
      }
    }
  }
}

}  // namespace stencilgen::lower::cuda
