#include "plan/print.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/nodes.h"
#include "graph/print.h"
#include "graph/reduction.h"
#include "plan/hexagon.h"
#include "plan/looks.h"
#include "plan/matrix_tiles.h"
#include "plan/operator_facts.h"
#include "plan/print_tile.h"
#include "plan/time_band.h"
#include "support/match.h"

namespace stencilgen::plan {
namespace {

using graph::Operator;
using graph::VersionId;

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan), parameters_(graph::ParameterNames(plan.graph)) {
    std::vector<int> count(plan.graph.arrays.size(), 0);
    for (const graph::Version& version : plan.graph.versions) {
      versions_.push_back(fmt::format("{}.{}", plan.graph.arrays[version.array].name,
                                      count[version.array.index]++));
    }
  }

  std::string Run() && {
    Line(0, fmt::format("plan {}", plan_.graph.name));
    PrintBuffers();
    PrintScalars();
    PrintKernels();
    Line(0, "steps");
    PrintSteps(plan_.steps, 1);
    PrintResults();
    return std::move(text_);
  }

 private:
  void Line(int depth, const std::string& line) {
    text_ += fmt::format("{:{}}{}\n", "", 2 * depth, line);
  }
  std::string Extents(const Buffer& buffer) const {
    std::string text;
    for (const graph::LinearForm& extent : buffer.extents) {
      text += fmt::format("[{}]", graph::ToString(extent, parameters_));
    }
    return text;
  }

  void PrintBuffers() {
    if (!plan_.buffers.empty()) Line(0, "buffers");
    for (const Buffer& buffer : plan_.buffers) {
      std::string use = "scratch";
      if (buffer.home.Valid()) {
        use = "home";
        if (plan_.needs_contents[buffer.home.index]) use += ", filled";
        if (plan_.home_written[buffer.home.index]) use += ", written";
      }
      Line(1, fmt::format("{} {}{}: {}", ToString(buffer.type), buffer.name, Extents(buffer), use));
    }
  }
  void PrintScalars() {
    if (!plan_.scalars.empty()) Line(0, "scalars");
    for (const auto& [name, type] : plan_.scalars) {
      Line(1, fmt::format("{} {}", ToString(type), name));
    }
  }
  void PrintKernels() {
    if (!plan_.kernels.empty()) Line(0, "kernels");
    for (const Kernel& kernel : plan_.kernels) {
      if (const Operator* op = FindReduction(plan_.graph, kernel.ops)) {
        Line(1, fmt::format("{}: {}", kernel.name, ToString(*op->reduction)));
        continue;
      }
      if (kernel.matrix) {
        const auto& op = std::get<Operator>(plan_.graph.nodes[kernel.ops.front()]);
        Line(1, fmt::format("{}: {}", kernel.name, ToString(plan_.graph, op, *kernel.matrix)));
        continue;
      }
      if (kernel.nest) {
        Line(1, fmt::format("{}: {}", kernel.name, NestText(kernel)));
        continue;
      }
      std::string shape =
          fmt::format("{}: block {}, unroll {}", kernel.name, fmt::join(kernel.schedule.block, "x"),
                      fmt::join(kernel.schedule.unroll, "x"));
      if (kernel.resident > 0) {
        shape += fmt::format(", registers for {} blocks a multiprocessor", kernel.resident);
      }
      Line(1, shape);
      PrintStream(kernel);
      if (!kernel.tile) continue;
      for (const std::string& line : TileLines(plan_.graph, *kernel.tile)) Line(2, line);
    }
  }
  std::string NestText(const Kernel& kernel) const {
    const auto& op = std::get<Operator>(plan_.graph.nodes[kernel.ops.front()]);
    std::string text = ToString(*kernel.nest, IteratorNames(plan_.graph, op));
    if (kernel.held) text += ", in place: " + HeldText(*kernel.held);
    return text;
  }
  std::string HeldText(const HeldPlanes& held) const {
    return fmt::format("planes wait in {} for {} below and {} above",
                       plan_.buffers[held.buffer].name, held.below, held.above);
  }
  void PrintStream(const Kernel& kernel) {
    if (!kernel.schedule.stream) return;
    const Stream& stream = *kernel.schedule.stream;
    const std::string& name = plan_.graph.iterators[static_cast<std::size_t>(stream.iterator)];
    std::string chunks = fmt::format("chunks of {}", stream.chunk);
    if (stream.chunk == 0) chunks = stream.shortest == 0 ? "serial" : "chunks";
    if (stream.shortest > 0) {
      chunks += fmt::format(" as planned, chosen at run time, {} at least", stream.shortest);
    }
    Line(2, fmt::format("stream {}, {}", name, chunks));
    for (const Window& window : kernel.windows) {
      std::string column;
      for (const graph::Index& index : window.base) {
        const std::int64_t offset = index.offset.constant;
        const std::string& it = plan_.graph.iterators[static_cast<std::size_t>(index.iterator)];
        column += offset == 0 ? fmt::format("[{}]", it) : fmt::format("[{}{:+}]", it, offset);
      }
      Line(2, fmt::format("registers {}{}, planes {} to {}", versions_[window.version.index],
                          column, window.first, window.last));
    }
  }
  void PrintResults() {
    if (!plan_.results.empty()) Line(0, "results");
    for (std::size_t i = 0; i < plan_.results.size(); ++i) {
      Line(1, fmt::format("{} in {}", plan_.graph.arrays[plan_.graph.outputs[i].array].name,
                          Name(plan_.results[i])));
    }
  }

  std::string Name(BufferId buffer) const {
    return buffer.Valid() ? plan_.buffers[buffer].name : "nothing";
  }
  std::string Variable(VersionId version) const {
    const int scalar = plan_.scalar_of[version.index];
    if (scalar >= 0) return plan_.scalars[static_cast<std::size_t>(scalar)].first;
    return Name(plan_.buffer_of[version.index]);
  }
  /// `u.2 -> u_alt from u, a`: each variable read once, in order of first use.
  std::string Effect(graph::NodeId node) const {
    const auto& op = std::get<Operator>(plan_.graph.nodes[node]);
    std::vector<std::string> sources;
    for (graph::ExprId expr : graph::Accesses(plan_.graph, op)) {
      const auto& access = std::get<graph::Access>(plan_.graph.exprs[expr].node);
      std::string name = Variable(access.version);
      if (std::find(sources.begin(), sources.end(), name) == sources.end()) {
        sources.push_back(std::move(name));
      }
    }
    std::string text = fmt::format("{} -> {}", versions_[op.result.index], Variable(op.result));
    if (!sources.empty()) text += fmt::format(" from {}", fmt::join(sources, ", "));
    return text;
  }

  /// What the kernel makes, and all that it reads from memory.
  std::string Effect(const Kernel& kernel) const {
    if (!kernel.tile && kernel.ops.size() == 1) return Effect(kernel.ops.front());
    std::vector<std::string> results;
    for (VersionId version : StoredVersions(plan_, kernel)) {
      results.push_back(fmt::format("{} -> {}", versions_[version.index], Variable(version)));
    }
    std::set<std::string> sources;
    std::set<VersionId> made;
    if (kernel.tile) {
      for (const TileVersion& version : kernel.tile->versions) {
        if (!version.loaded) made.insert(version.version);
      }
    }
    const auto read = [&](VersionId version) {
      if (made.count(version) == 0) sources.insert(Variable(version));
    };
    for (std::size_t k = 0; k < kernel.ops.size(); ++k) {
      const auto& op = std::get<Operator>(plan_.graph.nodes[kernel.ops[k]]);
      for (graph::ExprId expr : graph::Accesses(plan_.graph, op)) {
        read(std::get<graph::Access>(plan_.graph.exprs[expr].node).version);
      }
      if (kernel.tile && kernel.tile->ops[k].background) read(op.background);
      made.insert(op.result);
    }
    return fmt::format("{}{}{}", fmt::join(results, ", "), sources.empty() ? "" : " from ",
                       fmt::join(sources, ", "));
  }

  static std::string_view WhenText(const Looks& looks) {
    return looks.results ? ", to look or at the end" : ", to look";
  }

  /// `looks`: of the loop whose body these are.
  void PrintSteps(const std::vector<Step>& steps, int depth, const Looks& looks = {}) {
    for (const Step& step : steps) {
      Match(
          step,
          [&](const Launch& launch) {
            const Kernel& kernel = plan_.kernels[launch.kernel];
            const std::string_view when =
                looks.kernels.count(launch.kernel) > 0 ? WhenText(looks) : "";
            Line(depth, fmt::format("{}: {}{}", kernel.name, Effect(kernel), when));
          },
          [&](const AssignScalar& assign) {
            const std::string_view when = looks.scalars.count(assign.op) > 0 ? ", to look" : "";
            Line(depth, fmt::format("scalar: {}{}", Effect(assign.op), when));
          },
          [&](const CopyOutside& copy) {
            const auto& op = std::get<Operator>(plan_.graph.nodes[copy.op]);
            Line(depth, fmt::format("copy {} -> {} outside {}", Name(copy.src), Name(copy.dst),
                                    versions_[op.result.index]));
          },
          [&](const CopyAll& copy) {
            Line(depth, fmt::format("copy {} -> {}", Name(copy.src), Name(copy.dst)));
          },
          [&](const Repeat& repeat) { PrintRepeat(repeat, depth); });
    }
  }
  void PrintRepeat(const Repeat& repeat, int depth) {
    std::string head = fmt::format("repeat {}", graph::ToString(repeat.turns, parameters_));
    if (repeat.loop.Valid()) {
      head += graph::StopText(graph::LoopOf(plan_.graph, repeat.loop), parameters_, versions_);
    }
    Line(depth, head);
    PrintSteps(repeat.body, depth + 1, FindLooks(plan_, repeat));
    if (repeat.band) PrintBand(repeat, depth);
    if (repeat.graph) Line(depth, GraphText(*repeat.graph));
    if (RunsInKernel(plan_, repeat)) Line(depth, "in the kernel");
    std::vector<std::string> moves;
    for (const auto& [to, from] : repeat.rotation) {
      moves.push_back(fmt::format("{} <- {}", Name(to), Name(from)));
    }
    for (const auto& [to, from] : repeat.scalar_moves) {
      moves.push_back(fmt::format("{} <- {}", plan_.scalars[static_cast<std::size_t>(to)].first,
                                  plan_.scalars[static_cast<std::size_t>(from)].first));
    }
    if (!moves.empty()) Line(depth, fmt::format("rotate {}", fmt::join(moves, ", ")));
  }

  static std::string GraphText(const TurnGraph& graph) {
    std::string text = fmt::format("in graphs of {} turns", graph.turns);
    if (graph.period > 1) text += fmt::format(", or others a multiple of {},", graph.period);
    text += fmt::format(" from {} turns on", graph.least);
    if (graph.most_bytes == 0) return text;
    return text + fmt::format(", where a turn moves at most {} bytes", graph.most_bytes);
  }

  void PrintBand(const Repeat& repeat, int depth) {
    const TimeBand& band = *repeat.band;
    const auto& op =
        std::get<Operator>(plan_.graph.nodes[plan_.kernels[LeadOf(plan_, band)].ops.front()]);
    const auto name = [&](std::size_t n) {
      return plan_.graph.iterators[static_cast<std::size_t>(op.iterators[n])];
    };
    const auto shifts = [](std::string_view what, const std::vector<std::int64_t>& each) {
      const bool any = std::any_of(each.begin(), each.end(), [](auto shift) { return shift != 0; });
      return any ? fmt::format(", {} by {}", what, fmt::join(each, ", ")) : std::string();
    };
    if (band.hexagon) return PrintHexagon(band, name, shifts, depth);
    const BandShape shape = ShapeOf(plan_, repeat);
    std::string text =
        fmt::format("in diamonds of {} and time, slope {}{}{}", name(0), band.outer.slope,
                    shifts("rising", band.outer.rise), shifts("falling", band.outer.fall));
    if (op.iterators.size() > 1) {
      text += fmt::format("; strips of {}, slope {}{}", name(1), band.inner.slope,
                          shifts("rising", band.inner.rise));
      if (shape.around[1]) {
        text += fmt::format("{}, that go around", shifts("falling", band.inner.fall));
      }
    }
    if (shape.around[0]) text += fmt::format("; {} is a ring", name(0));
    if (band.turns > 0) text += fmt::format("; {} turns a tile", band.turns);
    if (graph::LoopOf(plan_.graph, repeat.loop).stop) text += "; between looks";
    Line(depth, text);
    if (band.single) {
      const std::string nest = ToString(band.single->nest, IteratorNames(plan_.graph, op));
      Line(depth, fmt::format("a single turn in place: {}, {}", nest, HeldText(band.single->held)));
    }
    for (const BandEnds& ends : band.ends) {
      Line(depth,
           fmt::format("wanted {} in {}..{}, {} more each turn before, {} of a turn's launches",
                       plan_.graph.iterators[static_cast<std::size_t>(ends.iterator)],
                       graph::ToString(ends.first, parameters_),
                       graph::ToString(ends.end - 1, parameters_), ends.turn,
                       fmt::join(ends.after, ", ")));
    }
  }

  template <typename Name, typename Shifts>
  void PrintHexagon(const TimeBand& band, const Name& name, const Shifts& shifts, int depth) {
    const Hexagon& hexagon = *band.hexagon;
    std::string text =
        fmt::format("in hexagons of {} and time, {} turns, {} to {} rows, slope {}{}{}", name(0),
                    2 * hexagon.half, hexagon.width, WidestOf(band), band.outer.slope,
                    shifts("rising", band.outer.rise), shifts("falling", band.outer.fall));
    for (std::size_t n = 0; n < hexagon.strips.size(); ++n) {
      const BandStrip& strip = hexagon.strips[n];
      text += fmt::format("; strips of {} along {}, slope {}{}", strip.width, name(n + 1),
                          strip.side.slope, shifts("rising", strip.side.rise));
    }
    Line(depth, text + fmt::format("; block {}", fmt::join(hexagon.block, "x")));
  }

  const Plan& plan_;
  std::vector<std::string> parameters_;
  std::vector<std::string> versions_;  ///< names by index, as graph::VersionName
  std::string text_;
};

}  // namespace

std::string Print(const Plan& plan) {
  return Printer(plan).Run();
}

}  // namespace stencilgen::plan
