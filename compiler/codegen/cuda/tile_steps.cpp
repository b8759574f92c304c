#include "codegen/cuda/tile_steps.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/text.h"

namespace stencilgen::codegen::cuda {

using graph::Operator;
using plan::ReadPath;
using plan::TileRead;
using Kind = plan::TileStep::Kind;

namespace {

std::string And(const std::vector<std::string>& conditions) {
  std::string text;
  for (const std::string& condition : conditions) {
    if (condition.empty()) continue;
    if (!text.empty()) text += " && ";
    text += condition;
  }
  return text;
}

/// `plane`, or `(plane - 2)` as a factor.
Term PlaneTerm(const std::string& plane) {
  return Variable(plane.find(' ') == std::string::npos ? plane : fmt::format("({})", plane));
}

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

}  // namespace

void TileStepPrinter::Print(CodeWriter& writer) {
  for (const plan::TileStep& step : tile_.steps) {
    switch (step.kind) {
      case Kind::Load:
        PrintLoad(writer, step.index);
        break;
      case Kind::Publish:
        PrintPublish(writer, step.index);
        break;
      case Kind::Barrier:
        writer.Line("__syncthreads();");
        break;
      case Kind::Compute:
        PrintCompute(writer, static_cast<std::size_t>(step.index));
        break;
      case Kind::Store:
        PrintStore(writer, tile_.stores[static_cast<std::size_t>(step.index)]);
        break;
    }
  }
  if (tile_.stream) PrintAgeing(writer);
}

std::string TileStepPrinter::PlaneOf(std::int64_t lag) const {
  return (Variable(scope_.plane()) - Number(lag)).text;
}

std::string TileStepPrinter::Test(std::string_view wish, const std::vector<std::string>& conditions,
                                  const Point& point) {
  const std::string key = fmt::format("{}", fmt::join(conditions, "; "));
  const auto [at, is_new] = test_names_.try_emplace(key, "");
  if (is_new) {
    at->second = scope_.Claim(wish);
    if (points_.size() == 1) {
      tests_.push_back(fmt::format("const bool {} = {};", at->second, conditions.front()));
    } else {
      tests_.push_back(fmt::format("const bool {}[{}] = {{{}}};", at->second, points_.size(),
                                   fmt::join(conditions, ", ")));
    }
  }
  return points_.size() == 1 ? at->second
                             : fmt::format("{}[{}]", at->second, scope_.PlaceOf(point));
}

std::string TileStepPrinter::InRange(std::size_t d, const std::string& range,
                                     const Point& point) const {
  const std::string at = scope_.Coordinate(d, point).text;
  return fmt::format("{0} >= {1}_lo && {0} <= {1}_hi", at, range);
}

std::string TileStepPrinter::InArray(graph::VersionId version, const Point& point, bool with_plane,
                                     const std::string& plane) {
  const graph::Graph& graph = scope_.model().graph();
  const graph::Array& array = graph.arrays[graph.versions[version].array];
  std::vector<std::string> conditions;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d && !with_plane) continue;
    const std::string at =
        tile_.stream == d ? Operand(Variable(plane), 0) : scope_.Coordinate(d, point).text;
    conditions.push_back(
        fmt::format("{0} >= 0 && {0} < {1}", at, Operand(scope_.Form(array.extents[d]), 9)));
  }
  return And(conditions);
}

/// The point is at most that far from what the block stores; empty where all its threads are.
std::string TileStepPrinter::NearTile(const plan::Halo& halo, const Point& point) const {
  std::vector<std::string> conditions;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d) continue;
    const std::string at = scope_.Coordinate(d, point).text;
    const Term start = Variable(scope_.TileStart(d));
    if (halo.lo[d] < tile_.halo.lo[d]) {
      conditions.push_back(fmt::format("{} >= {}", at, (start - Number(halo.lo[d])).text));
    }
    if (halo.hi[d] < tile_.halo.hi[d]) {
      conditions.push_back(
          fmt::format("{} < {}", at, (start + Number(tile_.Stored(d) + halo.hi[d])).text));
    }
  }
  return And(conditions);
}

std::string TileStepPrinter::Element(graph::VersionId version, const Point& point,
                                     const std::string& plane) {
  const ProgramModel& model = scope_.model();
  const plan::BufferId buffer = model.plan().buffer_of[version.index];
  const plan::Buffer& memory = model.plan().buffers[buffer];
  Term position = Number(0);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    const Term at = tile_.stream == d ? PlaneTerm(plane)
                                      : scope_.Coordinate(d, point);
    position = d == 0 ? at : position * scope_.Form(memory.extents[d]) + at;
  }
  const std::string& constant = model.ConstantName(buffer);
  return fmt::format("{}[{}]", constant.empty() ? model.Name(buffer) : constant, position.text);
}

void TileStepPrinter::PrintLoad(CodeWriter& writer, int version) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  scope_.Read(scope_.model().plan().buffer_of[input.version.index]);
  std::vector<std::string> conditions;
  for (const Point& point : points_) {
    conditions.push_back(
        And({InArray(input.version, point, false, ""), NearTile(input.halo, point)}));
  }
  std::string planes;
  std::string plane;
  if (tile_.stream) {
    const std::size_t d = *tile_.stream;
    const graph::Graph& graph = scope_.model().graph();
    const graph::Array& array = graph.arrays[graph.versions[input.version].array];
    plane = PlaneOf(input.lag);
    planes = fmt::format(
        "{0} >= 0 && {0} < {1} && {0} <= {2}", plane, Operand(scope_.Form(array.extents[d]), 9),
        (Variable(scope_.plane_last()) + Number(input.halo.hi[d])).text);
    // The first steps may come before the first plane that is needed.
    planes += fmt::format(" && {} >= {}", plane,
                          (Variable(scope_.plane_first()) - Number(input.halo.lo[d])).text);
  }
  const auto load = [&](CodeWriter& to) {
    for (const Point& point : points_) {
      WriteWrapped(to, fmt::format("if ({}) {} = {};", Test("inside", conditions, point),
                                   scope_.Register(version, 0, point),
                                   Element(input.version, point, plane)));
    }
  };
  if (planes.empty()) return load(writer);
  const auto block = writer.Block("if ({})", planes);
  load(writer);
}

std::string TileStepPrinter::SharedPosition(const Point& point,
                                            const std::array<std::int64_t, 3>& offset) const {
  std::int64_t stride = 1;
  std::int64_t distance = 0;
  for (std::size_t d = tile_.dimensions; d-- > 0;) {
    distance += (point[d] + offset[d]) * stride;
    stride *= std::int64_t{tile_.threads[d]} * tile_.points[d];
  }
  return (Variable(scope_.position()) + Number(distance)).text;
}

void TileStepPrinter::PrintPublish(CodeWriter& writer, int version) {
  const int age = tile_.versions[static_cast<std::size_t>(version)].FirstShared();
  for (const Point& point : points_) {
    writer.Line("{}[{}] = {};", scope_.Shared(version, age), SharedPosition(point, {}),
                scope_.Register(version, age, point));
  }
}

ExprText TileStepPrinter::Held(const TileRead& read, const Point& point) {
  const ReadPath path = PathOf(tile_, read, point);
  Point source = point;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    source[d] += static_cast<int>(read.offset[d]);
  }
  if (path == ReadPath::Register) {
    return {scope_.Register(read.version, read.age, source), kPrimaryPrecedence};
  }
  if (path == ReadPath::Shuffle) {
    const std::size_t x = tile_.dimensions - 1;
    const std::int64_t lanes = FloorDiv(source[x], tile_.points[x]);
    source[x] -= static_cast<int>(lanes) * tile_.points[x];
    const std::string key =
        fmt::format("{} {}", scope_.Register(read.version, read.age, source), lanes);
    return {shuffled_.at(key), kPrimaryPrecedence};
  }
  return {fmt::format("{}[{}]", scope_.Shared(read.version, read.age),
                      SharedPosition(point, read.offset)),
          kPrimaryPrecedence};
}

/// Every value that another lane has is fetched by all lanes at once, whatever their points do.
void TileStepPrinter::PrintShuffles(CodeWriter& writer, std::size_t op) {
  shuffled_.clear();
  const std::size_t x = tile_.dimensions - 1;
  for (const TileRead& read :
       plan::FindReads(scope_.model().graph(), tile_, static_cast<int>(op))) {
    for (const Point& point : points_) {
      if (PathOf(tile_, read, point) != ReadPath::Shuffle) continue;
      Point source = point;
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        source[d] += static_cast<int>(read.offset[d]);
      }
      const std::int64_t lanes = FloorDiv(source[x], tile_.points[x]);
      source[x] -= static_cast<int>(lanes) * tile_.points[x];
      const std::string value = scope_.Register(read.version, read.age, source);
      const auto [at, is_new] = shuffled_.try_emplace(fmt::format("{} {}", value, lanes), "");
      if (!is_new) continue;
      at->second = scope_.Claim(fmt::format("{}_{}{}", scope_.Registers(read.version, read.age),
                                            lanes < 0 ? "left" : "right",
                                            tile_.Points() == 1 && std::abs(lanes) == 1
                                                ? std::string()
                                                : fmt::format("_{}", std::abs(source[x]))));
      WriteWrapped(writer,
                   fmt::format("const {} {} = __shfl_{}_sync(0xffffffffU, {}, {}, {});",
                               ToString(scope_.TypeOf(read.version)), at->second,
                               lanes < 0 ? "up" : "down", value, std::abs(lanes),
                               tile_.threads[x]));
    }
  }
}

/// True where the operator reads some element from memory, so that points it need not compute
/// should not be computed.
bool TileStepPrinter::ReadsMemory(std::size_t op, const Point& point) {
  const graph::Graph& graph = scope_.model().graph();
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, scope_.OperatorAt(op));
  return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    const auto& access = std::get<graph::Access>(graph.exprs[id].node);
    if (access.indices.empty()) return false;
    const auto read = FindRead(graph, tile_, static_cast<int>(op), access);
    return !read || PathOf(tile_, *read, point) == ReadPath::Memory;
  });
}

void TileStepPrinter::PrintCompute(CodeWriter& writer, std::size_t index) {
  const Operator& op = scope_.OperatorAt(index);
  const std::string comment = SourceComment(scope_.model().options(), op.span);
  if (!comment.empty()) writer.Line("// {}", comment);
  PrintShuffles(writer, index);
  std::string planes;
  if (tile_.stream) {
    const std::size_t d = *tile_.stream;
    const int version = tile_.Find(op.result);
    const std::int64_t lag = tile_.versions[static_cast<std::size_t>(version)].lag;
    const std::string& range = scope_.RangeOf(op, d);
    planes = fmt::format("{0} >= {1}_lo && {0} <= {1}_hi", PlaneOf(lag), range);
  }
  for (const Point& point : points_) {
    if (tile_.ops[index].scatter) PrintParts(writer, index, point);
    PrintPoint(writer, index, point, planes);
  }
}

OperatorStyle TileStepPrinter::StyleOf(std::size_t index, const Point& point) {
  const ProgramModel& model = scope_.model();
  OperatorStyle style;
  style.scope = &scope_.names();
  style.iterators = scope_.iterators();
  style.index_is_int = model.FitsIntIndex();
  style.exact_products = model.options().fp == FpMode::Strict;
  style.element = [&model](plan::BufferId buffer, const std::string& position) {
    const std::string& constant = model.ConstantName(buffer);
    return fmt::format("{}[{}]", constant.empty() ? model.Name(buffer) : constant, position);
  };
  style.held = [this, index, point](const graph::Access& access) -> std::optional<ExprText> {
    const auto read =
        FindRead(scope_.model().graph(), tile_, static_cast<int>(index), access);
    if (!read || PathOf(tile_, *read, point) == ReadPath::Memory) return std::nullopt;
    return Held(*read, point);
  };
  return style;
}

/// The test that the operator computes the thread's point, whatever the plane.
std::string TileStepPrinter::Computes(std::size_t index, const Point& point) {
  const Operator& op = scope_.OperatorAt(index);
  const int version = tile_.Find(op.result);
  const plan::TileVersion& result = tile_.versions[static_cast<std::size_t>(version)];
  std::vector<std::string> conditions;
  for (const Point& each : points_) {
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d) parts.push_back(InRange(d, scope_.RangeOf(op, d), each));
    }
    if (ReadsMemory(index, each)) parts.push_back(NearTile(result.halo, each));
    conditions.push_back(And(parts));
  }
  return Test("computes", conditions, point);
}

void TileStepPrinter::PrintCode(CodeWriter& writer, std::size_t index, const OperatorCode& code,
                                const Point& point) {
  scope_.Use(code);
  const int version = tile_.Find(scope_.OperatorAt(index).result);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    const bool streamed = tile_.stream == d;
    if (!code.UsesIterator(d) || (!streamed && tile_.points[d] == 1)) continue;
    const std::int64_t lag = tile_.versions[static_cast<std::size_t>(version)].lag;
    writer.Line("const Index {} = {};", scope_.iterators()[d],
                streamed ? PlaneOf(lag) : scope_.Coordinate(d, point).text);
  }
  for (const std::string& line : code.uniform()) WriteWrapped(writer, line);
  for (const std::string& line : code.point()) WriteWrapped(writer, line);
}

/// Adds what the newest plane gives to each sum; the farthest begins with it.
void TileStepPrinter::PrintParts(CodeWriter& writer, std::size_t index, const Point& point) {
  const plan::Scatter& scatter = *tile_.ops[index].scatter;
  const auto block = writer.Block("if ({})", Computes(index, point));
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

void TileStepPrinter::PrintPoint(CodeWriter& writer, std::size_t index, const Point& point,
                                 const std::string& planes) {
  const Operator& op = scope_.OperatorAt(index);
  OperatorStyle style = StyleOf(index, point);
  style.result = scope_.Register(tile_.Find(op.result), 0, point);
  if (const auto& scatter = tile_.ops[index].scatter) {
    style.value = scatter->finish;
    style.sum = scope_.Sum(index, 0, point);
  }
  const OperatorCode code(scope_.model(), op, style);
  {
    const auto block = writer.Block("if ({})", And({planes, Computes(index, point)}));
    const std::int64_t flops = graph::FlopsPerPoint(scope_.model().graph(), op);
    if (flops > 0) writer.Line("STENCILGEN_FLOPS({});", flops);
    PrintCode(writer, index, code, point);
  }
  if (tile_.ops[index].background) PrintBackground(writer, index, point);
}

void TileStepPrinter::PrintBackground(CodeWriter& writer, std::size_t index, const Point& point) {
  const ProgramModel& model = scope_.model();
  const graph::Graph& graph = model.graph();
  const Operator& op = scope_.OperatorAt(index);
  const int version = tile_.Find(op.result);
  const plan::TileVersion& result = tile_.versions[static_cast<std::size_t>(version)];
  const std::string target = scope_.Register(version, 0, point);
  if (const auto read = FindBackground(graph, tile_, static_cast<int>(index))) {
    const auto block = writer.Block("else");
    writer.Line("{} = {};", target, Held(*read, point).text);
    return;
  }
  scope_.Read(model.plan().buffer_of[op.background.index]);
  const std::string plane = tile_.stream ? PlaneOf(result.lag) : std::string();
  std::vector<std::string> inside;
  for (const Point& each : points_) {
    inside.push_back(
        And({InArray(op.background, each, false, plane), NearTile(result.halo, each)}));
  }
  std::string planes_inside;
  if (tile_.stream) {
    const graph::Array& array = graph.arrays[graph.versions[op.background].array];
    planes_inside = fmt::format("{0} >= 0 && {0} < {1}", plane,
                                Operand(scope_.Form(array.extents[*tile_.stream]), 9));
  }
  const auto block = writer.Block(
      "else if ({})", And({planes_inside, Test("inside", inside, point)}));
  WriteWrapped(writer, fmt::format("{} = {};", target, Element(op.background, point, plane)));
}

void TileStepPrinter::PrintStore(CodeWriter& writer, const plan::TileStore& store) {
  const int version = tile_.Find(store.version);
  const plan::TileVersion& result = tile_.versions[static_cast<std::size_t>(version)];
  scope_.Write(scope_.model().plan().buffer_of[store.version.index]);
  std::vector<std::string> conditions;
  for (const Point& point : points_) {
    std::vector<std::string> parts = {NearTile({}, point)};
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d) parts.push_back(InRange(d, scope_.StoreRange(store, d), point));
    }
    conditions.push_back(And(parts));
  }
  std::string planes;
  std::string plane;
  if (tile_.stream) {
    const std::string& range = scope_.StoreRange(store, *tile_.stream);
    plane = PlaneOf(result.lag);
    planes = fmt::format("{0} >= {1} && {0} <= {2} && {0} >= {3}_lo && {0} <= {3}_hi", plane,
                         scope_.plane_first(), scope_.plane_last(), range);
    if (range == scope_.Grid(*tile_.stream)) {
      planes = fmt::format("{0} >= {1} && {0} <= {2}", plane, scope_.plane_first(),
                           scope_.plane_last());
    }
  }
  const auto save = [&](CodeWriter& to) {
    for (const Point& point : points_) {
      WriteWrapped(to, fmt::format("if ({}) {} = {};", Test("stores", conditions, point),
                                   Element(store.version, point, plane),
                                   scope_.Register(version, 0, point)));
    }
  };
  if (planes.empty()) return save(writer);
  const auto block = writer.Block("if ({})", planes);
  save(writer);
}

void TileStepPrinter::PrintAgeing(CodeWriter& writer) {
  for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
    const auto& scatter = tile_.ops[op].scatter;
    for (std::size_t ahead = 1; scatter && ahead < scatter->parts.size(); ++ahead) {
      for (const Point& point : points_) {
        writer.Line("{} = {};", scope_.Sum(op, ahead - 1, point), scope_.Sum(op, ahead, point));
      }
    }
  }
  for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
    const plan::TileVersion& version = tile_.versions[v];
    const int index = static_cast<int>(v);
    for (int age = static_cast<int>(version.planes.size()) - 1; age > 0; --age) {
      if (!version.planes[static_cast<std::size_t>(age)].registers) continue;
      for (const Point& point : points_) {
        writer.Line("{} = {};", scope_.Register(index, age, point),
                    scope_.Register(index, age - 1, point));
      }
    }
    if (version.slots < 2) continue;
    const auto block = writer.Block("");
    const int first = version.FirstShared();
    const int last = first + version.slots - 1;
    const std::string oldest = scope_.Claim("oldest");
    writer.Line("const Shared<{}> {} = {};", ToString(scope_.TypeOf(index)), oldest,
                scope_.Shared(index, last));
    for (int age = last; age > first; --age) {
      writer.Line("{} = {};", scope_.Shared(index, age), scope_.Shared(index, age - 1));
    }
    writer.Line("{} = {};", scope_.Shared(index, first), oldest);
  }
}

}  // namespace stencilgen::codegen::cuda
