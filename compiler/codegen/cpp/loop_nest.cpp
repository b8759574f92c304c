#include "codegen/cpp/loop_nest.h"

#include <optional>
#include <utility>

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
        code_(model, model.OperatorsOf(kernel), NestStyle(model)) {}

  LoopNestText Print() {
    CodeWriter body;
    row_ = code_.FindInsideRow();
    if (row_) {
      OperatorStyle style = NestStyle(model_);
      style.inside_row = true;
      inside_.emplace(model_, model_.OperatorsOf(kernel_), std::move(style));
      // What is before the loops is there once.
      if (inside_->uniform() != code_.uniform()) row_.reset();
    }
    bounds_ = PrintBounds(body, op_, code_);
    for (const std::string& line : code_.uniform()) WriteWrapped(body, line);
    PrintTiles(body, model_, op_, code_, bounds_, [&] { PrintLoop(body, 0); });
    CodeWriter writer;
    PrintNest(writer, model_, kernel_, code_, body.str());
    return {writer.str(), NestCall(model_, kernel_, code_)};
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
    for (const std::string& line : point_->point()) WriteWrapped(writer, line);
  }

  /// The inside of a row, which reads nothing beyond its ends, and then both its ends.
  void PrintRow(CodeWriter& writer, std::size_t n) {
    const std::string& iterator = code_.IteratorName(n);
    const std::string first = code_.Claim(fmt::format("{}_inside_lo", iterator));
    const std::string last = code_.Claim(fmt::format("{}_inside_hi", iterator));
    std::string least = bounds_.hi[n];
    for (const Term& term : row_->lasts)
      least = fmt::format("Min({}, Index({}))", least, term.text);
    writer.Line("const Index {} = Max({}, Index({}));", first, bounds_.lo[n], row_->first);
    writer.Line("const Index {} = Max({} - 1, {});", last, first, least);
    PrintHead(writer, n);
    {
      const auto loop =
          writer.Block("for (Index {0} = {1}; {0} <= {2}; ++{0})", iterator, first, last);
      point_ = &*inside_;
      PrintBlock(writer, 0);
      point_ = &code_;
    }
    const auto loop = writer.Block("for (Index {0} = {1}; {0} <= {2}; ++{0})", iterator,
                                   bounds_.lo[n], bounds_.hi[n]);
    writer.Line("if ({0} == {1}) {0} = {2} + 1;", iterator, first, last);
    writer.Line("if ({} > {}) break;", iterator, bounds_.hi[n]);
    PrintBlock(writer, 0);
  }

  /// The loops over blocks of points; where one is not full, loops over its points.
  void PrintLoop(CodeWriter& writer, std::size_t n) {
    const std::size_t count = op_.iterators.size();
    if (n == count) return PrintBlock(writer, 0);
    if (n + 1 == count && !blocks_.empty()) PrintPartialBlock(writer);
    if (n + 1 == count && row_) return PrintRow(writer, n);
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
  const graph::Operator& op_;  ///< the first: all have its points
  OperatorCode code_;
  std::optional<OperatorCode::InsideRow> row_;
  std::optional<OperatorCode> inside_;  ///< of points inside a row, where that differs
  const OperatorCode* point_ = &code_;  ///< what the present loops print
  NestBounds bounds_;
  std::vector<BlockLoop> blocks_;  ///< around the present place, outermost first
};

}  // namespace

LoopNestText PrintLoopNest(const ProgramModel& model, plan::KernelId kernel) {
  return LoopNestPrinter(model, kernel).Print();
}

}  // namespace stencilgen::codegen::cpp
