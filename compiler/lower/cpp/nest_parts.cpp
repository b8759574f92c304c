#include "lower/cpp/nest_parts.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "kernel/parts.h"
#include "lower/domain_bounds.h"
#include "lower/source_comments.h"

namespace stencilgen::lower::cpp {

using kernel::Block;
using kernel::Expr;
using kernel::Number;
using kernel::Read;

Expr Smaller(const Expr& a, const Expr& b) {
  return kernel::Call(Function::Min, kernel::kIndex, {a, b});
}
Expr Greater(const Expr& a, const Expr& b) {
  return kernel::Call(Function::Max, kernel::kIndex, {a, b});
}

OperatorStyle NestStyle(const ProgramModel& model) {
  OperatorStyle style;
  style.always_loads = true;
  style.element = [&model](plan::BufferId buffer, const Expr& position) {
    return kernel::ElementAt(model.Var(buffer), position);
  };
  return style;
}

std::vector<kernel::Argument> NestArguments(const ProgramModel& model, const OperatorCode& code) {
  std::vector<kernel::Argument> arguments;
  for (const auto& [buffer, use] : code.buffers()) {
    arguments.push_back({model.Var(buffer), use.read, use.written});
  }
  for (int scalar : code.scalars()) arguments.push_back({model.ScalarVar(scalar), true});
  for (graph::ParameterId id : code.parameters()) arguments.push_back({model.Var(id), true});
  return arguments;
}

std::string NestName(const ProgramModel& model, plan::KernelId kernel, NestPoints points) {
  return points == NestPoints::All ? model.Name(kernel) : model.BoxName(kernel);
}

NestBounds LowerBounds(Block& block, const graph::Operator& op, OperatorCode& code,
                       NestPoints points) {
  const auto form = [&](const graph::LinearForm& linear) { return code.Form(linear); };
  const Expr guards = GuardOf(op.domain, form);
  if (guards.Valid()) {
    kernel::IfStmt leave{kernel::Apply(UnaryOp::Not, guards), {}, {}};
    leave.then_block.Add(kernel::JumpStmt{kernel::Jump::Return});
    block.Add(std::move(leave));
  }
  NestBounds bounds;
  for (std::size_t n = 0; n < op.iterators.size(); ++n) {
    const graph::Interval& interval = op.domain.intervals[n];
    const auto end = [&](std::string_view name) {
      return kernel::MakeVar(code.Claim(fmt::format("{}_{}", code.IteratorName(n), name)),
                             kernel::kIndex);
    };
    bounds.lo.push_back(end("lo"));
    bounds.hi.push_back(end("hi"));
    if (points == NestPoints::Box) continue;
    block.Add(kernel::LetStmt{bounds.lo[n], LowerOf(interval, form)});
    block.Add(kernel::LetStmt{bounds.hi[n], UpperOf(interval, form)});
  }
  return bounds;
}

Expr PointsOf(const NestBounds& bounds) {
  Expr points = Number(1);
  for (std::size_t d = 0; d < bounds.lo.size(); ++d) {
    points = points * (Read(bounds.hi[d]) - Read(bounds.lo[d]) + Number(1));
  }
  return points;
}

kernel::ForStmt LoopOver(const kernel::VarRef& var, const NestBounds& bounds, std::size_t n,
                         std::int64_t step) {
  kernel::ForStmt loop;
  loop.var = var;
  loop.first = Read(bounds.lo[n]);
  loop.last = Read(bounds.hi[n]);
  loop.step = Number(step);
  return loop;
}

kernel::ForStmt InParallel(kernel::ForStmt loop, const plan::LoopNest& nest,
                           const NestBounds& bounds, bool vectors) {
  loop.kind = vectors ? kernel::LoopKind::ParallelVector : kernel::LoopKind::Parallel;
  loop.work = PointsOf(bounds);
  loop.threads = nest.threads;
  return loop;
}

namespace {

Expr ExtentOf(const NestBounds& bounds, std::size_t n) {
  return Read(bounds.hi[n]) - Read(bounds.lo[n]) + Number(1);
}

}  // namespace

Expr FittingRows(const plan::LoopNest& nest, const NestBounds& bounds, std::size_t n) {
  const Expr row = ExtentOf(bounds, bounds.lo.size() - 1);
  return kernel::Call(kernel::Routine::TileRows, kernel::kIndex,
                      {ExtentOf(bounds, n), Number(nest.row_bytes) * row,
                       Number(nest.rim_bytes) * row, Number(nest.planes)});
}

namespace {

void LowerTilesFrom(std::size_t n, Block& block, const plan::LoopNest& nest, OperatorCode& code,
                    NestBounds& bounds, const std::function<void(Block&)>& lower) {
  if (n >= nest.tile.size()) return lower(block);
  if (nest.tile[n] == 0) return LowerTilesFrom(n + 1, block, nest, code, bounds, lower);
  const kernel::VarRef first =
      kernel::MakeVar(code.Claim(fmt::format("{}_tile", code.IteratorName(n))), kernel::kIndex);
  const kernel::VarRef last =
      kernel::MakeVar(code.Claim(fmt::format("{}_tile_hi", code.IteratorName(n))), kernel::kIndex);
  kernel::ForStmt loop = LoopOver(first, bounds, n, nest.tile[n]);
  Expr end = Read(first) + Number(nest.tile[n] - 1);
  if (nest.tile[n] == plan::kTileByCache) {
    const kernel::VarRef rows = kernel::MakeVar(
        code.Claim(fmt::format("{}_tile_rows", code.IteratorName(n))), kernel::kIndex);
    block.Add(kernel::LetStmt{rows, FittingRows(nest, bounds, n)});
    loop.step = Read(rows);
    end = Read(first) + Read(rows) - Number(1);
  }
  loop.body.Add(kernel::LetStmt{last, Smaller(end, Read(bounds.hi[n]))});
  bounds.lo[n] = first;
  bounds.hi[n] = last;
  LowerTilesFrom(n + 1, loop.body, nest, code, bounds, lower);
  block.Add(std::move(loop));
}

}  // namespace

plan::LoopNest NestOf(const ProgramModel& model, plan::KernelId kernel) {
  const plan::Kernel& planned = model.plan().kernels[kernel];
  return planned.nest ? *planned.nest : plan::PlainNest(model.OperatorOf(kernel).iterators.size());
}

void LowerTiles(Block& block, const plan::LoopNest& nest, OperatorCode& code, NestBounds& bounds,
                const std::function<void(Block&)>& lower) {
  LowerTilesFrom(1, block, nest, code, bounds, lower);
}

kernel::Function NestFunction(const ProgramModel& model, plan::KernelId kernel,
                              const OperatorCode& code, Block body) {
  kernel::Function function;
  function.name = model.Name(kernel);
  for (const graph::Operator* op : model.OperatorsOf(kernel)) {
    function.comments.push_back(StencilComment(model.options(), *op));
  }
  function.body = std::move(body);
  // Without sizes that only ends of the domain depend on which it does not compute.
  const std::set<const kernel::Var*> named = kernel::NamedIn(function.body);
  for (kernel::Argument& argument : NestArguments(model, code)) {
    const bool value = argument.var->storage == kernel::Storage::Value;
    if (!value || named.count(argument.var.get()) > 0) function.arguments.push_back(argument);
  }
  return function;
}

kernel::Function BoxFunction(const ProgramModel& model, plan::KernelId kernel,
                             const OperatorCode& code, const NestBounds& bounds, Block body) {
  kernel::Function function = NestFunction(model, kernel, code, std::move(body));
  function.name = NestName(model, kernel, NestPoints::Box);
  function.comments = {fmt::format("The points of {} in a box.", model.Name(kernel))};
  for (std::size_t n = 0; n < bounds.lo.size(); ++n) {
    function.arguments.push_back({bounds.lo[n], true});
    function.arguments.push_back({bounds.hi[n], true});
  }
  return function;
}

LoweredNest CalledNest(std::vector<kernel::Function> functions) {
  kernel::CallStmt call{functions.back().name, {}};
  for (const kernel::Argument& argument : functions.back().arguments) {
    call.arguments.push_back(Read(argument.var));
  }
  return {std::move(functions), std::move(call)};
}

}  // namespace stencilgen::lower::cpp
