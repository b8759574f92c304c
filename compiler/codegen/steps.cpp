#include <algorithm>

#include <fmt/format.h>

#include "codegen/host_code.h"
#include "codegen/operator_code.h"
#include "support/check.h"
#include "support/literal_text.h"
#include "support/match.h"

namespace stencilgen::codegen {
namespace {

using graph::LinearForm;
using kernel::Expr;
using plan::BufferId;
using plan::Step;

class StepPrinter {
 public:
  StepPrinter(const ProgramModel& model, const StepStyle& style)
      : model_(model), style_(style), scope_(&model.scope()) {}

  std::string Print() {
    PrintSteps(model_.plan().steps);
    return writer_.str();
  }

 private:
  Expr Form(const LinearForm& form) const { return model_.Form(form); }

  void PrintSteps(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      Match(
          step, [&](const plan::Launch& launch) { style_.launch(writer_, launch.kernel); },
          [&](const plan::AssignScalar& assign) { PrintAssignScalar(assign); },
          [&](const plan::CopyOutside& copy) { PrintCopyOutside(copy); },
          [&](const plan::CopyAll& copy) {
            style_.copy(writer_, "CopyAll",
                        {model_.Name(copy.dst), model_.Name(copy.src), model_.ShapeText(copy.dst)});
          },
          [&](const plan::Repeat& repeat) { PrintRepeat(repeat); });
    }
  }

  void PrintAssignScalar(const plan::AssignScalar& assign) {
    const graph::Operator& op = model_.OperatorOf(assign.op);
    const auto form = [&](const LinearForm& linear) { return Form(linear); };
    const Expr guards = GuardOf(op.domain, form);
    const auto block =
        guards.Valid() ? writer_.Block("if ({})", kernel::Print(guards)) : writer_.Block("");
    OperatorStyle style;
    style.exact_products = false;  // host compilers are told not to contract
    style.element = [&](BufferId buffer, const Expr& position) {
      return style_.element(writer_, buffer, position);
    };
    OperatorCode code(model_, op, style);
    kernel::Print(writer_, code.uniform(), kernel::Target::Host);
    const Expr value = code.ScalarValue();
    const int scalar = model_.plan().scalar_of[op.result.index];
    writer_.Line("{} = {};", model_.Scalar(scalar), kernel::Print(value));
  }

  void PrintCopyOutside(const plan::CopyOutside& copy) {
    const graph::Operator& op = model_.OperatorOf(copy.op);
    const auto form = [&](const LinearForm& linear) { return Form(linear); };
    std::vector<std::string> ranges;
    for (const graph::Index& index : op.target) {
      const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
      STENCILGEN_CHECK(at != op.iterators.end());
      const graph::Interval& interval =
          op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
      ranges.push_back(fmt::format("Range{{{}, {}}}", kernel::Print(LowerOf(interval, form)),
                                   kernel::Print(UpperOf(interval, form))));
    }
    std::string box = fmt::format("Box({})", fmt::join(ranges, ", "));
    const Expr guards = GuardOf(op.domain, form);
    if (guards.Valid()) box = fmt::format("{} ? {} : Box(Range{{}})", kernel::Print(guards), box);
    style_.copy(writer_, "CopyOutside",
                {model_.Name(copy.dst), model_.Name(copy.src), model_.ShapeText(copy.dst), box});
  }

  std::string TurnsText(const graph::Turns& turns) const {
    const Expr count = Form(turns.count);
    if (turns == graph::Turns{turns.count}) return kernel::Print(count);
    if (kernel::NumberOf(count)) return IndexText(graph::Evaluate(turns, {}));
    const std::string operand = kernel::Print(count, Precedence(BinaryOp::Div));
    return fmt::format("{} {} {}", operand, turns.remainder ? '%' : '/', turns.divisor);
  }

  void PrintRepeat(const plan::Repeat& repeat) {
    const bool only_moves_scalars = repeat.body.empty() && repeat.rotation.empty();
    if (only_moves_scalars && repeat.turns == graph::Turns{LinearForm::Constant(1)}) {
      return PrintScalarMoves(repeat.scalar_moves);
    }
    const std::string step = scope_.Claim("step");
    const auto loop =
        writer_.Block("for (long long {0} = 0; {0} < {1}; ++{0})", step, TurnsText(repeat.turns));
    PrintSteps(repeat.body);
    PrintRotation(repeat.rotation);
    PrintScalarMoves(repeat.scalar_moves);
  }

  /// Cycle by cycle, from the buffer named first.
  void PrintRotation(const std::vector<std::pair<BufferId, BufferId>>& rotation) {
    std::map<BufferId, BufferId> source(rotation.begin(), rotation.end());
    for (const auto& [first, ignored] : rotation) {
      if (source.count(first) == 0) continue;
      std::vector<BufferId> cycle = {first};
      while (source.at(cycle.back()) != first) cycle.push_back(source.at(cycle.back()));
      for (BufferId buffer : cycle) source.erase(buffer);
      if (cycle.size() == 1) continue;
      if (cycle.size() == 2) {
        writer_.Line("std::swap({}, {});", model_.Name(cycle[0]), model_.Name(cycle[1]));
        continue;
      }
      const auto block = writer_.Block("");
      const std::string old = scope_.Claim(fmt::format("old_{}", model_.Name(first)));
      writer_.Line("{}* const {} = {};", model_.ElementType(first), old, model_.Name(first));
      for (std::size_t k = 0; k + 1 < cycle.size(); ++k) {
        writer_.Line("{} = {};", model_.Name(cycle[k]), model_.Name(cycle[k + 1]));
      }
      writer_.Line("{} = {};", model_.Name(cycle.back()), old);
    }
  }

  /// All at once: a variable that is both read and written is kept until it has been read.
  void PrintScalarMoves(const std::vector<std::pair<int, int>>& moves) {
    if (moves.empty()) return;
    if (moves.size() == 1) {
      writer_.Line("{} = {};", model_.Scalar(moves[0].first), model_.Scalar(moves[0].second));
      return;
    }
    const auto block = writer_.Block("");
    std::vector<std::string> values;
    for (const auto& [to, from] : moves) {
      values.push_back(scope_.Claim(fmt::format("next_{}", model_.Scalar(to))));
      writer_.Line("const {} {} = {};",
                   ToString(model_.plan().scalars[static_cast<std::size_t>(from)].second),
                   values.back(), model_.Scalar(from));
    }
    for (std::size_t k = 0; k < moves.size(); ++k) {
      writer_.Line("{} = {};", model_.Scalar(moves[k].first), values[k]);
    }
  }

  const ProgramModel& model_;
  const StepStyle& style_;
  NameScope scope_;
  CodeWriter writer_;
};

}  // namespace

std::string StepStatements(const ProgramModel& model, const StepStyle& style) {
  return StepPrinter(model, style).Print();
}

}  // namespace stencilgen::codegen
