#include "codegen/cuda/kernel.h"

#include <algorithm>

#include <fmt/format.h>

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
  char letter = 'x';
  int block = 1;
  int unroll = 1;

  int PointsPerBlock() const { return block * unroll; }
};

class KernelPrinter {
 public:
  KernelPrinter(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        code_(model, op_, Style(model)) {
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
  static OperatorStyle Style(const ProgramModel& model) {
    OperatorStyle style;
    style.index_is_int = model.FitsIntIndex();
    style.exact_products = model.options().fp == FpMode::Strict;
    style.element = [&model](plan::BufferId buffer, const std::string& position) {
      const std::string& constant = model.ConstantName(buffer);
      return fmt::format("{}[{}]", constant.empty() ? model.Name(buffer) : constant, position);
    };
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
    WriteCall(writer,
              fmt::format("static __global__ void __launch_bounds__({}) {}", Threads(),
                          model_.Name(kernel_)),
              Parameters(), " {");
    WriteIndented(writer, body.str());
    writer.Line("}}");
    return writer.str();
  }

  std::vector<std::string> Parameters() const {
    std::vector<std::string> parameters;
    for (const auto& [buffer, use] : code_.buffers()) {
      if (!model_.ConstantName(buffer).empty()) continue;
      const bool in_out = use.read && use.written;
      parameters.push_back(
          fmt::format("{}<{}{}> {}", in_out ? "GlobalInOut" : "Global", use.written ? "" : "const ",
                      ToString(model_.plan().buffers[buffer].type), model_.Name(buffer)));
    }
    for (int scalar : code_.scalars()) {
      parameters.push_back(fmt::format(
          "const {} {}", ToString(model_.plan().scalars[static_cast<std::size_t>(scalar)].second),
          model_.Scalar(scalar)));
    }
    for (graph::ParameterId id : code_.parameters()) {
      parameters.push_back(fmt::format("const Index {}", model_.parameters()[id.index]));
    }
    for (const Axis& axis : axes_) {
      parameters.push_back(fmt::format("const Index {}", axis.lo));
      parameters.push_back(fmt::format("const Index {}", axis.hi));
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
    if (x.unroll == 1) return PrintPoint(writer);
    writer.Line("STENCILGEN_UNROLL");
    const auto points = writer.Block("for (int {0} = 0; {0} < {1}; ++{0})", x.part, x.unroll);
    writer.Line("const Index {} = {} + {} * {};", x.name, x.first, x.part, x.block);
    writer.Line("if ({} > {}) break;", x.name, x.hi);
    PrintPoint(writer);
  }

  void PrintPoint(CodeWriter& writer) {
    const std::int64_t flops = graph::FlopsPerPoint(model_.graph(), op_);
    if (flops > 0) writer.Line("STENCILGEN_FLOPS({});", flops);
    for (const std::string& line : code_.point()) WriteWrapped(writer, line);
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
    for (const auto& [buffer, use] : code_.buffers()) {
      if (model_.ConstantName(buffer).empty()) arguments.push_back(model_.Name(buffer));
    }
    for (int scalar : code_.scalars()) arguments.push_back(model_.Scalar(scalar));
    for (graph::ParameterId id : code_.parameters()) {
      arguments.push_back(model_.parameters()[id.index]);
    }
    for (const Axis& axis : axes_) {
      arguments.push_back(fmt::format("{}.lo", axis.name));
      arguments.push_back(fmt::format("{}.hi", axis.name));
    }
    return arguments;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  OperatorCode code_;
  std::vector<Axis> axes_;  ///< outermost first
};

}  // namespace

KernelText PrintKernel(const ProgramModel& model, plan::KernelId kernel) {
  return KernelPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cuda
