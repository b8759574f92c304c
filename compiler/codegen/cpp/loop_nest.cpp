#include "codegen/cpp/loop_nest.h"

#include <fmt/format.h>

#include "codegen/host_code.h"
#include "codegen/operator_code.h"
#include "codegen/text.h"

namespace stencilgen::codegen::cpp {
namespace {

class LoopNestPrinter {
 public:
  LoopNestPrinter(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        code_(model, op_, Style(model)) {}

  LoopNestText Print() {
    CodeWriter body;
    PrintBounds(body);
    for (const std::string& line : code_.uniform()) WriteWrapped(body, line);
    PrintLoop(body, 0);
    CodeWriter writer;
    const std::string comment = SourceComment(model_.options(), op_.span);
    writer.Line("// {}{}{}", op_.stencil, comment.empty() ? "" : ", ", comment);
    WriteCall(writer, fmt::format("static void {}", model_.Name(kernel_)), Parameters(), " {");
    WriteIndented(writer, body.str());
    writer.Line("}}");
    CodeWriter call;
    WriteCall(call, model_.Name(kernel_), Arguments(), ";");
    return {writer.str(), call.str()};
  }

 private:
  static OperatorStyle Style(const ProgramModel& model) {
    OperatorStyle style;
    style.element = [&model](plan::BufferId buffer, const std::string& position) {
      return fmt::format("{}[{}]", model.Name(buffer), position);
    };
    return style;
  }

  void PrintBounds(CodeWriter& writer) {
    const auto form = [&](const graph::LinearForm& linear) { return code_.Form(linear); };
    const std::string guards = GuardText(op_.domain, form);
    if (!guards.empty()) writer.Line("if (!({})) return;", guards);
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      const graph::Interval& interval = op_.domain.intervals[n];
      lo_.push_back(code_.Claim(fmt::format("{}_lo", code_.IteratorName(n))));
      hi_.push_back(code_.Claim(fmt::format("{}_hi", code_.IteratorName(n))));
      writer.Line("const Index {} = {};", lo_.back(), LowerText(interval, form));
      writer.Line("const Index {} = {};", hi_.back(), UpperText(interval, form));
    }
  }

  void PrintLoop(CodeWriter& writer, std::size_t n) {
    const std::size_t count = op_.iterators.size();
    if (n == count) {
      for (const std::string& line : code_.point()) WriteWrapped(writer, line);
      return;
    }
    if (n == 0) {
      std::vector<std::string> sizes;
      for (std::size_t d = 0; d < count; ++d) {
        sizes.push_back(fmt::format("({} - {} + 1)", hi_[d], lo_[d]));
      }
      writer.Line("{}({})", count == 1 ? "STENCILGEN_PARALLEL_FOR_SIMD" : "STENCILGEN_PARALLEL_FOR",
                  fmt::join(sizes, " * "));
    } else if (n + 1 == count) {
      writer.Line("STENCILGEN_SIMD");
    }
    const auto loop = writer.Block("for (Index {0} = {1}; {0} <= {2}; ++{0})",
                                   code_.IteratorName(n), lo_[n], hi_[n]);
    PrintLoop(writer, n + 1);
  }

  std::vector<std::string> Parameters() const {
    std::vector<std::string> parameters;
    for (const auto& [buffer, use] : code_.buffers()) {
      const bool in_out = use.read && use.written;
      parameters.push_back(fmt::format("{}{}*{} {}", use.written ? "" : "const ",
                                       ToString(model_.plan().buffers[buffer].type),
                                       in_out ? "" : " __restrict__", model_.Name(buffer)));
    }
    for (int scalar : code_.scalars()) {
      parameters.push_back(fmt::format(
          "const {} {}", ToString(model_.plan().scalars[static_cast<std::size_t>(scalar)].second),
          model_.Scalar(scalar)));
    }
    for (graph::ParameterId id : code_.parameters()) {
      parameters.push_back(fmt::format("const Index {}", model_.parameters()[id.index]));
    }
    return parameters;
  }

  std::vector<std::string> Arguments() const {
    std::vector<std::string> arguments;
    for (const auto& [buffer, use] : code_.buffers()) arguments.push_back(model_.Name(buffer));
    for (int scalar : code_.scalars()) arguments.push_back(model_.Scalar(scalar));
    for (graph::ParameterId id : code_.parameters()) {
      arguments.push_back(model_.parameters()[id.index]);
    }
    return arguments;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  OperatorCode code_;
  std::vector<std::string> lo_, hi_;
};

}  // namespace

LoopNestText PrintLoopNest(const ProgramModel& model, plan::KernelId kernel) {
  return LoopNestPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cpp
