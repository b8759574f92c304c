#include "codegen/cuda/tile_compute.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "codegen/body_code.h"
#include "codegen/cuda/device_style.h"
#include "codegen/text.h"
#include "kernel/liveness.h"

namespace stencilgen::codegen::cuda {

using graph::Operator;
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

const plan::TileVersion& TileComputePrinter::Result(std::size_t op) const {
  return tile_.versions[static_cast<std::size_t>(tile_.Find(scope_.OperatorAt(op).result))];
}

void TileComputePrinter::Print(CodeWriter& writer, std::size_t index, bool guarded) {
  const Operator& op = scope_.OperatorAt(index);
  const std::string comment = SourceComment(scope_.model().options(), op.span);
  if (!comment.empty()) writer.Line("// {}", comment);
  const auto& wall = tile_.ops[index].wall;
  if (wall && !guarded) return PrintBeyondWall(writer, index, *wall);
  tests_.Count(!wall);
  PrintShuffles(writer, index);
  const bool scattered = tile_.ops[index].scatter.has_value();
  const auto skips = [&](const Point& point) { return Skips(index, point, guarded); };
  if (reorders_ && scattered) PrintOrdered(writer, index, points_);
  if (reorders_ && !scattered && std::none_of(points_.begin(), points_.end(), skips)) {
    PrintTogether(writer, index, guarded);
  } else {
    for (const Point& point : points_) {
      if (!reorders_ && scattered) PrintParts(writer, index, point);
      PrintPoint(writer, index, point, guarded);
    }
  }
  tests_.Count(true);
}

/// The operator computes nothing here: its result is its background.
void TileComputePrinter::PrintBeyondWall(CodeWriter& writer, std::size_t index,
                                         const plan::Wall& wall) {
  const Operator& op = scope_.OperatorAt(index);
  const plan::TileVersion& result = Result(index);
  tests_.NeedOutside(wall.dimension, scope_.RangeOf(op, wall.dimension), result.halo, result.lag,
                     wall.first);
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  for (const Point& point : points_) {
    if (!held) break;
    writer.Line("{} = {};", scope_.Register(tile_.Find(op.result), 0, point),
                Held(*held, point).text);
  }
}

/// Every value that another lane has is fetched by all lanes at once, whatever their points do.
void TileComputePrinter::PrintShuffles(CodeWriter& writer, std::size_t op) {
  shuffled_.clear();
  for (const TileRead& read :
       plan::FindReads(scope_.model().graph(), tile_, static_cast<int>(op))) {
    for (const Point& point : points_) {
      if (PathOf(tile_, read, point) != ReadPath::Shuffle) continue;
      const auto [lanes, source] = LaneOf(tile_, read, point);
      const std::string value = scope_.Register(read.version, read.age, source);
      const auto [at, is_new] = shuffled_.try_emplace(fmt::format("{} {}", value, lanes), "");
      if (!is_new) continue;
      at->second = scope_.Claim(fmt::format("{}_{}", scope_.Registers(read.version, read.age),
                                            lanes < 0 ? "left" : "right"));
      WriteWrapped(writer, fmt::format("const {} {} = __shfl_{}_sync(0xffffffffU, {}, {}, {});",
                                       ToString(scope_.TypeOf(read.version)), at->second,
                                       lanes < 0 ? "up" : "down", value, std::abs(lanes),
                                       tile_.threads[tile_.dimensions - 1]));
    }
  }
}

ExprText TileComputePrinter::Held(const TileRead& read, const Point& point) {
  const ReadPath path = PathOf(tile_, read, point);
  const auto [lanes, source] = LaneOf(tile_, read, point);
  if (path == ReadPath::Register) {
    return {scope_.Register(read.version, read.age, source), kPrimaryPrecedence};
  }
  if (path == ReadPath::Shuffle) {
    const std::string value = scope_.Register(read.version, read.age, source);
    return {shuffled_.at(fmt::format("{} {}", value, lanes)), kPrimaryPrecedence};
  }
  return {fmt::format("{}[{}]", scope_.Shared(read.version, read.age),
                      scope_.SharedPosition(point, read.offset)),
          kPrimaryPrecedence};
}

/// Then points that it does not compute must not be computed, and those that nobody needs had
/// better not be.
bool TileComputePrinter::ReadsMemory(std::size_t op) const {
  return plan::ReadsMemory(scope_.model().graph(), tile_, static_cast<int>(op));
}

OperatorStyle TileComputePrinter::StyleOf(std::size_t index, const Point& point) {
  OperatorStyle style = DeviceStyle(scope_.model());
  style.scope = &scope_.names();
  style.iterators = scope_.iterators();
  style.held = [this, index, point](const graph::Access& access) -> std::optional<ExprText> {
    const auto read = FindRead(scope_.model().graph(), tile_, static_cast<int>(index), access);
    if (!read || PathOf(tile_, *read, point) == ReadPath::Memory) return std::nullopt;
    return Held(*read, point);
  };
  return style;
}

/// As StyleOf, for the elements of a body: distances are from the thread's first point.
OperatorStyle TileComputePrinter::BodyStyle(std::size_t index, const std::vector<Point>& points) {
  OperatorStyle style = StyleOf(index, kFirst);
  const TileElements elements(scope_.model().graph(), tile_, static_cast<int>(index), points);
  style.uniform_alone = true;
  style.held = [this, elements](const graph::Access& access) -> std::optional<ExprText> {
    const auto read = elements.Find(access);
    if (!read) return std::nullopt;
    return Held(*read, kFirst);
  };
  return style;
}

std::string TileComputePrinter::TargetOf(std::size_t index,
                                         const kernel::Statement& statement) const {
  const Point point = PointOf(tile_, statement);
  if (tile_.ops[index].scatter) return scope_.Sum(index, StepsAhead(tile_, statement), point);
  return scope_.Register(tile_.Find(scope_.OperatorAt(index).result), 0, point);
}

/// The points as one body in the order that the options ask for.
void TileComputePrinter::PrintOrdered(CodeWriter& writer, std::size_t index,
                                      const std::vector<Point>& points) {
  const ProgramModel& model = scope_.model();
  const auto [at, is_new] = bodies_.try_emplace({index, points});
  if (is_new) at->second = OrderTile(model, scope_.kernel(), static_cast<int>(index), points);
  const TileBody& body = at->second;
  OperatorStyle style = BodyStyle(index, points);
  style.result = TargetOf(index, body.ordered.statements.front());
  OperatorCode code(model, scope_.OperatorAt(index), std::move(style));
  std::vector<BodyOperator> ops;
  for (const Operator& op : body.ops) ops.push_back({&op, &code});
  const BodyCode lines =
      PrintBody(model.graph(), body.ordered, ops,
                [&](const kernel::Statement& statement) { return TargetOf(index, statement); });
  const auto block = writer.Block("");
  writer.Line("// At most {} values live at once beside planes, {} in the order of the program.",
              kernel::MaxLive(body.ordered), kernel::MaxLive(body.written));
  PrintIterators(writer, index, code, kFirst);
  for (const std::string& line : code.uniform()) WriteWrapped(writer, line);
  for (const std::string& line : lines.uniform) WriteWrapped(writer, line);
  for (const std::string& line : code.centres()) WriteWrapped(writer, line);
  for (const std::string& line : lines.lines) WriteWrapped(writer, line);
}

/// All of the thread's points, whether the operator computes them or not; then the background's
/// value where it does not.
void TileComputePrinter::PrintTogether(CodeWriter& writer, std::size_t index, bool guarded) {
  const Operator& op = scope_.OperatorAt(index);
  const std::int64_t flops = graph::FlopsPerPoint(scope_.model().graph(), op);
  if (flops > 0) {
    writer.Line("STENCILGEN_FLOPS({});", flops * static_cast<std::int64_t>(points_.size()));
  }
  PrintOrdered(writer, index, points_);
  if (!tile_.ops[index].background) return;
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  for (const Point& point : points_) {
    const std::string test = Test(index, point, guarded);
    if (test.empty()) continue;
    writer.Line("if (!({})) {} = {};", test, scope_.Register(tile_.Find(op.result), 0, point),
                Held(*held, point).text);
  }
}

/// True where the operator's code must stand under its test at the point: where that may fail, and
/// what is computed then must not be.
bool TileComputePrinter::Skips(std::size_t index, const Point& point, bool guarded) {
  const bool reads_memory = ReadsMemory(index);
  if (!reads_memory && !tile_.ops[index].background) return false;
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  return (reads_memory || !held) && !Test(index, point, guarded).empty();
}

/// The test that the operator computes the thread's point; empty where that is certain.
std::string TileComputePrinter::Test(std::size_t index, const Point& point, bool guarded) {
  const Operator& op = scope_.OperatorAt(index);
  const plan::TileVersion& result = Result(index);
  TileTests::Ranges ranges;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) ranges[d] = scope_.RangeOf(op, d);
  std::string planes;
  if (tile_.stream) {
    planes = tests_.OfPlane(ranges[*tile_.stream], result.lag);
    if (!guarded) planes.clear();
  }
  return And({planes, tests_.Of("computes", ranges, result.halo,
                                ReadsMemory(index) ? &result.halo : nullptr, point, guarded)});
}

/// What the code refers to, and the iterators at the point.
void TileComputePrinter::PrintIterators(CodeWriter& writer, std::size_t index,
                                        const OperatorCode& code, const Point& point) {
  scope_.Use(code);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (!code.UsesIterator(d)) continue;
    const Term at = tile_.stream == d ? Variable(scope_.plane()) - Number(Result(index).lag)
                                      : scope_.Coordinate(d, point);
    writer.Line("const Index {} = {};", scope_.iterators()[d], at.text);
  }
}

void TileComputePrinter::PrintCode(CodeWriter& writer, std::size_t index, const OperatorCode& code,
                                   const Point& point) {
  PrintIterators(writer, index, code, point);
  for (const std::string& line : code.uniform()) WriteWrapped(writer, line);
  for (const std::string& line : code.point()) WriteWrapped(writer, line);
}

/// Adds what the newest plane gives to each sum; the farthest begins with it.
void TileComputePrinter::PrintParts(CodeWriter& writer, std::size_t index, const Point& point) {
  const plan::Scatter& scatter = *tile_.ops[index].scatter;
  for (std::size_t n = 0; n < scatter.parts.size(); ++n) {
    const std::size_t ahead = scatter.parts.size() - 1 - n;
    OperatorStyle style = StyleOf(index, point);
    style.result = scope_.Sum(index, ahead, point);
    style.value = scatter.parts[n];
    style.assign = n == 0 ? "=" : "+=";
    if (!style.value.Valid()) {
      if (n == 0) writer.Line("{} = 0;", style.result);
      continue;
    }
    PrintCode(writer, index, OperatorCode(scope_.model(), scope_.OperatorAt(index), style), point);
  }
}

/// Points that nobody needs are computed too, where that reads no memory: a value from there
/// reaches no point that is stored, and no thread waits for another's test.
void TileComputePrinter::PrintPoint(CodeWriter& writer, std::size_t index, const Point& point,
                                    bool guarded) {
  const Operator& op = scope_.OperatorAt(index);
  const bool background = tile_.ops[index].background;
  const bool reads_memory = ReadsMemory(index);
  const std::string target = scope_.Register(tile_.Find(op.result), 0, point);
  OperatorStyle style = StyleOf(index, point);
  style.result = target;
  if (const auto& scatter = tile_.ops[index].scatter) {
    style.value = scatter->finish;
    style.sum = scope_.Sum(index, 0, point);
  }
  const std::string test = background || reads_memory ? Test(index, point, guarded) : std::string();
  const std::int64_t flops = graph::FlopsPerPoint(scope_.model().graph(), op);
  const auto held = FindBackground(scope_.model().graph(), tile_, static_cast<int>(index));
  const bool selects = !test.empty() && !reads_memory && held;
  if (selects)
    style.result = fmt::format("const {} next", ToString(scope_.TypeOf(tile_.Find(op.result))));
  const OperatorCode code(scope_.model(), op, style);
  const bool ordered = reorders_ && !tile_.ops[index].scatter;
  const auto compute = [&] {
    if (flops > 0) writer.Line("STENCILGEN_FLOPS({});", flops);
    if (ordered) {
      PrintOrdered(writer, index, {point});
    } else {
      PrintCode(writer, index, code, point);
    }
    if (selects) writer.Line("{} = {} ? next : {};", target, test, Held(*held, point).text);
  };
  bool declares = code.point().size() > 1 || !code.uniform().empty();
  for (std::size_t d = 0; d < tile_.dimensions; ++d) declares = declares || code.UsesIterator(d);
  if (test.empty() && !declares) {
    compute();
  } else {
    const auto block = test.empty() || selects ? writer.Block("") : writer.Block("if ({})", test);
    compute();
  }
  if (background && !selects && !test.empty()) PrintBackground(writer, index, point, guarded);
}

void TileComputePrinter::PrintBackground(CodeWriter& writer, std::size_t index, const Point& point,
                                         bool guarded) {
  const ProgramModel& model = scope_.model();
  const graph::Graph& graph = model.graph();
  const Operator& op = scope_.OperatorAt(index);
  const plan::TileVersion& result = Result(index);
  const std::string target = scope_.Register(tile_.Find(op.result), 0, point);
  if (const auto read = FindBackground(graph, tile_, static_cast<int>(index))) {
    const auto block = writer.Block("else");
    writer.Line("{} = {};", target, Held(*read, point).text);
    return;
  }
  const plan::BufferId buffer = model.plan().buffer_of[op.background.index];
  scope_.Read(buffer);
  TileTests::Ranges ranges;
  Term position = Number(0);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    ranges[d] = scope_.ArrayRange(op.background, d);
    const Term at = tile_.stream == d ? Variable(scope_.plane()) - Number(result.lag)
                                      : scope_.Coordinate(d, point);
    if (d > 0) position = position * scope_.Form(model.plan().buffers[buffer].extents[d]);
    position = position + Variable(fmt::format("Index({})", at.text));
  }
  std::string planes;
  if (tile_.stream && guarded) planes = tests_.OfPlane(ranges[*tile_.stream], result.lag);
  const auto block = writer.Block(
      "else if ({})",
      And({planes, tests_.Of("inside", ranges, result.halo, &result.halo, point, true)}));
  WriteWrapped(writer, fmt::format("{} = {}[{}];", target, model.Name(buffer), position.text));
}

void TileComputePrinter::PrintAgeing(CodeWriter& writer) {
  for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
    const auto& scatter = tile_.ops[op].scatter;
    for (std::size_t ahead = 1; scatter && ahead < scatter->parts.size(); ++ahead) {
      for (const Point& point : points_) {
        writer.Line("{} = {};", scope_.Sum(op, ahead - 1, point), scope_.Sum(op, ahead, point));
      }
    }
  }
}

}  // namespace stencilgen::codegen::cuda
