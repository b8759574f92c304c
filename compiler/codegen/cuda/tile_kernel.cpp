#include "codegen/cuda/tile_kernel.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "codegen/cuda/kernel_arguments.h"
#include "codegen/cuda/tile_steps.h"
#include "codegen/host_code.h"
#include "codegen/text.h"

namespace stencilgen::codegen::cuda {
namespace {

class TileKernelPrinter {
 public:
  TileKernelPrinter(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        tile_(*model.plan().kernels[kernel].tile),
        scope_(model, kernel),
        tests_(scope_),
        steps_(scope_, tests_) {
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream != d || tile_.chunk > 0) tiled_.push_back(d);
      counts_.push_back(scope_.Claim(fmt::format("{}_tiles", scope_.iterators()[d])));
    }
    if (!tiled_.empty()) counter_ = scope_.Claim("tile");
    start_ = scope_.Claim(fmt::format("{}_start", scope_.iterators().back()));
    interior_ = scope_.Claim("interior");
    last_ = scope_.Claim("plane_end");
    steady_begin_ = scope_.Claim("steady_begin");
    steady_end_ = scope_.Claim("steady_end");
  }

  KernelText Print() {
    CodeWriter guarded;
    CodeWriter free;
    steps_.Print(guarded, true);
    steps_.Print(free, false);
    CodeWriter body;
    PrintPlace(body);
    PrintStorage(body);
    PrintPointers(body);
    steps_.rims().PrintPlaces(body);
    for (const std::string& test : tests_.declarations()) WriteWrapped(body, test);
    PrintWalk(body, guarded.str(), free.str());
    CodeWriter writer;
    PrintComment(writer);
    if (tile_.alignment > 1) writer.Line("template <bool kVectors>");
    WriteCall(writer, fmt::format("static __global__ void {} {}", Limit(), model_.Name(kernel_)),
              Parameters(), " {");
    WriteIndented(writer, body.str());
    writer.Line("}}");
    CodeWriter launcher;
    {
      const auto function = launcher.Block("bool {}()", model_.Launcher(kernel_));
      PrintLauncher(launcher);
    }
    return {writer.str(), launcher.str()};
  }

 private:
  /// Registers as asked for, else what nvcc finds best for so many threads: asked for a number of
  /// blocks, it takes all registers that those leave, and may spill where it need not.
  std::string Limit() const {
    const int registers = model_.options().registers;
    return registers > 0 ? fmt::format("__maxnreg__({})", registers)
                         : fmt::format("__launch_bounds__({})", tile_.Threads());
  }

  void PrintComment(CodeWriter& writer) const {
    for (std::size_t k = 0; k < tile_.ops.size(); ++k) {
      const graph::Operator& op = scope_.OperatorAt(k);
      const std::string comment = SourceComment(model_.options(), op.span);
      writer.Line("// {}{}{}", op.stencil, comment.empty() ? "" : ", ", comment);
    }
    std::vector<std::string> sizes;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      if (tile_.stream == d) continue;
      sizes.push_back(fmt::format("{} of {} points along {}", tile_.Stored(d),
                                  tile_.threads[d] * tile_.points[d], scope_.iterators()[d]));
    }
    writer.Line("// Each block stores {}.", fmt::join(sizes, ", "));
  }

  KernelUses Uses() const { return {scope_.buffers(), scope_.scalars(), scope_.parameters()}; }
  std::vector<std::string> Parameters() const {
    std::vector<std::string> parameters = ParametersOf(model_, Uses());
    for (const TileScope::Range& range : scope_.ranges()) {
      parameters.push_back(fmt::format("const {} {}_lo", scope_.CoordinateType(), range.name));
      parameters.push_back(fmt::format("const {} {}_hi", scope_.CoordinateType(), range.name));
    }
    if (tile_.alignment > 1) {
      parameters.push_back(fmt::format("const {} {}", scope_.CoordinateType(), start_));
    }
    for (std::size_t n = 1; n < tiled_.size(); ++n) {
      parameters.push_back(fmt::format("const {} {}", scope_.CoordinateType(), counts_[tiled_[n]]));
    }
    return parameters;
  }

  std::int64_t Step(std::size_t d) const {
    return tile_.stream == d ? tile_.chunk : tile_.Stored(d);
  }

  /// Where the block's tile and the thread's points are.
  void PrintPlace(CodeWriter& writer) const {
    const std::string_view type = scope_.CoordinateType();
    if (tiled_.size() > 1) writer.Line("{0} {1} = {0}(blockIdx.x);", type, counter_);
    for (std::size_t n = tiled_.size(); n-- > 0;) {
      const std::size_t d = tiled_[n];
      const std::string index = tiled_.size() == 1 ? fmt::format("{}(blockIdx.x)", type)
                                : n == 0           ? counter_
                                                   : fmt::format("{} % {}", counter_, counts_[d]);
      const std::string& start = tile_.stream == d ? scope_.plane_first() : scope_.TileStart(d);
      const bool aligned = tile_.alignment > 1 && d + 1 == tile_.dimensions;
      writer.Line("const {} {} = {} + {} * {};", type, start,
                  aligned ? start_ : fmt::format("{}_lo", scope_.Grid(d)), index, Step(d));
      if (n > 0) writer.Line("{} /= {};", counter_, counts_[d]);
    }
    if (tile_.stream) {
      const std::string& grid = scope_.Grid(*tile_.stream);
      if (tile_.chunk == 0) {
        writer.Line("const {} {} = {}_lo;", type, scope_.plane_first(), grid);
        writer.Line("const {} {} = {}_hi;", type, scope_.plane_last(), grid);
      } else {
        writer.Line("const {0} {1} = Min({2} + {3}, {4}_hi);", type, scope_.plane_last(),
                    scope_.plane_first(), tile_.chunk - 1, grid);
      }
    }
    std::vector<std::string> position;
    for (std::size_t d = tile_.dimensions; d-- > 0;) {
      if (tile_.stream == d) continue;
      Term at = Variable(scope_.TileStart(d)) - Number(tile_.halo.lo[d]);
      const std::string thread = fmt::format("threadIdx.{}", "xyz"[tile_.dimensions - 1 - d]);
      if (tile_.threads[d] > 1) {
        at = at + Variable(fmt::format("{}({})", type, thread)) * Number(tile_.points[d]);
        position.push_back((Variable(fmt::format("int({})", thread)) *
                            Number(tile_.points[d] * tile_.SharedStride(d)))
                               .text);
      }
      writer.Line("const {} {} = {};", type, scope_.First(d), at.text);
    }
    if (tile_.regions.empty()) return;
    if (position.empty()) position.emplace_back("0");
    writer.Line("const int {} = {};", scope_.position(), fmt::join(position, " + "));
  }

  void PrintStorage(CodeWriter& writer) const {
    for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
      const plan::TileVersion& version = tile_.versions[v];
      const int index = static_cast<int>(v);
      const std::string_view type = ToString(scope_.TypeOf(index));
      std::vector<std::string> variables;
      for (int age = 0; age < static_cast<int>(version.planes.size()); ++age) {
        if (!version.planes[static_cast<std::size_t>(age)].registers) continue;
        const std::string& name = scope_.Registers(index, age);
        variables.push_back(tile_.Points() == 1
                                ? fmt::format("{} = 0", name)
                                : fmt::format("{}[{}] = {{}}", name, tile_.Points()));
      }
      if (!variables.empty()) {
        WriteWrapped(writer, fmt::format("{} {};", type, fmt::join(variables, ", ")));
      }
      PrintSums(writer, index);
      steps_.rims().PrintVariables(writer, index);
      for (int slot = 0; slot < version.slots; ++slot) {
        const auto& region = tile_.regions[static_cast<std::size_t>(version.region)];
        const std::int64_t elements = region.origin + slot * region.plane_elements;
        writer.Line("{}Shared<{}> {} = DynamicShared<{}>({}){};",
                    version.slots == 1 ? "const " : "", type,
                    scope_.Shared(index, version.FirstShared() + slot), type, region.byte_offset,
                    elements == 0 ? std::string() : fmt::format(" + {}", elements));
      }
    }
  }

  /// The sums of the operator that makes the version, where it is scattered.
  void PrintSums(CodeWriter& writer, int version) const {
    for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
      if (!tile_.ops[op].scatter || tile_.Find(scope_.OperatorAt(op).result) != version) continue;
      std::vector<std::string> sums;
      for (std::size_t ahead = 0; ahead < tile_.ops[op].scatter->parts.size(); ++ahead) {
        const std::string& name = scope_.Sums(op, ahead);
        sums.push_back(tile_.Points() == 1 ? fmt::format("{} = 0", name)
                                           : fmt::format("{}[{}] = {{}}", name, tile_.Points()));
      }
      WriteWrapped(writer,
                   fmt::format("{} {};", ToString(scope_.TypeOf(version)), fmt::join(sums, ", ")));
    }
  }

  /// Where the thread's first point is in memory, in the first step.
  void PrintPointers(CodeWriter& writer) {
    for (const TileScope::MovingPointer& pointer : scope_.pointers()) {
      const plan::BufferId buffer = model_.plan().buffer_of[pointer.version.index];
      const auto& extents = model_.plan().buffers[buffer].extents;
      const int version = tile_.Find(pointer.version);
      Term position = Number(0);
      for (std::size_t d = 0; d < tile_.dimensions; ++d) {
        Term at = Variable(scope_.First(d));
        if (tile_.stream == d) {
          const std::int64_t lag = tile_.versions[static_cast<std::size_t>(version)].lag;
          at = Variable(scope_.plane_first()) - Number(tile_.StepsBefore() + lag);
        }
        if (d > 0) position = position * scope_.Form(extents[d]);
        position = position + Variable(fmt::format("Index({})", at.text));
      }
      WriteWrapped(writer, fmt::format("{}auto {} = {} + ({});", tile_.stream ? "" : "const ",
                                       pointer.name, model_.Name(buffer), position.text));
    }
  }

  /// Blocks inside all domains take the steps without tests, for the planes that need none.
  void PrintWalk(CodeWriter& writer, const std::string& guarded, const std::string& free) {
    const std::string interior = tests_.Interior();
    const std::string_view type = scope_.CoordinateType();
    const bool same = guarded == free;
    if (!same) {
      WriteWrapped(writer, fmt::format("const bool {} = {};", interior_,
                                       interior.empty() ? "true" : interior));
    }
    if (!tile_.stream) {
      if (same) return writer.Text(free);
      {
        const auto block = writer.Block("if ({})", interior_);
        writer.Text(free);
      }
      const auto block = writer.Block("else");
      writer.Text(guarded);
      return;
    }
    writer.Line("{} {} = {};", type, scope_.plane(),
                (Variable(scope_.plane_first()) - Number(tile_.StepsBefore())).text);
    writer.Line("const {} {} = {};", type, last_,
                (Variable(scope_.plane_last()) + Number(tile_.StepsAfter())).text);
    if (same) {
      PrintUnroll(writer);
      const auto loop = writer.Block("for (; {0} <= {1}; ++{0})", scope_.plane(), last_);
      writer.Text(free);
      return;
    }
    WriteWrapped(writer, fmt::format("const {} {} = {} ? {} : {} + 1;", type, steady_begin_,
                                     interior_, tests_.SteadyBegin(), last_));
    WriteWrapped(writer, fmt::format("const {} {} = {};", type, steady_end_, tests_.SteadyEnd()));
    const auto walk = writer.Block("while ({} <= {})", scope_.plane(), last_);
    {
      const auto steady =
          writer.Block("if ({0} >= {1} && {0} <= {2})", scope_.plane(), steady_begin_, steady_end_);
      PrintUnroll(writer);
      const auto loop = writer.Block("for (; {0} <= {1}; ++{0})", scope_.plane(), steady_end_);
      writer.Text(free);
    }
    const auto edge = writer.Block("else");
    writer.Text(guarded);
    writer.Line("++{};", scope_.plane());
  }
  void PrintUnroll(CodeWriter& writer) const {
    const int unroll = Renaming();
    if (unroll > 1) writer.Line("STENCILGEN_UNROLL_BY({})", unroll);
  }

  /// Steps after which every plane is back in the variable it began in: unrolled by that, none
  /// moves.
  int Renaming() const {
    constexpr int kMostSteps = 8;
    constexpr std::int64_t kMostCode = 4096;  // instructions: about what caches of them hold
    int period = 1;
    int longest = 1;
    for (const plan::TileVersion& version : tile_.versions) {
      const auto held = static_cast<int>(
          std::count_if(version.planes.begin(), version.planes.end(),
                        [](const plan::PlaneStorage& plane) { return plane.registers; }));
      for (const int planes : {held, version.slots}) {
        if (planes < 2) continue;
        period = std::lcm(period, planes);
        longest = std::max(longest, planes);
      }
    }
    for (const plan::TileOperator& op : tile_.ops) {
      if (!op.scatter) continue;
      const auto sums = static_cast<int>(op.scatter->parts.size());
      period = std::lcm(period, sums);
      longest = std::max(longest, sums);
    }
    if (period > kMostSteps) period = longest;
    std::int64_t flops = 0;
    for (std::size_t op = 0; op < tile_.ops.size(); ++op) {
      flops += graph::FlopsPerPoint(model_.graph(), scope_.OperatorAt(op)) + 4;
    }
    return period > kMostSteps || flops * tile_.Points() * period > kMostCode ? 1 : period;
  }

  void PrintLauncher(CodeWriter& writer) {
    for (const TileScope::Range& range : scope_.ranges()) {
      WriteWrapped(writer, fmt::format("const Range {} = {};", range.name, range.text));
    }
    std::vector<std::string> empty;
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      empty.push_back(fmt::format("{}.Empty()", scope_.Grid(d)));
    }
    writer.Line("if ({}) return true;", fmt::join(empty, " || "));
    if (scope_.CoordinateType() == "int" && !model_.FitsIntIndex()) {
      std::vector<std::string> names;
      for (const TileScope::Range& range : scope_.ranges()) names.push_back(range.name);
      const auto block = writer.Block("if (!FitCoordinates({{{}}}))", fmt::join(names, ", "));
      writer.Line("return error.Fail(kBadArgument, \"an extent is too large for the kernel {}\");",
                  model_.Name(kernel_));
    }
    std::vector<std::string> counts;
    for (std::size_t d : tiled_) {
      const bool aligned = tile_.alignment > 1 && d + 1 == tile_.dimensions;
      if (aligned) {
        const Term first =
            Variable(fmt::format("{}.lo", scope_.Grid(d))) - Number(tile_.halo.lo[d]);
        const Term start = Variable(fmt::format("FloorDiv({}, {})", first.text, tile_.alignment)) *
                               Number(tile_.alignment) +
                           Number(tile_.halo.lo[d]);
        writer.Line("const long long {} = {};", start_, start.text);
      }
      writer.Line("const long long {} = CeilDiv({}, {});", counts_[d],
                  aligned ? fmt::format("{}.hi - {} + 1", scope_.Grid(d), start_)
                          : fmt::format("{}.size()", scope_.Grid(d)),
                  Step(d));
      counts.push_back(counts_[d]);
    }
    if (counts.empty()) counts.emplace_back("1");
    std::vector<std::string> threads;
    for (std::size_t d = tile_.dimensions; d-- > 0;) {
      threads.push_back(fmt::format("{}", tile_.threads[d]));
    }
    writer.Line("const dim3 grid(static_cast<unsigned>({}));", fmt::join(counts, " * "));
    writer.Line("const dim3 block({});", fmt::join(threads, ", "));
    const std::string& name = model_.Name(kernel_);
    const std::string what = fmt::format(", \"{}\");", name);
    if (tile_.alignment == 1) {
      return WriteCall(writer, "return Do(Launch", LaunchArguments(name), what);
    }
    WriteWrapped(writer, fmt::format("const bool vectors = {};", VectorTest()));
    {
      const auto block = writer.Block("if (!vectors)");
      WriteCall(writer, "return Do(Launch", LaunchArguments(name + "<false>"), what);
    }
    WriteCall(writer, "return Do(Launch", LaunchArguments(name + "<true>"), what);
  }

  /// All rows of what the kernel loads and stores begin at multiples of its vectors.
  std::string VectorTest() const {
    std::vector<std::string> conditions;
    for (const TileScope::MovingPointer& pointer : scope_.pointers()) {
      const plan::BufferId buffer = model_.plan().buffer_of[pointer.version.index];
      const plan::Buffer& memory = model_.plan().buffers[buffer];
      const int elements = VectorOf(tile_, memory.type);
      if (elements == 1) continue;
      conditions.push_back(fmt::format("IsAligned({}, {})", model_.Name(buffer),
                                       elements * static_cast<int>(SizeInBytes(memory.type))));
      if (tile_.dimensions == 1) continue;
      const Term row = Linear(memory.extents.back(), model_.parameters());
      conditions.push_back(fmt::format("{} % {} == 0", Operand(row, 10), elements));
    }
    return And(conditions);
  }

  /// `kernel`: its name, with the template's argument where it is one.
  std::vector<std::string> LaunchArguments(const std::string& kernel) const {
    std::vector<std::string> arguments = {kernel, "grid", "block",
                                          fmt::format("{}", tile_.shared_bytes), "stream"};
    for (std::string& each : ArgumentsOf(model_, Uses())) arguments.push_back(std::move(each));
    for (const TileScope::Range& range : scope_.ranges()) {
      arguments.push_back(fmt::format("{}.lo", range.name));
      arguments.push_back(fmt::format("{}.hi", range.name));
    }
    if (tile_.alignment > 1) arguments.push_back(start_);
    for (std::size_t n = 1; n < tiled_.size(); ++n) arguments.push_back(counts_[tiled_[n]]);
    return arguments;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const plan::Tile& tile_;
  TileScope scope_;
  TileTests tests_;
  TileStepPrinter steps_;
  std::vector<std::size_t> tiled_;   ///< dimensions that the grid cuts
  std::vector<std::string> counts_;  ///< by dimension: the variable with its number of tiles
  std::string counter_, start_, interior_, last_, steady_begin_, steady_end_;
};

}  // namespace

KernelText PrintTileKernel(const ProgramModel& model, plan::KernelId kernel) {
  return TileKernelPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cuda
