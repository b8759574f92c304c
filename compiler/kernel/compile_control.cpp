#include <fmt/format.h>

#include "kernel/compile_code.h"
#include "kernel/handlers.h"

/// Assignments, loops and branches as instructions.
namespace stencilgen::kernel::bytecode {

void FunctionCompiler::Write(const AssignStmt& assign) {
  const int mark = top_;
  if (const auto* element = assign.target.As<ElementExpr>()) {
    if (element->array->storage != Storage::Registers || !NumberOf(element->index)) {
      Store(assign, *element);
      top_ = mark;
      return;
    }
  }
  const Operand target = Value(assign.target);
  if (assign.op == AssignOp::Assign) {
    ValueInto(assign.value, target.of, {target.cell, target.lanes});
    return;
  }
  const Operand value = Value(assign.value);
  if (target.of == Elementary::Address) {
    const Operand offset = Convert(value, Elementary::Index);
    if (assign.op != AssignOp::Add) return Fail("addresses only grow");
    Instruction& it = Emit(&MoveAddress);
    it.dest = it.a = target.cell;
    it.b = offset.cell;
    it.number = SizeInBytes(assign.target.As<VarExpr>()->var->type.of);
    top_ = mark;
    return;
  }
  const Operand sum = Combined(UpdateOperator(assign.op), target, value, target.of, mark);
  Instruction& it = Emit(&Move);
  it.dest = target.cell;
  it.a = sum.cell;
  it.lanes = target.lanes;
  top_ = mark;
}

/// To an element of memory, or of an array of registers at an index that is computed.
void FunctionCompiler::Store(const AssignStmt& assign, const ElementExpr& element) {
  const Var& array = *element.array;
  const Operand index = ValueAs(element.index, Elementary::Index, 1);
  Operand value = Value(assign.value);
  if (assign.op != AssignOp::Assign) {
    const Operand before = ElementValue(element);
    value = Combined(UpdateOperator(assign.op), before, value, array.type.of, top_);
  }
  value = Convert(value, array.type.of);
  const Home* home = Find(element.array);
  if (home == nullptr) return;
  if (array.storage == Storage::Registers) {
    if (home->lanes != 1) {
      return Fail(fmt::format("{}: which of the packs is not known", array.name));
    }
    Instruction& it = Emit(&StoreCell);
    it.a = index.cell;
    it.b = value.cell;
    it.c = home->cell;
    it.number = array.count;
    return;
  }
  Instruction& it = Emit(StoreHandler(array.type.of));
  it.dest = home->cell;
  it.a = index.cell;
  it.b = value.cell;
}

void FunctionCompiler::Write(const ForStmt& loop) {
  const int mark = top_;
  const bool shared = loop.kind == LoopKind::Parallel || loop.kind == LoopKind::ParallelVector;
  // Inside of a turn, a parallel loop is a loop like others.
  if (shared && parallel_loops_ == 0) {
    WriteParallel(loop);
  } else {
    WriteSerial(loop);
  }
  top_ = mark;
}

void FunctionCompiler::WriteParallel(const ForStmt& loop) {
  if (function_.target != Target::Host) return Fail("a parallel loop on a device");
  if (!loop.first.Valid()) return Fail("a parallel loop that goes on with a variable");
  const Home var = Declare(loop.var.get(), 1);
  const Operand first = ValueAs(loop.first, loop.var->type.of, 1);
  const Operand last = ValueAs(loop.last, Elementary::Index, 1);
  const Operand step = ValueAs(loop.step, Elementary::Index, 1);
  Instruction& begin = Emit(&BeginTurns);
  begin.a = first.cell;
  begin.b = last.cell;
  begin.c = step.cell;
  begin.number = loop.below ? 1 : 0;
  const std::int64_t next = Here();
  const std::size_t end = EmitJump(&NextTurn);
  code_.instructions[end].dest = var.cell;
  loops_.push_back({{}, {}, false});
  ++parallel_loops_;
  WriteScope(loop.body);
  --parallel_loops_;
  for (const std::size_t jump : loops_.back().continues) code_.instructions[jump].number = next;
  loops_.pop_back();
  const std::size_t back = EmitJump(&Jump);
  code_.instructions[back].number = next;
  PatchToHere({end});
}

void FunctionCompiler::WriteSerial(const ForStmt& loop) {
  const bool vector =
      loop.kind == LoopKind::Vector && vector_loops_ == 0 && function_.target == Target::Host;
  if (loop.first.Valid()) {
    // The first value is computed before the variable is known.
    const Home home = {Take(1), 1};
    ValueInto(loop.first, loop.var->type.of, home);
    homes_[loop.var.get()] = home;
  }
  const Home* var = Find(loop.var);
  if (var == nullptr) return;
  const Operand value = {var->cell, 1, loop.var->type.of};
  if (vector) Emit(&BeginVectorLoop);
  vector_loops_ += vector ? 1 : 0;
  const std::int64_t test = Here();
  const int mark = top_;
  const Operand last = Value(loop.last);
  const Operand goes_on = Combined(loop.below ? BinaryOp::Less : BinaryOp::LessEqual, value, last,
                                   Elementary::Bool, mark);
  const std::size_t end = EmitJump(&JumpUnless, goes_on.cell);
  top_ = mark;
  if (vector) Emit(&NextVectorTurn);
  loops_.push_back({{}, {}, !vector});
  WriteScope(loop.body);
  PatchToHere(loops_.back().continues);
  const Operand next = Combined(BinaryOp::Add, value, Value(loop.step), value.of, mark);
  Instruction& step = Emit(&Move);
  step.dest = value.cell;
  step.a = next.cell;
  top_ = mark;
  const std::size_t back = EmitJump(&Jump);
  code_.instructions[back].number = test;
  PatchToHere(loops_.back().breaks);
  PatchToHere({end});
  loops_.pop_back();
  vector_loops_ -= vector ? 1 : 0;
  if (vector) Emit(&EndVectorLoop);
}

void FunctionCompiler::Write(const WhileStmt& loop) {
  const std::int64_t test = Here();
  const int mark = top_;
  const Operand condition = ValueAs(loop.condition, Elementary::Bool, 1);
  top_ = mark;
  const std::size_t end = EmitJump(&JumpUnless, condition.cell);
  loops_.emplace_back();
  WriteScope(loop.body);
  for (const std::size_t jump : loops_.back().continues) code_.instructions[jump].number = test;
  const std::size_t back = EmitJump(&Jump);
  code_.instructions[back].number = test;
  PatchToHere(loops_.back().breaks);
  PatchToHere({end});
  loops_.pop_back();
}

void FunctionCompiler::Write(const IfStmt& branch) {
  const int mark = top_;
  const Operand condition = ValueAs(branch.condition, Elementary::Bool, 1);
  top_ = mark;
  const std::size_t otherwise = EmitJump(&JumpUnless, condition.cell);
  WriteScope(branch.then_block);
  if (branch.else_block.stmts.empty()) return PatchToHere({otherwise});
  const std::size_t end = EmitJump(&Jump);
  PatchToHere({otherwise});
  WriteScope(branch.else_block);
  PatchToHere({end});
}

void FunctionCompiler::Write(const JumpStmt& jump) {
  const std::size_t at = EmitJump(&Jump);
  if (jump.jump == kernel::Jump::Return) {
    for (const Loop& loop : loops_) {
      if (!loop.ordered) return Fail("a parallel or vector loop is left");
    }
    returns_.push_back(at);
    return;
  }
  if (loops_.empty()) return Fail("a jump without a loop");
  if (jump.jump == kernel::Jump::Continue) {
    loops_.back().continues.push_back(at);
  } else if (!loops_.back().ordered) {
    Fail("a parallel or vector loop is left");
  } else {
    loops_.back().breaks.push_back(at);
  }
}

Code Compile(const Function& function, const ExecuteOptions& options) {
  return FunctionCompiler(function, options).Run();
}

}  // namespace stencilgen::kernel::bytecode
