#include "codegen/cuda/kernel.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "codegen/cuda/device_style.h"
#include "codegen/cuda/kernel_arguments.h"
#include "codegen/cuda/thread_body.h"
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
        order_(OrderOf(model.options(), kernel).how),
        stream_(model.plan().kernels[kernel].schedule.stream),
        short_coordinates_(HasShortCoordinates(model, kernel)),
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
    style.short_iterators = HasShortCoordinates(model, kernel);
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
    LowerPoints();
    for (const std::string& line : code_.uniform()) WriteWrapped(body, line);
    for (const auto& lowered : {&point_body_, &group_body_}) {
      if (!*lowered) continue;
      for (const std::string& line : (*lowered)->code.uniform) WriteWrapped(body, line);
    }
    PrintAxes(body);
    WriteCall(writer, fmt::format("static __global__ void {} {}", Limit(), model_.Name(kernel_)),
              Parameters(), " {");
    WriteIndented(writer, body.str());
    writer.Line("}}");
    return writer.str();
  }

  std::string_view Coordinate() const { return short_coordinates_ ? "int" : "Index"; }

  /// With reordering: the code of one point, and where a thread has several, of all of them at
  /// once.
  void LowerPoints() {
    if (!passes::Reorders(order_) || axes_.empty()) return;
    const std::vector<std::vector<std::int64_t>> one(axes_.size(), {0});
    const std::vector<std::vector<std::int64_t>> all = PointsOfThread(model_, kernel_);
    point_body_ = LowerThread(model_, kernel_, code_, one);
    if (all != one) group_body_ = LowerThread(model_, kernel_, code_, all);
  }

  /// The thread's points are computed together where all of them are inside.
  bool HasGroup() const {
    const bool unrolled =
        order_ == passes::Reorder::Unrolled && !stream_ &&
        std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.unroll > 1; });
    return group_body_ || unrolled;
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
      parameters.push_back(fmt::format("const {} {}", Coordinate(), axis.lo));
      parameters.push_back(fmt::format("const {} {}", Coordinate(), axis.hi));
      if (axis.streamed) parameters.push_back(fmt::format("const Index {}", axis.chunk));
    }
    return parameters;
  }

  /// Along x first, so that threads beyond the domain leave at once; then from the outermost in.
  void PrintAxes(CodeWriter& writer) {
    if (axes_.empty()) return PrintPoint(writer);
    const Axis& x = axes_.back();
    const std::string start = fmt::format("{0} + {2}(blockIdx.x) * {1} + {2}(threadIdx.x)", x.lo,
                                          x.PointsPerBlock(), Coordinate());
    writer.Line("const {} {} = {};", Coordinate(), x.unroll > 1 ? x.first : x.name, start);
    writer.Line("if ({} > {}) return;", x.unroll > 1 ? x.first : x.name, x.hi);
    PrintStrided(writer, 0);
  }

  void PrintStrided(CodeWriter& writer, std::size_t n) {
    if (n + 1 == axes_.size()) return HasGroup() ? PrintGroup(writer) : PrintAlongX(writer);
    const Axis& axis = axes_[n];
    if (axis.streamed) return PrintStrided(writer, n + 1);  // walked innermost
    const Term thread = Variable(fmt::format("{}(threadIdx.{})", Coordinate(), axis.letter));
    const Term block = Variable(fmt::format("{}(blockIdx.{})", Coordinate(), axis.letter));
    const Term blocks = Variable(fmt::format("{}(gridDim.{})", Coordinate(), axis.letter));
    Term index = block * Number(axis.block);
    if (axis.block > 1) index = index + thread;
    const Term start = Variable(axis.lo) + index * Number(axis.unroll);
    const std::string& variable = axis.unroll > 1 ? axis.first : axis.name;
    writer.Line("const {} {} = {};", Coordinate(), axis.stride,
                (blocks * Number(axis.PointsPerBlock())).text);
    writer.Line("for ({} {} = {};", Coordinate(), variable, start.text);
    const auto loop = writer.Block("     {0} <= {1}; {0} += {2})", variable, axis.hi, axis.stride);
    if (axis.unroll == 1 || HasGroup()) return PrintStrided(writer, n + 1);
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

  /// All of the thread's points at once where it has all of them, else one after the other.
  void PrintGroup(CodeWriter& writer) {
    std::vector<std::string> inside;
    for (const Axis& axis : axes_) {
      if (axis.unroll == 1) continue;
      const int distance = (axis.unroll - 1) * (axis.letter == 'x' ? axis.block : 1);
      inside.push_back(fmt::format("{} + {} <= {}", axis.first, distance, axis.hi));
    }
    {
      const auto all = writer.Block("if ({})", fmt::join(inside, " && "));
      if (group_body_) {
        for (const Axis& axis : axes_) {
          if (axis.unroll == 1) continue;
          writer.Line("const {} {} = {};", Coordinate(), axis.name, axis.first);
        }
        PrintBody(writer, *group_body_, 0);
      } else {
        PrintParts(writer, 0, true);
      }
      writer.Line("{};", axes_.size() == 1 ? "return" : "continue");
    }
    PrintParts(writer, 0, false);
  }

  /// The thread's points from the n-th axis in: all of them, or those inside.
  void PrintParts(CodeWriter& writer, std::size_t n, bool all) {
    if (n == axes_.size()) return PrintPoint(writer);
    const Axis& axis = axes_[n];
    if (axis.unroll == 1) return PrintParts(writer, n + 1, all);
    writer.Line("{}", all ? "STENCILGEN_UNROLL" : "STENCILGEN_UNROLL_BY(1)");
    const auto points = writer.Block("for (int {0} = 0; {0} < {1}; ++{0})", axis.part, axis.unroll);
    const Term part = Variable(axis.part) * Number(axis.letter == 'x' ? axis.block : 1);
    writer.Line("const {} {} = {} + {};", Coordinate(), axis.name, axis.first, part.text);
    if (!all) writer.Line("if ({} > {}) break;", axis.name, axis.hi);
    PrintParts(writer, n + 1, all);
  }

  /// The code of those points, less the lines that stand before it already.
  void PrintBody(CodeWriter& writer, const ThreadBody& lowered, std::size_t skip) {
    const std::int64_t flops = graph::FlopsPerPoint(model_.graph(), op_);
    if (flops > 0) {
      writer.Line("STENCILGEN_FLOPS({});", flops * static_cast<std::int64_t>(lowered.points));
    }
    for (std::size_t n = skip; n < code_.centres().size(); ++n) {
      WriteWrapped(writer, code_.centres()[n]);
    }
    writer.Line("// At most {} values live at once, {} in the order of the program.", lowered.live,
                lowered.live_as_written);
    for (const std::string& line : lowered.code.lines) WriteWrapped(writer, line);
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
    if (point_body_) return PrintBody(writer, *point_body_, skip);
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
    if (short_coordinates_) {
      std::vector<std::string> names;
      for (const Axis& axis : axes_) names.push_back(axis.name);
      const auto block = writer.Block("if (!FitCoordinates({{{}}}))", fmt::join(names, ", "));
      writer.Line("return error.Fail(kBadArgument, \"an extent is too large for the kernel {}\");",
                  model_.Name(kernel_));
    }
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
  passes::Reorder order_;
  std::optional<plan::Stream> stream_;
  bool short_coordinates_;
  OperatorCode code_;
  std::vector<Axis> axes_;                             ///< outermost first
  std::optional<ThreadBody> point_body_, group_body_;  ///< where the code is reordered
};

}  // namespace

KernelText PrintKernel(const ProgramModel& model, plan::KernelId kernel) {
  if (model.plan().kernels[kernel].tile) return PrintTileKernel(model, kernel);
  return KernelPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cuda
