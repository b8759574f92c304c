#include "lower/body_code.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kernel/uses.h"
#include "kernel/value_dag.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::lower {

using kernel::Combine;
using kernel::Expr;
using kernel::Instruction;
using kernel::Value;
using kernel::ValueId;
using kernel::VarRef;

namespace {

/// A variable, or a number: what need not be computed before it is used.
bool IsVariable(const Expr& expr) {
  if (expr.As<kernel::VarExpr>() != nullptr) return true;
  const auto* constant = expr.As<kernel::ConstExpr>();
  return constant != nullptr && !kernel::IsFloating(expr.type()) && constant->integer >= 0;
}

Expr Negated(const Expr& value) {
  if (const auto* constant = value.As<kernel::ConstExpr>()) {
    return kernel::IsFloating(value.type()) ? kernel::Constant(value.type(), -constant->value)
                                            : kernel::Constant(value.type(), -constant->integer);
  }
  return kernel::Apply(UnaryOp::Negate, value);
}

class BodyLowering {
 public:
  BodyLowering(const graph::Graph& graph, const kernel::Body& body,
               const std::vector<BodyOperator>& ops)
      : graph_(graph),
        body_(body),
        ops_(ops),
        names_(&ops[0].code->scope()),
        values_(body.values.size()),
        loads_(body.values.size()),
        rows_(body.values.size()),
        uses_(kernel::FindUses(body)) {}

  BodyCode Run(const std::function<Expr(const kernel::Statement&)>& variable) {
    NameValues();
    for (const kernel::Result& result : body_.results) {
      if (!body_.values[result.value].held) continue;
      values_[result.value.index] = variable(StatementOf(result));
    }
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) {
      LowerInstruction(k);
      const ValueId dest = body_.instructions[k].dest;
      if (uses_.definitions[dest.index].back() != k || body_.values[dest].held) continue;
      for (const kernel::Result& result : body_.results) {
        if (result.value != dest) continue;
        const kernel::Statement& statement = StatementOf(result);
        const Expr target = variable ? variable(statement) : Stored(statement, k);
        const AssignOp assign = result.sink == kernel::Sink::Add ? AssignOp::Add : AssignOp::Assign;
        code_.code.Add(kernel::AssignStmt{target, assign, values_[dest.index]});
      }
    }
    return std::move(code_);
  }

 private:
  void NameValues();
  void NameElement(ValueId id);
  VarRef ElementVar(const graph::Access& access, ScalarType type);
  Expr Leaf(const Value& value);
  Expr Stored(const kernel::Statement& statement, std::size_t k);
  VarRef RowVar(const OperatorCode::Row& row);
  bool HasSeveralArrays(const OperatorCode::Row& row) { return arrays_[row.centre].size() > 1; }
  void DeclareRow(const OperatorCode::Row& row, std::size_t k);
  void LowerInstruction(std::size_t k);
  void Contribute(const Instruction& instruction);
  Expr Operand(ValueId id);
  Expr Right(const Instruction& instruction, bool negate);
  const kernel::Statement& StatementOf(const kernel::Result& result) const {
    return body_.statements[static_cast<std::size_t>(result.statement)];
  }

  const graph::Graph& graph_;
  const kernel::Body& body_;
  const std::vector<BodyOperator>& ops_;
  NameScope names_;
  std::vector<Expr> values_;  ///< by value
  std::vector<Expr> loads_;   ///< by value: the element that its variable takes
  std::vector<std::optional<OperatorCode::Row>> rows_;  ///< by value: that must be there first
  kernel::Uses uses_;
  /// By centre and offsets: variables with the position of a row; by centre, the last of them.
  std::map<std::pair<VarRef, std::vector<std::int64_t>>, VarRef> row_vars_;
  std::map<VarRef, std::pair<VarRef, std::vector<std::int64_t>>> last_rows_;
  struct DeclaredRow {
    std::size_t used = 0;  ///< the last instruction that did
    std::size_t stmt = 0;  ///< the declaration
  };
  std::map<VarRef, DeclaredRow> declared_;
  std::map<VarRef, std::set<graph::VersionId>> arrays_;  ///< by centre: what is read at it
  std::map<std::string, VarRef> hoisted_;                ///< by text of a uniform value
  BodyCode code_;
};

void BodyLowering::NameValues() {
  for (ValueId id : body_.values.Ids()) {
    const auto* element = std::get_if<kernel::Element>(&body_.values[id].what);
    if (element == nullptr || uses_.uses[id.index].empty()) continue;
    const auto row = ops_[0].code->RowOf(element->access);
    if (row) arrays_[row->centre].insert(element->access.version);
  }
  for (ValueId id : body_.values.Ids()) {
    const Value& value = body_.values[id];
    if (uses_.definitions[id.index].empty() && uses_.uses[id.index].empty()) continue;
    if (kernel::IsTemporary(value)) {
      if (value.held) continue;
      values_[id.index] =
          kernel::Read(kernel::MakeVar(names_.Claim(value.name), kernel::TypeOf(value.type)));
    } else if (std::holds_alternative<kernel::Element>(value.what)) {
      NameElement(id);
    } else if (const auto* literal = std::get_if<graph::Literal>(&value.what)) {
      const kernel::Type type = kernel::TypeOf(value.type);
      values_[id.index] = IsFloating(value.type) ? kernel::Constant(type, literal->value)
                                                 : kernel::Constant(type, literal->integer);
    } else {
      values_[id.index] = Leaf(value);
    }
  }
}

/// An element that is used once, or is a variable, or takes no register, stands where it is used.
void BodyLowering::NameElement(ValueId id) {
  const Value& value = body_.values[id];
  const graph::Access& access = std::get<kernel::Element>(value.what).access;
  OperatorCode& code = *ops_[0].code;
  Expr element = code.Element(access, value.type);
  rows_[id.index] = code.RowOf(access);
  if (rows_[id.index]) element = code.ElementAt(access, RowVar(*rows_[id.index]));
  if (uses_.uses[id.index].size() == 1 || IsVariable(element) || !kernel::TakesRegister(value)) {
    values_[id.index] = element;
    return;
  }
  loads_[id.index] = element;
  values_[id.index] = kernel::Read(ElementVar(access, value.type));
}

Expr BodyLowering::Stored(const kernel::Statement& statement, std::size_t k) {
  const BodyOperator& op = ops_[static_cast<std::size_t>(statement.op)];
  graph::Access access;
  access.version = op.op->result;
  access.indices = kernel::Shifted(op.op->target, *op.op, statement.offset);
  const Expr target = op.code->Target(access.indices);
  const auto row = op.code->RowOf(access);
  if (!row) return target;
  DeclareRow(*row, k);
  return op.code->ElementAt(access, RowVar(*row));
}

/// The variable of the row, which DeclareRow declares; the centre's own row has one already, which
/// several arrays leave alone.
VarRef BodyLowering::RowVar(const OperatorCode::Row& row) {
  const auto [at, is_new] = row_vars_.try_emplace({row.centre, row.offsets});
  if (is_new) {
    std::string name = row.centre->name;
    for (std::int64_t offset : row.offsets) name += OffsetTag(offset);
    const bool own =
        !HasSeveralArrays(row) && std::all_of(row.offsets.begin(), row.offsets.end(),
                                              [](std::int64_t offset) { return offset == 0; });
    at->second = own ? row.centre : kernel::MakeVar(names_.Claim(name), kernel::kIndex);
    if (own) declared_.try_emplace(row.centre);
  }
  return at->second;
}

/// Each row is computed from the one before. Where several arrays are read along rows, a row that
/// was not used for long is computed again: it would take registers all the time, and the arrays'
/// addresses in it as well.
void BodyLowering::DeclareRow(const OperatorCode::Row& row, std::size_t k) {
  constexpr std::size_t kLong = 8;  ///< instructions
  const VarRef var = RowVar(row);
  const auto [last, is_first] = last_rows_.try_emplace(
      row.centre, row.centre, std::vector<std::int64_t>(row.offsets.size(), 0));
  const auto [declared, is_new] =
      declared_.try_emplace(var, DeclaredRow{k, code_.code.stmts.size()});
  const bool again = HasSeveralArrays(row) && !is_new && var != last->second.first &&
                     k - declared->second.used >= kLong;
  declared->second.used = k;
  if (!is_new && !again) return;
  Expr position = kernel::Read(last->second.first);
  for (std::size_t d = 0; d < row.offsets.size(); ++d) {
    const std::int64_t step = row.offsets[d] - last->second.second[d];
    const Expr distance = kernel::Number(step < 0 ? -step : step) * row.strides[d];
    if (step != 0) position = step < 0 ? position - distance : position + distance;
  }
  position = kernel::Call(kernel::Routine::Opaque, kernel::kIndex, {position});
  if (again) {
    std::get<kernel::LetStmt>(code_.code.stmts[declared->second.stmt].what).changes = true;
    code_.code.Add(kernel::AssignStmt{kernel::Read(var), AssignOp::Assign, position});
  } else {
    code_.code.Add(kernel::LetStmt{var, position});
  }
  last->second = {var, row.offsets};
}

VarRef BodyLowering::ElementVar(const graph::Access& access, ScalarType type) {
  std::string name = graph_.arrays[graph_.versions[access.version].array].name;
  for (const graph::Index& index : access.indices) {
    if (index.iterator < 0 || !index.offset.IsConstant()) continue;
    name += OffsetTag(index.offset.constant);
  }
  return kernel::MakeVar(names_.Claim(name), kernel::TypeOf(type));
}

Expr BodyLowering::Leaf(const Value& value) {
  return Match(
      value.what,
      [&](const graph::ParameterRef& ref) { return ops_[0].code->Parameter(ref.parameter); },
      [&](const kernel::Position& position) {
        return ops_[0].code->Iterator(position.iterator) + kernel::Number(position.offset);
      },
      [&](const kernel::Uniform& uniform) {
        const Expr expr = ops_[static_cast<std::size_t>(uniform.op)].code->Lower(uniform.expr);
        if (IsVariable(expr)) return expr;
        const auto [at, is_new] = hoisted_.try_emplace(kernel::Print(expr));
        if (is_new) {
          at->second = kernel::MakeVar(ops_[0].code->Claim("factor"), kernel::TypeOf(value.type));
          code_.uniform.Add(kernel::LetStmt{at->second, expr});
        }
        return kernel::Read(at->second);
      },
      [](const auto&) { return Expr(); });
}

Expr BodyLowering::Operand(ValueId id) {
  return values_[id.index];
}

/// What the instruction computes, or its negative.
Expr BodyLowering::Right(const Instruction& instruction, bool negate) {
  std::vector<Expr> operands;
  for (ValueId operand : instruction.operands) operands.push_back(Operand(operand));
  const ScalarType type = body_.values[instruction.dest].type;
  const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
  if (negate && binary != nullptr && *binary == BinaryOp::Mul) {
    operands[1] = Negated(operands[1]);
    negate = false;
  }
  const Expr value = Match(
      instruction.operation, [&](kernel::Copy) { return operands[0]; },
      [&](UnaryOp op) { return LowerUnary(op, operands[0]); },
      [&](BinaryOp op) { return LowerBinary(op, type, operands[0], operands[1]); },
      [&](Function function) { return kernel::Call(function, kernel::TypeOf(type), operands); },
      [&](kernel::Select) { return LowerConditional(operands[0], operands[1], operands[2]); },
      [&](kernel::Convert) { return LowerConvert(type, operands[0]); });
  return negate ? Negated(value) : value;
}

/// A contribution after the first.
void BodyLowering::Contribute(const Instruction& instruction) {
  const Expr dest = Operand(instruction.dest);
  if (instruction.combine == Combine::Product) {
    code_.code.Add(kernel::AssignStmt{dest, AssignOp::Mul, Right(instruction, false)});
    return;
  }
  const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
  if (binary == nullptr || *binary != BinaryOp::Mul) {
    const AssignOp assign = instruction.negative ? AssignOp::Sub : AssignOp::Add;
    code_.code.Add(kernel::AssignStmt{dest, assign, Right(instruction, false)});
    return;
  }
  Expr last = Operand(instruction.operands[1]);
  if (instruction.negative) last = Negated(last);
  const Expr fma = kernel::Call(Function::Fma, kernel::TypeOf(body_.values[instruction.dest].type),
                                {Operand(instruction.operands[0]), last, dest});
  code_.code.Add(kernel::AssignStmt{dest, AssignOp::Assign, fma});
}

void BodyLowering::LowerInstruction(std::size_t k) {
  const Instruction& instruction = body_.instructions[k];
  for (ValueId operand : instruction.operands) {
    if (rows_[operand.index]) DeclareRow(*rows_[operand.index], k);
    Expr& load = loads_[operand.index];
    if (!load.Valid() || uses_.uses[operand.index].front() != k) continue;
    code_.code.Add(kernel::LetStmt{values_[operand.index].As<kernel::VarExpr>()->var, load});
    load = {};  // an operand may occur twice
    rows_[operand.index].reset();
  }
  const auto& contributions = uses_.definitions[instruction.dest.index];
  if (contributions.front() != k || body_.values[instruction.dest].held) {
    return Contribute(instruction);
  }
  code_.code.Add(kernel::LetStmt{values_[instruction.dest.index].As<kernel::VarExpr>()->var,
                                 Right(instruction, instruction.negative),
                                 contributions.size() > 1});
}

}  // namespace

BodyCode LowerBodyCode(const graph::Graph& graph, const kernel::Body& body,
                       const std::vector<BodyOperator>& ops,
                       const std::function<Expr(const kernel::Statement&)>& variable) {
  return BodyLowering(graph, body, ops).Run(variable);
}

}  // namespace stencilgen::lower
