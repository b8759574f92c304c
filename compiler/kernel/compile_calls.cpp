#include <algorithm>

#include <fmt/format.h>

#include "kernel/arithmetic.h"
#include "kernel/compile_code.h"
#include "kernel/handlers.h"
#include "support/match.h"

/// Calls of functions and routines as instructions.
namespace stencilgen::kernel::bytecode {

Operand FunctionCompiler::CallValue(const CallExpr& call, Type type) {
  return Match(
      call.callee,
      [&](stencilgen::Function function) { return FunctionValue(function, call, type); },
      [&](Routine routine) { return RoutineValue(routine, call, type); });
}

Operand FunctionCompiler::FunctionValue(stencilgen::Function function, const CallExpr& call,
                                        Type type) {
  if (call.arguments.size() != static_cast<std::size_t>(Info(function).arity)) {
    Fail(fmt::format("{} has {} arguments", Info(function).name, Info(function).arity));
    return {};
  }
  const int mark = top_;
  std::vector<Operand> operands;
  for (const Expr& argument : call.arguments) {
    operands.push_back(ValueAs(argument, type.of, LanesOf(type)));
  }
  const bool split = function == stencilgen::Function::Fma && type.width != Width::One;
  return Applied(split ? MulAddHandler(type.of) : FunctionHandler(function, type.of), operands,
                 type.of, mark);
}

Operand FunctionCompiler::RoutineValue(Routine routine, const CallExpr& call, Type type) {
  const std::vector<Expr>& arguments = call.arguments;
  const int mark = top_;
  switch (routine) {
    case Routine::Opaque:
    case Routine::Anchor:
      return Value(arguments[0]);
    case Routine::Largest:
    case Routine::Least:
      return Convert(Extreme(routine, call), type.of);
    case Routine::ShuffleUp:
    case Routine::ShuffleDown:
      return ShuffleValue(routine, call);
    case Routine::Broadcast:
      return ValueAs(arguments[0], type.of, LanesOf(type));
    case Routine::AsPack:
      return ValueAs(arguments[1], type.of, LanesOf(type));
    case Routine::LoadPack:
      return LoadedPack(arguments[1], 0, type);
    case Routine::Beside: {
      const std::int64_t distance = call.constants[0];
      const bool is_near = -LanesOf(type) <= distance && distance <= LanesOf(type);
      return is_near ? ShiftedLanes({arguments[1], arguments[2], arguments[3]}, distance, type)
                     : LoadedPack(arguments[0], distance, type);
    }
    case Routine::Shifted:
      return ShiftedLanes({arguments[0], arguments[1], arguments[2]}, call.constants[0], type);
    case Routine::Select: {
      const int lanes = LanesOf(type);
      return Applied(&SelectLanes,
                     {ValueAs(arguments[0], Elementary::Bool, lanes),
                      ValueAs(arguments[1], type.of, lanes), ValueAs(arguments[2], type.of, lanes)},
                     type.of, mark);
    }
    case Routine::MulSub: {
      const int lanes = LanesOf(type);
      std::vector<Operand> operands;
      operands.reserve(arguments.size());
      for (const Expr& argument : arguments) operands.push_back(ValueAs(argument, type.of, lanes));
      return Applied(MulSubHandler(type.of), operands, type.of, mark);
    }
    case Routine::Threads:
      return ConstantInteger(options_.host_threads);
    case Routine::PastCaches:
      return ConstantInteger(options_.past_caches ? 1 : 0);
    case Routine::ToLine:
    case Routine::ToVector:  // vectors are as long as lines
      return Applied(&ElementsToLine, {ValueAs(arguments[0], Elementary::Address, 1)},
                     Elementary::Index, mark, SizeInBytes(ElementsAt(arguments[0])));
    case Routine::TileRows:
      return ConstantInteger(options_.tile_rows);
    default:
      break;
  }
  // Of integers, whose first argument says which they are; or of floating values.
  Elementary of = type.of;
  if (routine == Routine::SafeDivide || routine == Routine::SafeModulo) of = Elementary::Int;
  if (routine == Routine::FloorDiv || routine == Routine::CeilDiv) of = Elementary::Index;
  const bool of_extent = routine == Routine::ClampIndex || routine == Routine::MirrorIndex ||
                         routine == Routine::Mirror101Index || routine == Routine::WrapIndex ||
                         routine == Routine::IsInside;
  if (of_extent) of = arguments[0].type().of;
  std::vector<Operand> operands;
  operands.reserve(arguments.size());
  for (const Expr& argument : arguments) operands.push_back(ValueAs(argument, of, 1));
  const Elementary result = routine == Routine::IsInside ? Elementary::Bool : of;
  const std::int64_t number = call.constants.empty() ? 0 : call.constants[0];
  const Operand value = Applied(RoutineHandler(routine, of), operands, result, mark, number);
  return Convert(value, type.of);
}

Operand FunctionCompiler::LoadedPack(const Expr& from, std::int64_t distance, Type type) {
  const Operand address = ValueAs(from, Elementary::Address, 1);
  const Operand element = ConstantInteger(distance);
  const Operand dest = {Take(LanesOf(type)), LanesOf(type), type.of};
  Instruction& it = Emit(LoadHandler(type.of));
  it.dest = dest.cell;
  it.lanes = dest.lanes;
  it.a = address.cell;
  it.b = element.cell;
  return dest;
}

Operand FunctionCompiler::ShiftedLanes(const std::array<Expr, 3>& packs, std::int64_t distance,
                                       Type type) {
  const int lanes = LanesOf(type);
  if (distance < -lanes || distance > lanes) Fail("lanes that no vector has");
  // Lanes are read after others are written: the result lies where no operand does.
  const Operand dest = {Take(lanes), lanes, type.of};
  const int mark = top_;
  const Operand before = ValueAs(packs[0], type.of, lanes);
  const Operand here = ValueAs(packs[1], type.of, lanes);
  const Operand after = ValueAs(packs[2], type.of, lanes);
  top_ = mark;
  Instruction& it = Emit(&ShiftLanes);
  it.number = distance;
  it.dest = dest.cell;
  it.lanes = lanes;
  it.a = before.cell;
  it.b = here.cell;
  it.c = after.cell;
  return dest;
}

Operand FunctionCompiler::Extreme(Routine routine, const CallExpr& call) {
  const int mark = top_;
  Operand value = ValueAs(call.arguments[0], Elementary::Index, 1);
  for (std::size_t n = 1; n < call.arguments.size(); ++n) {
    const Operand next = ValueAs(call.arguments[n], Elementary::Index, 1);
    value =
        Applied(RoutineHandler(routine, Elementary::Index), {value, next}, Elementary::Index, mark);
  }
  return value;
}

Operand FunctionCompiler::ShuffleValue(Routine routine, const CallExpr& call) {
  const int mark = top_;
  const Operand value = Value(call.arguments[0]);
  const Operand distance = ValueAs(call.arguments[1], Elementary::Index, 1);
  const Operand width = call.arguments.size() > 2 ? ValueAs(call.arguments[2], Elementary::Index, 1)
                                                  : ConstantInteger(32);
  if (function_.target != Target::Device || value.lanes != 1) {
    Fail("a shuffle of what warps do not have");
    return {};
  }
  top_ = mark;
  const Operand dest = {Take(1), 1, value.of};
  Instruction& it = Emit(&Shuffle);
  it.dest = dest.cell;
  it.a = value.cell;
  it.b = distance.cell;
  it.c = width.cell;
  it.number = routine == Routine::ShuffleDown ? 1 : 0;
  return dest;
}

}  // namespace stencilgen::kernel::bytecode
