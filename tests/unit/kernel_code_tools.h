#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/code.h"
#include "kernel/execute.h"
#include "kernel/verify_code.h"

/// Functions built by hand, for tests of structured code.
namespace stencilgen::kernel::code_tools {

inline constexpr Type kDouble = {Elementary::Double};
inline constexpr Type kFloat = {Elementary::Float};

inline VarRef Value(std::string name, Type type = kIndex) {
  return MakeVar(std::move(name), type);
}
inline VarRef Global(std::string name, Type type = kDouble) {
  return MakeVar(std::move(name), type, Storage::Global);
}
inline VarRef Shared(std::string name, Type type = kDouble) {
  return MakeVar(std::move(name), type, Storage::Shared);
}
inline VarRef Registers(std::string name, int count, Type type = kDouble) {
  return MakeVar(std::move(name), type, Storage::Registers, count);
}
inline Argument In(const VarRef& var) {
  return {var, true, false};
}
inline Argument Out(const VarRef& var) {
  return {var, false, true};
}
inline Argument InOut(const VarRef& var) {
  return {var, true, true};
}

inline Expr Real(double value) {
  return Constant(kDouble, value);
}
inline Expr Thread(int axis = 0) {
  return GridPlace(PlaceExpr::What::Thread, axis, kIndex);
}
inline Expr BlockPlace(int axis = 0) {
  return GridPlace(PlaceExpr::What::Block, axis, kIndex);
}
inline Expr Less(const Expr& a, const Expr& b) {
  return Apply(BinaryOp::Less, a, b);
}
inline AssignStmt Set(Expr target, Expr value, AssignOp op = AssignOp::Assign) {
  return {std::move(target), op, std::move(value)};
}
inline ForStmt Loop(const VarRef& var, Expr first, Expr last, Block body,
                    LoopKind kind = LoopKind::Serial) {
  ForStmt loop;
  loop.var = var;
  loop.first = std::move(first);
  loop.last = std::move(last);
  loop.kind = kind;
  loop.body = std::move(body);
  if (kind == LoopKind::Parallel || kind == LoopKind::ParallelVector) loop.work = Number(1);
  return loop;
}
template <typename... Stmts>
Block Of(Stmts... stmts) {
  Block block;
  (block.Add(std::move(stmts)), ...);
  return block;
}

inline Function Host(std::vector<Argument> arguments, Block body) {
  Function function;
  function.name = std::string("f");
  function.arguments = std::move(arguments);
  function.body = std::move(body);
  return function;
}
inline Function Device(std::vector<Argument> arguments, Block body) {
  Function function = Host(std::move(arguments), std::move(body));
  function.target = Target::Device;
  function.threads = 64;
  return function;
}

/// What the verifier says first.
inline std::string Problem(const Function& function) {
  const std::vector<std::string> problems = Verify(function);
  return problems.empty() ? std::string() : problems.front();
}

inline Memory Doubles(std::vector<double> values) {
  return SetMemory(std::move(values));
}
inline const std::vector<double>& DoublesOf(const Memory& memory) {
  return std::get<std::vector<double>>(memory.values);
}

}  // namespace stencilgen::kernel::code_tools
