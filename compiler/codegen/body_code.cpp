#include "codegen/body_code.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codegen/text.h"
#include "kernel/uses.h"
#include "kernel/value_dag.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::codegen {

using graph::ExprId;
using kernel::Combine;
using kernel::Instruction;
using kernel::Value;
using kernel::ValueId;

namespace {

/// Operands in the scratch expressions.
class Leaves : public ExprLeaves {
 public:
  explicit Leaves(const std::vector<ExprText>& texts) : texts_(texts) {}
  ExprText Let(int let) override { return texts_[static_cast<std::size_t>(let)]; }
  ExprText Element(const graph::Access&, ScalarType) override { return None(); }
  ExprText Iterator(int) override { return None(); }
  ExprText Parameter(graph::ParameterId) override { return None(); }

 private:
  static ExprText None() {
    STENCILGEN_CHECK(!"operands are lets");
    return {};
  }
  const std::vector<ExprText>& texts_;
};

bool IsVariable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

class BodyPrinter {
 public:
  BodyPrinter(const graph::Graph& graph, const kernel::Body& body,
              const std::vector<BodyOperator>& ops)
      : graph_(graph),
        body_(body),
        ops_(ops),
        names_(&ops[0].code->scope()),
        texts_(body.values.size()),
        loads_(body.values.size()),
        rows_(body.values.size()),
        uses_(kernel::FindUses(body)) {}

  BodyCode Run(const std::function<std::string(const kernel::Statement&)>& variable) {
    NameValues();
    for (const kernel::Result& result : body_.results) {
      if (!body_.values[result.value].held) continue;
      const auto& statement = body_.statements[static_cast<std::size_t>(result.statement)];
      texts_[result.value.index] = {variable(statement), kPrimaryPrecedence};
    }
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) {
      PrintInstruction(k);
      const ValueId dest = body_.instructions[k].dest;
      if (uses_.definitions[dest.index].back() != k || body_.values[dest].held) continue;
      for (const kernel::Result& result : body_.results) {
        if (result.value != dest) continue;
        const auto& statement = body_.statements[static_cast<std::size_t>(result.statement)];
        const std::string target = variable ? variable(statement) : Stored(statement, k);
        const std::string_view assign = result.sink == kernel::Sink::Add ? "+=" : "=";
        code_.lines.push_back(fmt::format("{} {} {};", target, assign, texts_[dest.index].text));
      }
    }
    return std::move(code_);
  }

 private:
  void NameValues();
  void NameElement(ValueId id);
  std::string ElementName(const graph::Access& access);
  ExprText LeafText(const Value& value);
  std::string Stored(const kernel::Statement& statement, std::size_t k);
  std::string RowName(const OperatorCode::Row& row);
  bool HasSeveralArrays(const OperatorCode::Row& row) { return arrays_[row.centre].size() > 1; }
  void DeclareRow(const OperatorCode::Row& row, std::size_t k);
  void PrintInstruction(std::size_t k);
  std::string Assignment(const Instruction& instruction, bool first);
  ExprId Operand(ValueId id);
  ExprId Right(const Instruction& instruction, bool negate);
  ExprId Negated(ExprId id);
  std::string Print(ExprId expr);

  const graph::Graph& graph_;
  const kernel::Body& body_;
  const std::vector<BodyOperator>& ops_;
  NameScope names_;
  std::vector<ExprText> texts_;     ///< by value
  std::vector<std::string> loads_;  ///< by value: the element that its variable takes
  std::vector<std::optional<OperatorCode::Row>> rows_;  ///< by value: that must be there first
  kernel::Uses uses_;
  /// By centre and offsets: variables with the position of a row; by centre, the last of them.
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::string> row_variables_;
  std::map<std::string, std::pair<std::string, std::vector<std::int64_t>>> last_rows_;
  struct DeclaredRow {
    std::size_t used = 0;  ///< the last instruction that did
    std::size_t line = 0;  ///< of the declaration
    bool changes = false;  ///< it is assigned again
  };
  std::map<std::string, DeclaredRow> declared_;
  std::map<std::string, std::set<graph::VersionId>> arrays_;  ///< by centre: what is read at it
  std::map<std::string, std::string> hoisted_;  ///< by text of a uniform value: its variable
  graph::Graph scratch_;  ///< one expression an instruction, in which lets stand for values
  BodyCode code_;
};

void BodyPrinter::NameValues() {
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
      texts_[id.index] = {names_.Claim(value.name), kPrimaryPrecedence};
    } else if (std::holds_alternative<kernel::Element>(value.what)) {
      NameElement(id);
    } else if (!std::holds_alternative<graph::Literal>(value.what)) {
      texts_[id.index] = LeafText(value);
    }
  }
}

/// An element that is used once, or is a variable, or takes no register, stands where it is used.
void BodyPrinter::NameElement(ValueId id) {
  const Value& value = body_.values[id];
  const graph::Access& access = std::get<kernel::Element>(value.what).access;
  OperatorCode& code = *ops_[0].code;
  ExprText element = code.Element(access, value.type);
  rows_[id.index] = code.RowOf(access);
  if (rows_[id.index]) element = {code.ElementAt(access, RowName(*rows_[id.index]))};
  if (uses_.uses[id.index].size() == 1 || IsVariable(element.text) ||
      !kernel::TakesRegister(value)) {
    texts_[id.index] = element;
    return;
  }
  loads_[id.index] = element.text;
  texts_[id.index] = {ElementName(access), kPrimaryPrecedence};
}

std::string BodyPrinter::Stored(const kernel::Statement& statement, std::size_t k) {
  const BodyOperator& op = ops_[static_cast<std::size_t>(statement.op)];
  graph::Access access;
  access.version = op.op->result;
  access.indices = kernel::Shifted(op.op->target, *op.op, statement.offset);
  std::string target = op.code->Target(access.indices);
  const auto row = op.code->RowOf(access);
  if (!row) return target;
  DeclareRow(*row, k);
  return op.code->ElementAt(access, RowName(*row));
}

/// The variable of the row, which DeclareRow declares; the centre's own row has one already, which
/// several arrays leave alone.
std::string BodyPrinter::RowName(const OperatorCode::Row& row) {
  const auto [at, is_new] = row_variables_.try_emplace({row.centre, row.offsets});
  if (is_new) {
    std::string name = row.centre;
    for (std::int64_t offset : row.offsets) name += OffsetTag(offset);
    const bool own =
        !HasSeveralArrays(row) && std::all_of(row.offsets.begin(), row.offsets.end(),
                                              [](std::int64_t offset) { return offset == 0; });
    at->second = own ? row.centre : names_.Claim(name);
    if (own) declared_.try_emplace(row.centre);
  }
  return at->second;
}

/// Each row is computed from the one before. Where several arrays are read along rows, a row that
/// was not used for long is computed again: it would take registers all the time, and the arrays'
/// addresses in it as well.
void BodyPrinter::DeclareRow(const OperatorCode::Row& row, std::size_t k) {
  constexpr std::size_t kLong = 8;  ///< instructions
  const std::string name = RowName(row);
  const auto [last, is_first] = last_rows_.try_emplace(
      row.centre, row.centre, std::vector<std::int64_t>(row.offsets.size(), 0));
  const auto [declared, is_new] =
      declared_.try_emplace(name, DeclaredRow{k, code_.lines.size(), false});
  const bool again = HasSeveralArrays(row) && !is_new && name != last->second.first &&
                     k - declared->second.used >= kLong;
  declared->second.used = k;
  if (!is_new && !again) return;
  Term position = Variable(last->second.first);
  for (std::size_t d = 0; d < row.offsets.size(); ++d) {
    const std::int64_t step = row.offsets[d] - last->second.second[d];
    const Term distance = Number(step < 0 ? -step : step) * row.strides[d];
    if (step != 0) position = step < 0 ? position - distance : position + distance;
  }
  if (again && !declared->second.changes) {
    constexpr std::string_view kConst = "const ";
    code_.lines[declared->second.line].erase(0, kConst.size());
    declared->second.changes = true;
  }
  code_.lines.push_back(
      fmt::format("{}{} = Opaque({});", again ? "" : "const Index ", name, position.text));
  last->second = {name, row.offsets};
}

std::string BodyPrinter::ElementName(const graph::Access& access) {
  std::string name = graph_.arrays[graph_.versions[access.version].array].name;
  for (const graph::Index& index : access.indices) {
    if (index.iterator < 0 || !index.offset.IsConstant()) continue;
    name += OffsetTag(index.offset.constant);
  }
  return names_.Claim(name);
}

ExprText BodyPrinter::LeafText(const Value& value) {
  constexpr int kSum = 9;
  return Match(
      value.what,
      [&](const graph::ParameterRef& ref) { return ops_[0].code->Parameter(ref.parameter); },
      [&](const kernel::Position& position) {
        ExprText text = ops_[0].code->Iterator(position.iterator);
        if (position.offset == 0) return text;
        const char sign = position.offset < 0 ? '-' : '+';
        const std::int64_t distance = position.offset < 0 ? -position.offset : position.offset;
        return ExprText{fmt::format("{} {} {}", text.text, sign, distance), kSum};
      },
      [&](const kernel::Uniform& uniform) {
        const std::string text =
            ops_[static_cast<std::size_t>(uniform.op)].code->Print(uniform.expr);
        if (IsVariable(text)) return ExprText{text, kPrimaryPrecedence};
        const auto [at, is_new] = hoisted_.try_emplace(text);
        if (is_new) {
          at->second = ops_[0].code->Claim("factor");
          code_.uniform.push_back(
              fmt::format("const {} {} = {};", ToString(value.type), at->second, text));
        }
        return ExprText{at->second, kPrimaryPrecedence};
      },
      [](const auto&) { return ExprText{}; });
}

ExprId BodyPrinter::Operand(ValueId id) {
  const Value& value = body_.values[id];
  if (const auto* literal = std::get_if<graph::Literal>(&value.what)) {
    return scratch_.exprs.Add({*literal, value.type, {}});
  }
  return scratch_.exprs.Add({graph::LetRef{static_cast<int>(id.index)}, value.type, {}});
}

ExprId BodyPrinter::Negated(ExprId id) {
  const ScalarType type = scratch_.exprs[id].type;
  if (const auto* literal = std::get_if<graph::Literal>(&scratch_.exprs[id].node)) {
    return scratch_.exprs.Add({graph::Literal{-literal->value, -literal->integer}, type, {}});
  }
  return scratch_.exprs.Add({graph::Unary{UnaryOp::Negate, id}, type, {}});
}

std::string BodyPrinter::Print(ExprId expr) {
  Leaves leaves(texts_);
  return PrintExpr(scratch_, expr, leaves, false);
}

/// What the instruction computes, or its negative.
ExprId BodyPrinter::Right(const Instruction& instruction, bool negate) {
  std::vector<ExprId> operands;
  for (ValueId operand : instruction.operands) operands.push_back(Operand(operand));
  const ScalarType type = body_.values[instruction.dest].type;
  const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
  if (negate && binary != nullptr && *binary == BinaryOp::Mul) {
    operands[1] = Negated(operands[1]);
    negate = false;
  }
  const auto add = [&](auto node) { return scratch_.exprs.Add({node, type, {}}); };
  const ExprId value = Match(
      instruction.operation, [&](kernel::Copy) { return operands[0]; },
      [&](UnaryOp op) {
        return add(graph::Unary{op, operands[0]});
      },
      [&](BinaryOp op) {
        return add(graph::Binary{op, operands[0], operands[1]});
      },
      [&](Function function) {
        return add(graph::Call{function, operands});
      },
      [&](kernel::Select) {
        return add(graph::Conditional{operands[0], operands[1], operands[2]});
      },
      [&](kernel::Convert) { return add(graph::Convert{operands[0]}); });
  return negate ? Negated(value) : value;
}

/// The line after the declaration's type.
std::string BodyPrinter::Assignment(const Instruction& instruction, bool first) {
  const std::string& dest = texts_[instruction.dest.index].text;
  if (first) {
    return fmt::format("{} = {};", dest, Print(Right(instruction, instruction.negative)));
  }
  if (instruction.combine == Combine::Product) {
    return fmt::format("{} *= {};", dest, Print(Right(instruction, false)));
  }
  const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
  if (binary == nullptr || *binary != BinaryOp::Mul) {
    return fmt::format("{} {}= {};", dest, instruction.negative ? '-' : '+',
                       Print(Right(instruction, false)));
  }
  const ScalarType type = body_.values[instruction.dest].type;
  ExprId last = Operand(instruction.operands[1]);
  if (instruction.negative) last = Negated(last);
  const std::vector<ExprId> arguments = {Operand(instruction.operands[0]), last,
                                         Operand(instruction.dest)};
  const ExprId fma = scratch_.exprs.Add({graph::Call{Function::Fma, arguments}, type, {}});
  return fmt::format("{} = {};", dest, Print(fma));
}

void BodyPrinter::PrintInstruction(std::size_t k) {
  const Instruction& instruction = body_.instructions[k];
  for (ValueId operand : instruction.operands) {
    if (rows_[operand.index]) DeclareRow(*rows_[operand.index], k);
    if (loads_[operand.index].empty() || uses_.uses[operand.index].front() != k) continue;
    std::string& load = loads_[operand.index];
    code_.lines.push_back(fmt::format("const {} {} = {};", ToString(body_.values[operand].type),
                                      texts_[operand.index].text, load));
    load.clear();  // an operand may occur twice
    rows_[operand.index].reset();
  }
  const auto& contributions = uses_.definitions[instruction.dest.index];
  const bool first = contributions.front() == k && !body_.values[instruction.dest].held;
  std::string line = Assignment(instruction, first);
  if (first) {
    line = fmt::format("{}{} {}", contributions.size() == 1 ? "const " : "",
                       ToString(body_.values[instruction.dest].type), line);
  }
  code_.lines.push_back(std::move(line));
}

}  // namespace

BodyCode PrintBody(const graph::Graph& graph, const kernel::Body& body,
                   const std::vector<BodyOperator>& ops,
                   const std::function<std::string(const kernel::Statement&)>& variable) {
  return BodyPrinter(graph, body, ops).Run(variable);
}

}  // namespace stencilgen::codegen
