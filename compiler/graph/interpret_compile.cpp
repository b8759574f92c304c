#include <algorithm>

#include "graph/interpret_operator.h"
#include "graph/walk.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

/// The type an expression is computed in.
ScalarType Computed(ScalarType type, Precision precision) {
  return precision == Precision::Double && type == ScalarType::Float ? ScalarType::Double : type;
}

}  // namespace

/// Turns the expressions of one operator into steps: operands first, results in slots that are
/// used again once their reader is done.
class OperatorCompiler {
 public:
  using Step = OperatorProgram::Step;
  using StepKind = OperatorProgram::StepKind;

  OperatorCompiler(const Graph& graph, const Operator& op, const ParameterValues& parameters,
                   const std::vector<Shape>& shapes, Precision precision, OperatorProgram& program)
      : graph_(graph),
        op_(op),
        parameters_(parameters),
        shapes_(shapes),
        precision_(precision),
        program_(program) {}

  void Compile() {
    program_.name_ = op_.stencil;
    const ArrayId array = graph_.versions[op_.result].array;
    program_.type_ = Computed(graph_.arrays[array].type, precision_);
    for (const LinearForm& guard : op_.domain.guards) {
      if (Evaluate(guard, parameters_) < 0) program_.empty_ = true;
    }
    for (const Interval& interval : op_.domain.intervals) {
      program_.ranges_.push_back(Evaluate(interval, parameters_));
      if (program_.ranges_.back().size() == 0) program_.empty_ = true;
    }
    STENCILGEN_CHECK(program_.ranges_.size() <= kMostIterators);
    program_.reduction_ = op_.reduction;
    const bool none =
        std::any_of(op_.domain.guards.begin(), op_.domain.guards.end(),
                    [&](const LinearForm& guard) { return Evaluate(guard, parameters_) < 0; });
    if (op_.reduction && none) program_.ranges_.assign(program_.ranges_.size(), Range{});
    program_.target_ = Dimensions(op_.target, {}, array);
    for (const Let& let : op_.lets) let_slots_.push_back(CompileExpr(let.value));
    program_.value_slot_ = CompileExpr(op_.value);
  }

 private:
  RunIndex Resolve(const Index& index) const {
    const std::int64_t offset = Evaluate(index.offset, parameters_);
    if (index.iterator < 0 || index.coefficient == 0) return {-1, 0, offset};
    return {Axis(index.iterator), index.coefficient, offset};
  }

  int Axis(int iterator) const {
    const auto it = std::find(op_.iterators.begin(), op_.iterators.end(), iterator);
    STENCILGEN_CHECK(it != op_.iterators.end());
    return static_cast<int>(it - op_.iterators.begin());
  }

  std::vector<RunAccess::Dimension> Dimensions(const std::vector<Index>& indices,
                                               const std::vector<Boundary>& boundary,
                                               ArrayId array) const {
    const Shape& shape = shapes_[array.index];
    std::vector<RunAccess::Dimension> dimensions;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      dimensions.push_back({Resolve(indices[d]), shape.extents[d], shape.strides[d],
                            boundary.empty() ? Boundary{} : boundary[d]});
    }
    return dimensions;
  }

  int TakeSlot() {
    if (free_slots_.empty()) {
      kept_.push_back(false);
      return program_.slot_count_++;
    }
    const int slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  /// Gives the step the operands on top of the stack and a slot for its result.
  void Emit(Step step, std::size_t operand_count) {
    for (std::size_t k = 0; k < operand_count; ++k) {
      step.operands[k] = stack_[stack_.size() - operand_count + k];
    }
    step.result = TakeSlot();
    for (std::size_t k = 0; k < operand_count; ++k) {
      const int slot = stack_.back();
      stack_.pop_back();
      if (!kept_[static_cast<std::size_t>(slot)]) free_slots_.push_back(slot);
    }
    program_.steps_.push_back(step);
    stack_.push_back(step.result);
  }

  /// A value that does not vary: its slot is filled once and never used again.
  void EmitOnce(Step step) {
    step.result = program_.slot_count_++;
    kept_.push_back(true);
    program_.once_.push_back(step);
    stack_.push_back(step.result);
  }

  int CompileExpr(ExprId root) {
    struct Visit {
      ExprId id;
      bool operands_done;
    };
    std::vector<Visit> pending = {{root, false}};
    while (!pending.empty()) {
      const Visit visit = pending.back();
      pending.pop_back();
      std::vector<ExprId> operands = CompiledOperands(graph_.exprs[visit.id]);
      if (visit.operands_done || operands.empty()) {
        Finish(graph_.exprs[visit.id], operands);
        continue;
      }
      pending.push_back({visit.id, true});
      std::reverse(operands.begin(), operands.end());
      for (const ExprId operand : operands) pending.push_back({operand, false});
    }
    const int slot = stack_.back();
    stack_.pop_back();
    kept_[static_cast<std::size_t>(slot)] = true;
    return slot;
  }

  /// The exponent of a power by multiplication is part of the step.
  bool IsProductPower(const Binary& binary) const {
    return binary.op == BinaryOp::Power && graph_.exprs[binary.rhs].type == ScalarType::Int;
  }

  const Binary* Product(ExprId id) const {
    const auto* binary = std::get_if<Binary>(&graph_.exprs[id].node);
    return binary != nullptr && binary->op == BinaryOp::Mul ? binary : nullptr;
  }

  /// A sum or difference with a product on a side is one step.
  bool IsProductSum(const Expr& expr) const {
    const auto* sum = std::get_if<Binary>(&expr.node);
    const bool adds = sum != nullptr && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Sub);
    return adds && IsFloating(expr.type) &&
           (Product(sum->rhs) != nullptr || Product(sum->lhs) != nullptr);
  }

  std::vector<ExprId> CompiledOperands(const Expr& expr) const {
    const auto* binary = std::get_if<Binary>(&expr.node);
    if (binary != nullptr && IsProductPower(*binary)) return {binary->lhs};
    if (!IsProductSum(expr)) return Operands(expr);
    if (const Binary* right = Product(binary->rhs)) return {binary->lhs, right->lhs, right->rhs};
    const Binary* left = Product(binary->lhs);
    return {left->lhs, left->rhs, binary->rhs};
  }

  void Finish(const Expr& expr, const std::vector<ExprId>& operands) {
    Step step;
    step.type = Computed(expr.type, precision_);
    step.operand_type =
        operands.empty() ? step.type : Computed(graph_.exprs[operands[0]].type, precision_);
    Match(
        expr.node, [&](const Literal& literal) { FinishLiteral(step, literal); },
        [&](const ParameterRef& ref) {
          FinishLiteral(step, {0, parameters_[ref.parameter.index]});
        },
        [&](const IteratorRef& ref) {
          step.kind = StepKind::Iota;
          step.integer = Axis(ref.iterator);
          Emit(step, 0);
        },
        [&](const Access& access) { FinishAccess(step, access); },
        [&](const LetRef& ref) { stack_.push_back(let_slots_[static_cast<std::size_t>(ref.let)]); },
        [&](const Unary& unary) {
          step.kind = StepKind::Unary;
          step.unary = unary.op;
          Emit(step, 1);
        },
        [&](const Binary& binary) {
          if (!IsProductSum(expr)) return FinishBinary(step, binary);
          step.kind = StepKind::ProductSum;
          step.binary = binary.op;
          step.product_first = Product(binary.rhs) == nullptr;
          Emit(step, 3);
        },
        [&](const Conditional&) {
          step.kind = StepKind::Select;
          Emit(step, 3);
        },
        [&](const Call& call) {
          const bool rounds =
              call.function == Function::RoundHalf || call.function == Function::RoundBFloat16;
          step.kind =
              rounds && precision_ == Precision::Double ? StepKind::Convert : StepKind::Call;
          step.function = call.function;
          Emit(step, operands.size());
        },
        [&](const Convert&) {
          step.kind = StepKind::Convert;
          Emit(step, 1);
        });
  }

  void FinishLiteral(Step step, const Literal& literal) {
    step.floating = literal.value;
    step.integer = literal.integer;
    EmitOnce(step);
  }

  void FinishAccess(Step step, const Access& access) {
    const ArrayId array = graph_.versions[access.version].array;
    step.kind = StepKind::Read;
    step.integer = static_cast<std::int64_t>(program_.reads_.size());
    program_.reads_.push_back({access.version, Computed(graph_.arrays[array].type, precision_),
                               Dimensions(access.indices, access.boundary, array)});
    int places = 0;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      if (access.indices[d].place.Valid()) program_.reads_.back().dimensions[d].place = places++;
    }
    if (places > 0) {
      step.kind = StepKind::ReadPlaces;
      return Emit(step, static_cast<std::size_t>(places));
    }
    if (access.indices.empty()) {
      EmitOnce(step);
    } else {
      Emit(step, 0);
    }
  }

  void FinishBinary(Step step, const Binary& binary) {
    if (IsProductPower(binary)) {
      step.kind = StepKind::Power;
      step.integer = std::get<Literal>(graph_.exprs[binary.rhs].node).integer;
      return Emit(step, 1);
    }
    step.kind = StepKind::Binary;
    step.binary = binary.op;
    Emit(step, 2);
  }

  const Graph& graph_;
  const Operator& op_;
  const ParameterValues& parameters_;
  const std::vector<Shape>& shapes_;
  const Precision precision_;
  OperatorProgram& program_;
  std::vector<int> let_slots_;
  std::vector<int> stack_;
  std::vector<int> free_slots_;
  std::vector<bool> kept_;  // by slot: holds its value to the end
};

OperatorProgram::OperatorProgram(const Graph& graph, const Operator& op,
                                 const ParameterValues& parameters,
                                 const std::vector<Shape>& shapes, Precision precision) {
  OperatorCompiler(graph, op, parameters, shapes, precision, *this).Compile();
}

}  // namespace stencilgen::graph
