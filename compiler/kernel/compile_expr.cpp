#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "kernel/arithmetic.h"
#include "kernel/compile_code.h"
#include "kernel/handlers.h"
#include "support/match.h"

namespace stencilgen::kernel::bytecode {
namespace {

/// C's usual conversions of both operands.
Elementary Common(Elementary a, Elementary b) {
  for (const Elementary type : {Elementary::Double, Elementary::Float, Elementary::Address,
                                Elementary::Index, Elementary::Int}) {
    if (a == type || b == type) return type == Elementary::Address ? Elementary::Index : type;
  }
  return Elementary::Int;
}

bool IsLogicalOfOnes(const BinaryExpr& binary) {
  return IsLogical(binary.op) && binary.lhs.type().width == Width::One &&
         binary.rhs.type().width == Width::One;
}

}  // namespace

Operand FunctionCompiler::ConstantValue(const ConstExpr& constant, Type type) {
  Cell cell;
  WithType(type.of, [&](auto zero) {
    using T = decltype(zero);
    Set<T>(cell, kernel::IsFloating(type) ? static_cast<T>(constant.value)
                                          : static_cast<T>(constant.integer));
  });
  return Widen(ConstantCell(cell, type.of), LanesOf(type));
}

Operand FunctionCompiler::Variable(const VarRef& var) {
  const Home* home = Find(var);
  if (home == nullptr) return {};
  if (var->storage == Storage::Registers) {
    Fail(fmt::format("{} is an array, not a value", var->name));
    return {};
  }
  const bool is_value = var->storage == Storage::Value;
  return {home->cell, home->lanes, is_value ? var->type.of : Elementary::Address};
}

Operand FunctionCompiler::Convert(const Operand& value, Elementary of) {
  Operand result = value;
  result.of = of;
  const Handler run = ConvertHandler(of, value.of);
  if (run == nullptr) return result;
  result.cell = Take(value.lanes);
  Instruction& it = Emit(run);
  it.a = value.cell;
  it.dest = result.cell;
  it.lanes = value.lanes;
  return of == Elementary::Index ? Shortened(result) : result;
}

Operand FunctionCompiler::Widen(const Operand& value, int lanes) {
  if (value.lanes >= lanes) return value;
  const Operand result = {Take(lanes), lanes, value.of};
  Instruction& it = Emit(&Repeat);
  it.dest = result.cell;
  it.a = value.cell;
  it.lanes = lanes;
  it.number = value.lanes;
  return result;
}

/// A position must fit its type.
Operand FunctionCompiler::Shortened(const Operand& value) {
  if (!options_.short_index && !function_.either_index) return value;
  Instruction& it = Emit(&CheckShort);
  it.a = value.cell;
  return value;
}

Operand FunctionCompiler::ValueAs(const Expr& expr, Elementary of, int lanes) {
  return Converted(Value(expr), of, lanes);
}

void FunctionCompiler::ValueInto(const Expr& expr, Elementary of, const Home& home) {
  const int mark = top_;
  const Operand value = ValueAs(expr, of, home.lanes);
  top_ = mark;
  if (value.cell == home.cell) return;
  Instruction& it = Emit(&Move);
  it.dest = home.cell;
  it.a = value.cell;
  it.lanes = home.lanes;
}

Operand FunctionCompiler::Applied(Handler run, const std::vector<Operand>& operands,
                                  Elementary result, int mark, std::int64_t number) {
  if (run == nullptr) {
    Fail("an operation that its type does not have");
    return {};
  }
  const int lanes = operands.front().lanes;
  // Each lane is read before it is written, so that the result may lie where operands are.
  top_ = mark;
  const Operand dest = {Take(lanes), lanes, result};
  Instruction& it = Emit(run);
  it.number = number;
  it.dest = dest.cell;
  it.lanes = lanes;
  it.a = operands[0].cell;
  if (operands.size() > 1) it.b = operands[1].cell;
  if (operands.size() > 2) it.c = operands[2].cell;
  return result == Elementary::Index ? Shortened(dest) : dest;
}

Operand FunctionCompiler::Value(const Expr& expr) {
  return Match(
      expr.node().what, [&](const ConstExpr& each) { return ConstantValue(each, expr.type()); },
      [&](const VarExpr& each) { return Variable(each.var); },
      [&](const ElementExpr& each) { return ElementValue(each); },
      [&](const AddressExpr& each) { return AddressValue(each); },
      [&](const PlaceExpr& each) { return Convert(PlaceValue(each), expr.type().of); },
      [&](const UnaryExpr& each) { return UnaryValue(each, expr.type()); },
      [&](const BinaryExpr& each) { return BinaryValue(each, expr.type()); },
      [&](const ConditionalExpr& each) { return ConditionalValue(each, expr.type()); },
      [&](const CallExpr& each) { return CallValue(each, expr.type()); },
      [&](const ConvertExpr& each) {
        return ValueAs(each.operand, expr.type().of, LanesOf(expr.type()));
      });
}

Operand FunctionCompiler::ElementValue(const ElementExpr& element) {
  const Home* home = Find(element.array);
  if (home == nullptr) return {};
  const Var& array = *element.array;
  if (array.storage != Storage::Registers) {
    const int mark = top_;
    const Operand index = ValueAs(element.index, Elementary::Index, 1);
    top_ = mark;
    const Operand dest = {Take(1), 1, array.type.of};
    Load(dest, element.array, index, false);
    return dest;
  }
  const auto known = NumberOf(element.index);
  const int lanes = home->lanes;
  if (known) {
    if (*known < 0 || *known >= array.count) {
      Fail(fmt::format("out of bounds: element {} of {}", *known, array.name));
      return {};
    }
    return {home->cell + static_cast<int>(*known) * lanes, lanes, array.type.of};
  }
  if (lanes != 1) {
    Fail(fmt::format("{}: which of the packs is not known", array.name));
    return {};
  }
  const int mark = top_;
  const Operand index = ValueAs(element.index, Elementary::Index, 1);
  top_ = mark;
  const Operand dest = {Take(1), 1, array.type.of};
  Instruction& it = Emit(&LoadCell);
  it.dest = dest.cell;
  it.a = index.cell;
  it.c = home->cell;
  it.number = array.count;
  return dest;
}

void FunctionCompiler::Load(const Operand& dest, const VarRef& array, const Operand& index,
                            bool aligned) {
  const Home* home = Find(array);
  if (home == nullptr) return;
  Instruction& it = Emit(LoadHandler(array->type.of));
  it.dest = dest.cell;
  it.lanes = dest.lanes;
  it.a = home->cell;
  it.b = index.cell;
  it.c = aligned ? 1 : 0;
}

Operand FunctionCompiler::AddressValue(const AddressExpr& address) {
  const Home* home = Find(address.array);
  if (home == nullptr) return {};
  const int mark = top_;
  const Operand offset = ValueAs(address.offset, Elementary::Index, 1);
  top_ = mark;
  const Operand dest = {Take(1), 1, Elementary::Address};
  Instruction& it = Emit(&MoveAddress);
  it.dest = dest.cell;
  it.a = home->cell;
  it.b = offset.cell;
  it.number = SizeInBytes(address.array->type.of);
  return dest;
}

Operand FunctionCompiler::PlaceValue(const PlaceExpr& place) {
  if (function_.target != Target::Device) Fail("a place in a grid, in a function without one");
  const Operand dest = {Take(1), 1, Elementary::Int};
  Instruction& it = Emit(&Place);
  it.dest = dest.cell;
  it.c = place.axis;
  it.number = static_cast<std::int64_t>(place.what);
  return dest;
}

Operand FunctionCompiler::UnaryValue(const UnaryExpr& unary, Type type) {
  const int mark = top_;
  Operand value = Value(unary.operand);
  const Elementary of =
      unary.op == UnaryOp::Not ? Elementary::Bool : Common(value.of, Elementary::Int);
  value = Convert(value, of);
  return Convert(Applied(UnaryHandler(unary.op, of), {value}, of, mark), type.of);
}

Operand FunctionCompiler::Combined(BinaryOp op, Operand lhs, Operand rhs, Elementary of, int mark) {
  const bool logical = IsLogical(op);
  const bool truths = lhs.of == Elementary::Bool && rhs.of == Elementary::Bool;
  const Elementary common =
      logical || (truths && IsBitwise(op)) ? Elementary::Bool : Common(lhs.of, rhs.of);
  const int lanes = std::max(lhs.lanes, rhs.lanes);
  lhs = Converted(lhs, common, lanes);
  rhs = Converted(rhs, common, lanes);
  const Elementary result = IsComparison(op) ? Elementary::Bool : common;
  return Convert(Applied(BinaryHandler(op, common), {lhs, rhs}, result, mark), of);
}

/// A sum of thousands of terms must not recurse once a term, nor take a cell each.
Operand FunctionCompiler::BinaryValue(const BinaryExpr& outermost, Type type) {
  if (IsLogicalOfOnes(outermost)) return LogicalValue(outermost);
  std::vector<std::pair<const BinaryExpr*, Type>> chain = {{&outermost, type}};
  for (;;) {
    const Expr& first = chain.back().first->lhs;
    const auto* inner = first.As<BinaryExpr>();
    if (inner == nullptr || IsLogicalOfOnes(*inner)) break;
    chain.emplace_back(inner, first.type());
  }
  const int mark = top_;
  Operand value = Value(chain.back().first->lhs);
  std::reverse(chain.begin(), chain.end());
  for (const auto& [binary, of_type] : chain) {
    const Operand rhs = Value(binary->rhs);
    value = Combined(binary->op, value, rhs, of_type.of, mark);
  }
  return value;
}

Operand FunctionCompiler::LogicalValue(const BinaryExpr& binary) {
  const Home result = {Take(1), 1};
  const Home first = {Take(1), 1};
  ValueInto(binary.lhs, Elementary::Bool, first);
  Instruction& move = Emit(&Move);
  move.dest = result.cell;
  move.a = first.cell;
  const std::size_t jump = EmitJump(binary.op == BinaryOp::And ? &JumpUnless : &JumpIf, first.cell);
  code_.instructions[jump].b = 1;
  ValueInto(binary.rhs, Elementary::Bool, result);
  PatchToHere({jump});
  Instruction& taint = Emit(&Taint);
  taint.dest = result.cell;
  taint.a = first.cell;
  return {result.cell, 1, Elementary::Bool};
}

Operand FunctionCompiler::ConditionalValue(const ConditionalExpr& conditional, Type type) {
  const Home result = {Take(LanesOf(type)), LanesOf(type)};
  const Home condition = {Take(1), 1};
  ValueInto(conditional.condition, Elementary::Bool, condition);
  const std::size_t otherwise = EmitJump(&JumpUnless, condition.cell);
  code_.instructions[otherwise].b = 1;
  ValueInto(conditional.then_value, type.of, result);
  const std::size_t end = EmitJump(&Jump);
  PatchToHere({otherwise});
  ValueInto(conditional.else_value, type.of, result);
  PatchToHere({end});
  Instruction& taint = Emit(&Taint);
  taint.dest = result.cell;
  taint.a = condition.cell;
  taint.lanes = result.lanes;
  return {result.cell, result.lanes, type.of};
}

}  // namespace stencilgen::kernel::bytecode
