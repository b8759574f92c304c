#include "codegen/cuda/kernel.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "codegen/cuda/device_style.h"
#include "codegen/cuda/kernel_arguments.h"
#include "codegen/cuda/tile_kernel.h"
#include "codegen/host_code.h"
#include "codegen/operator_code.h"
#include "codegen/text.h"

namespace stencilgen::codegen::cuda {
namespace {

/// An iterator of the operator on the thread axis that runs over it.
struct Axis {
  std::string name;
  std::string lo, hi;
  /// The first of the thread's points and the counter of them, where there are several; the step
  /// to the next points of a strided axis.
  std::string first, part, stride;
  /// Along a stream: the last of the thread's points, and how many a thread walks.
  std::string last, chunk;
  char letter = 'x';
  int block = 1;
  int unroll = 1;
  bool streamed = false;

  int PointsPerBlock() const { return block * unroll; }
};

class KernelPrinter {
 public:
  KernelPrinter(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        stream_(model.plan().kernels[kernel].schedule.stream),
        code_(model, op_, Style(model, kernel)) {
    const plan::Schedule& schedule = model_.plan().kernels[kernel].schedule;
    // The operator's last iterator runs along x whichever of the program's it is: it is the one
    // that neighbouring threads should differ in.
    const std::size_t count = op_.iterators.size();
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t place = count - 1 - n;
      Axis axis;
      axis.name = code_.IteratorName(n);
      axis.lo = code_.Claim(fmt::format("{}_lo", axis.name));
      axis.hi = code_.Claim(fmt::format("{}_hi", axis.name));
      axis.letter = "xyz"[place];
      axis.block = schedule.block[place];
      axis.unroll = schedule.unroll[place];
      if (stream_ && op_.iterators[n] == stream_->iterator) {
        axis.streamed = true;
        axis.block = 1;
        axis.first = code_.Claim(fmt::format("{}_first", axis.name));
        axis.last = code_.Claim(fmt::format("{}_last", axis.name));
        axis.chunk = code_.Claim(fmt::format("{}_chunk", axis.name));
        axes_.push_back(axis);
        continue;
      }
      if (axis.unroll > 1) {
        axis.first = code_.Claim(fmt::format("{}_first", axis.name));
        axis.part = code_.Claim(fmt::format("{}_part", axis.name));
      }
      if (place > 0) axis.stride = code_.Claim(fmt::format("{}_stride", axis.name));
      axes_.push_back(axis);
    }
  }

  KernelText Print() { return {Definition(), Launcher()}; }

 private:
  static OperatorStyle Style(const ProgramModel& model, plan::KernelId kernel) {
    OperatorStyle style = DeviceStyle(model);
    style.windows = &model.plan().kernels[kernel].windows;
    return style;
  }

  int Threads() const {
    int threads = 1;
    for (const Axis& axis : axes_) threads *= axis.block;
    return threads;
  }

  std::string Definition() {
    CodeWriter writer;
    const std::string comment = SourceComment(model_.options(), op_.span);
    writer.Line("// {}{}{}", op_.stencil, comment.empty() ? "" : ", ", comment);
    CodeWriter body;
    for (const std::string& line : code_.uniform()) WriteWrapped(body, line);
    PrintAxes(body);
    WriteCall(writer, fmt::format("static __global__ void {} {}", Limit(), model_.Name(kernel_)),
              Parameters(), " {");
    WriteIndented(writer, body.str());
    writer.Line("}}");
    return writer.str();
  }

  /// What the compiler may assume or must keep to; CUDA takes one of the two.
  std::string Limit() const {
    const int registers = model_.options().registers;
    return registers > 0 ? fmt::format("__maxnreg__({})", registers)
                         : fmt::format("__launch_bounds__({})", Threads());
  }

  KernelUses Uses() const { return {code_.buffers(), code_.scalars(), code_.parameters()}; }
  std::vector<std::string> Parameters() const {
    std::vector<std::string> parameters = ParametersOf(model_, Uses());
    for (const Axis& axis : axes_) {
      parameters.push_back(fmt::format("const Index {}", axis.lo));
      parameters.push_back(fmt::format("const Index {}", axis.hi));
      if (axis.streamed) parameters.push_back(fmt::format("const Index {}", axis.chunk));
    }
    return parameters;
  }

  /// Along x first, so that threads beyond the domain leave at once; then from the outermost in.
  void PrintAxes(CodeWriter& writer) {
    if (axes_.empty()) return PrintPoint(writer);
    const Axis& x = axes_.back();
    const std::string start =
        fmt::format("{} + Index(blockIdx.x) * {} + Index(threadIdx.x)", x.lo, x.PointsPerBlock());
    writer.Line("const Index {} = {};", x.unroll > 1 ? x.first : x.name, start);
    writer.Line("if ({} > {}) return;", x.unroll > 1 ? x.first : x.name, x.hi);
    PrintStrided(writer, 0);
  }

  void PrintStrided(CodeWriter& writer, std::size_t n) {
    if (n + 1 == axes_.size()) return PrintAlongX(writer);
    const Axis& axis = axes_[n];
    if (axis.streamed) return PrintStrided(writer, n + 1);  // walked innermost
    const Term thread = Variable(fmt::format("Index(threadIdx.{})", axis.letter));
    const Term block = Variable(fmt::format("Index(blockIdx.{})", axis.letter));
    const Term blocks = Variable(fmt::format("Index(gridDim.{})", axis.letter));
    Term index = block * Number(axis.block);
    if (axis.block > 1) index = index + thread;
    const Term start = Variable(axis.lo) + index * Number(axis.unroll);
    const std::string& variable = axis.unroll > 1 ? axis.first : axis.name;
    writer.Line("const Index {} = {};", axis.stride, (blocks * Number(axis.PointsPerBlock())).text);
    writer.Line("for (Index {} = {};", variable, start.text);
    const auto loop = writer.Block("     {0} <= {1}; {0} += {2})", variable, axis.hi, axis.stride);
    if (axis.unroll == 1) return PrintStrided(writer, n + 1);
    writer.Line("STENCILGEN_UNROLL");
    const auto points = writer.Block("for (int {0} = 0; {0} < {1}; ++{0})", axis.part, axis.unroll);
    writer.Line("const Index {} = {} + {};", axis.name, axis.first, axis.part);
    writer.Line("if ({} > {}) break;", axis.name, axis.hi);
    PrintStrided(writer, n + 1);
  }

  void PrintAlongX(CodeWriter& writer) {
    const Axis& x = axes_.back();
    if (x.unroll == 1) return PrintColumn(writer);
    writer.Line("STENCILGEN_UNROLL");
    const auto points = writer.Block("for (int {0} = 0; {0} < {1}; ++{0})", x.part, x.unroll);
    writer.Line("const Index {} = {} + {} * {};", x.name, x.first, x.part, x.block);
    writer.Line("if ({} > {}) break;", x.name, x.hi);
    PrintColumn(writer);
  }

  /// The thread's points along the stream, or its one point.
  void PrintColumn(CodeWriter& writer) {
    const auto axis =
        std::find_if(axes_.begin(), axes_.end(), [](const Axis& a) { return a.streamed; });
    if (axis == axes_.end()) return PrintPoint(writer);
    writer.Line("const Index {} = {} + Index(blockIdx.{}) * {};", axis->first, axis->lo,
                axis->letter, axis->chunk);
    writer.Line("const Index {0} = {1} - {2} < {3} ? {1} : {2} + {3} - 1;", axis->last, axis->hi,
                axis->first, axis->chunk);
    for (const auto& column : code_.held()) {
      std::vector<std::string> older;
      for (std::size_t p = 0; p + 1 < column.registers.size(); ++p) {
        older.push_back(fmt::format("{} = 0", column.registers[p]));
      }
      WriteWrapped(writer, fmt::format("{} {};", ToString(column.type), fmt::join(older, ", ")));
    }
    if (axis->unroll > 1) writer.Line("STENCILGEN_UNROLL_BY({})", axis->unroll);
    const auto walk = writer.Block("for (Index {0} = {1}; {0} <= {2}; ++{0})", axis->name,
                                   axis->first, axis->last);
    PrintHeldPoint(writer, *axis);
  }

  /// One step of a walk: the newest plane is loaded, the point computed, and the planes age.
  void PrintHeldPoint(CodeWriter& writer, const Axis& axis) {
    const std::size_t centres = code_.held().empty() ? 0 : code_.centres().size();
    for (std::size_t n = 0; n < centres; ++n) WriteWrapped(writer, code_.point()[n]);
    if (!code_.held().empty()) {
      const auto fill = writer.Block("if ({} == {})", axis.name, axis.first);
      for (const auto& column : code_.held()) {
        for (std::size_t p = 0; p + 1 < column.registers.size(); ++p) {
          WriteWrapped(writer, fmt::format("{} = {};", column.registers[p], column.elements[p]));
        }
      }
    }
    for (const auto& column : code_.held()) {
      WriteWrapped(writer, fmt::format("const {} {} = {};", ToString(column.type),
                                       column.registers.back(), column.elements.back()));
    }
    PrintPoint(writer, centres);
    for (const auto& column : code_.held()) {
      for (std::size_t p = 0; p + 1 < column.registers.size(); ++p) {
        writer.Line("{} = {};", column.registers[p], column.registers[p + 1]);
      }
    }
  }

  /// The point's code, less the lines that stand before it already.
  void PrintPoint(CodeWriter& writer, std::size_t skip = 0) {
    const std::int64_t flops = graph::FlopsPerPoint(model_.graph(), op_);
    if (flops > 0) writer.Line("STENCILGEN_FLOPS({});", flops);
    for (std::size_t n = skip; n < code_.point().size(); ++n) {
      WriteWrapped(writer, code_.point()[n]);
    }
  }

  std::string Launcher() {
    CodeWriter writer;
    {
      const auto function = writer.Block("bool {}()", model_.Launcher(kernel_));
      PrintLauncherBody(writer);
    }
    return writer.str();
  }

  void PrintLauncherBody(CodeWriter& writer) {
    const auto form = [&](const graph::LinearForm& linear) {
      return Linear(linear, model_.parameters());
    };
    const std::string guards = GuardText(op_.domain, form);
    if (!guards.empty()) writer.Line("if (!({})) return true;", guards);
    std::vector<std::string> empty;
    for (std::size_t n = 0; n < axes_.size(); ++n) {
      const graph::Interval& interval = op_.domain.intervals[n];
      writer.Line("const Range {} = {{{}, {}}};", axes_[n].name, LowerText(interval, form),
                  UpperText(interval, form));
      empty.push_back(fmt::format("{}.Empty()", axes_[n].name));
    }
    if (!empty.empty()) writer.Line("if ({}) return true;", fmt::join(empty, " || "));
    std::vector<std::string> blocks;
    std::vector<std::string> threads;
    for (const Axis& axis : axes_) {
      if (axis.streamed) {
        writer.Line("const long long {} = StreamChunk({}, {});", axis.chunk, axis.name,
                    stream_->chunk);
        blocks.push_back(fmt::format("BlocksYZ({}, {})", axis.name, axis.chunk));
        threads.emplace_back("1");
        continue;
      }
      blocks.push_back(fmt::format("{}({}, {})", axis.letter == 'x' ? "BlocksX" : "BlocksYZ",
                                   axis.name, axis.PointsPerBlock()));
      threads.push_back(fmt::format("{}", axis.block));
    }
    // CUDA's order: x first.
    std::reverse(blocks.begin(), blocks.end());
    std::reverse(threads.begin(), threads.end());
    if (axes_.empty()) {
      blocks.emplace_back("1");
      threads.emplace_back("1");
    }
    writer.Line("const dim3 grid({});", fmt::join(blocks, ", "));
    writer.Line("const dim3 block({});", fmt::join(threads, ", "));
    WriteCall(writer, "return Do(Launch", LaunchArguments(),
              fmt::format(", \"{}\");", model_.Name(kernel_)));
  }

  std::vector<std::string> LaunchArguments() const {
    std::vector<std::string> arguments = {model_.Name(kernel_), "grid", "block", "0", "stream"};
    for (std::string& each : ArgumentsOf(model_, Uses())) arguments.push_back(std::move(each));
    for (const Axis& axis : axes_) {
      arguments.push_back(fmt::format("{}.lo", axis.name));
      arguments.push_back(fmt::format("{}.hi", axis.name));
      if (axis.streamed) arguments.push_back(axis.chunk);
    }
    return arguments;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  std::optional<plan::Stream> stream_;
  OperatorCode code_;
  std::vector<Axis> axes_;  ///< outermost first
};

}  // namespace

KernelText PrintKernel(const ProgramModel& model, plan::KernelId kernel) {
  if (model.plan().kernels[kernel].tile) return PrintTileKernel(model, kernel);
  return KernelPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cuda
