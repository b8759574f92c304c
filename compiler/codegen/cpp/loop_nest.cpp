#include "codegen/cpp/loop_nest.h"

#include <fmt/format.h>

#include "codegen/cpp/nest_parts.h"
#include "codegen/host_code.h"
#include "codegen/term.h"
#include "codegen/text.h"

namespace stencilgen::codegen::cpp {
namespace {

class LoopNestPrinter {
 public:
  LoopNestPrinter(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        code_(model, op_, NestStyle(model)) {}

  LoopNestText Print() {
    CodeWriter body;
    bounds_ = PrintBounds(body, op_, code_);
    for (const std::string& line : code_.uniform()) WriteWrapped(body, line);
    PrintTiles(body, model_, op_, code_, bounds_, [&] { PrintLoop(body, 0); });
    CodeWriter writer;
    writer.Line("{}", NestComment(model_, op_));
    WriteCall(writer, fmt::format("static void {}", model_.Name(kernel_)),
              NestParameters(model_, code_), " {");
    WriteIndented(writer, body.str());
    writer.Line("}}");
    CodeWriter call;
    WriteCall(call, model_.Name(kernel_), NestArguments(model_, code_), ";");
    return {writer.str(), call.str()};
  }

 private:
  int PointsAlong(std::size_t n) const {
    const std::size_t axis = op_.iterators.size() - 1 - n;
    const auto& unroll = model_.plan().kernels[kernel_].schedule.unroll;
    return axis > 0 && axis < unroll.size() ? unroll[axis] : 1;
  }

  void PrintHead(CodeWriter& writer, std::size_t n) const {
    const std::size_t count = op_.iterators.size();
    if (n == 0) {
      writer.Line("{}", ParallelText(model_, bounds_, count == 1));
    } else if (n + 1 == count) {
      writer.Line("STENCILGEN_SIMD");
    }
  }

  void PrintPoint(CodeWriter& writer) const {
    for (const std::string& line : code_.point()) WriteWrapped(writer, line);
  }

  /// The loops over blocks of points; where one is not full, loops over its points.
  void PrintLoop(CodeWriter& writer, std::size_t n) {
    const std::size_t count = op_.iterators.size();
    if (n == count) return PrintBlock(writer, 0);
    if (n + 1 == count && !blocks_.empty()) PrintPartialBlock(writer);
    PrintHead(writer, n);
    const std::string& iterator = code_.IteratorName(n);
    const int points = PointsAlong(n);
    if (points > 1) blocks_.push_back({n, code_.Claim(iterator + "_first"), points});
    const std::string step = points > 1 ? fmt::format("{} += {}", blocks_.back().first, points)
                                        : fmt::format("++{}", iterator);
    const auto loop = writer.Block("for (Index {0} = {1}; {0} <= {2}; {3})",
                                   points > 1 ? blocks_.back().first : iterator, bounds_.lo[n],
                                   bounds_.hi[n], step);
    PrintLoop(writer, n + 1);
  }

  /// All points of a full block.
  void PrintBlock(CodeWriter& writer, std::size_t k) const {
    if (k == blocks_.size()) return PrintPoint(writer);
    const BlockLoop& block = blocks_[k];
    for (int point = 0; point < block.points; ++point) {
      const auto scope = writer.Block("");
      writer.Line("const Index {} = {};", code_.IteratorName(block.iterator),
                  (Variable(block.first) + Number(point)).text);
      PrintBlock(writer, k + 1);
    }
  }

  void PrintPartialBlock(CodeWriter& writer) const {
    std::vector<std::string> partial;
    for (const BlockLoop& block : blocks_) {
      partial.push_back(
          fmt::format("{} + {} > {}", block.first, block.points - 1, bounds_.hi[block.iterator]));
    }
    const auto condition = writer.Block("if ({})", fmt::join(partial, " || "));
    PrintPartialLoop(writer, 0);
    writer.Line("continue;");
  }

  void PrintPartialLoop(CodeWriter& writer, std::size_t k) const {
    const std::size_t last = op_.iterators.size() - 1;
    if (k == blocks_.size()) {
      writer.Line("STENCILGEN_SIMD");
      const auto row = writer.Block("for (Index {0} = {1}; {0} <= {2}; ++{0})",
                                    code_.IteratorName(last), bounds_.lo[last], bounds_.hi[last]);
      return PrintPoint(writer);
    }
    const BlockLoop& block = blocks_[k];
    const auto loop = writer.Block("for (Index {0} = {1}; {0} <= Min({1} + {2}, {3}); ++{0})",
                                   code_.IteratorName(block.iterator), block.first,
                                   block.points - 1, bounds_.hi[block.iterator]);
    PrintPartialLoop(writer, k + 1);
  }

  /// A loop whose turns compute several points along its iterator.
  struct BlockLoop {
    std::size_t iterator = 0;
    std::string first;  ///< the variable with the first of them
    int points = 1;
  };

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  OperatorCode code_;
  NestBounds bounds_;
  std::vector<BlockLoop> blocks_;  ///< around the present place, outermost first
};

}  // namespace

LoopNestText PrintLoopNest(const ProgramModel& model, plan::KernelId kernel) {
  return LoopNestPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cpp
