#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/code.h"
#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cpp {

/// The functions of a kernel, and the call of the last of them, which computes all of it.
struct LoweredNest {
  std::vector<kernel::Function> functions;
  kernel::CallStmt call;
};

/// Elements as the loop nests of this target have them: `u[c + 1]`.
OperatorStyle NestStyle(const ProgramModel& model);

/// What a function of the kernel takes from the program: arrays, scalars, parameters that the code
/// has used so far.
std::vector<kernel::Argument> NestArguments(const ProgramModel& model, const OperatorCode& code);

/// Which points a function of a kernel computes: all of them, shared by threads; or a box of them,
/// whose ends are arguments, by the calling thread.
enum class NestPoints { All, Box };

/// What the function is called.
std::string NestName(const ProgramModel& model, plan::KernelId kernel, NestPoints points);

/// The first and the last value of each iterator, outermost first.
struct NestBounds {
  std::vector<kernel::VarRef> lo, hi;
};
/// Declares them, but for those of a box, which are arguments; leaves the function where the
/// domain's guards fail.
NestBounds LowerBounds(kernel::Block& block, const graph::Operator& op, OperatorCode& code,
                       NestPoints points);

/// `Min(a, b)` and `Max(a, b)` of positions.
kernel::Expr Smaller(const kernel::Expr& a, const kernel::Expr& b);
kernel::Expr Greater(const kernel::Expr& a, const kernel::Expr& b);

/// `(j_hi - j_lo + 1) * (i_hi - i_lo + 1)`.
kernel::Expr PointsOf(const NestBounds& bounds);

/// The loop over a dimension's points, in steps.
kernel::ForStmt LoopOver(const kernel::VarRef& var, const NestBounds& bounds, std::size_t n,
                         std::int64_t step = 1);
/// The same in parallel, on the threads of the nest. `vectors`: where it is the only loop.
kernel::ForStmt InParallel(kernel::ForStmt loop, const plan::LoopNest& nest,
                           const NestBounds& bounds, bool vectors);

/// The kernel's nest; a plain one where the plan has none.
plan::LoopNest NestOf(const ProgramModel& model, plan::KernelId kernel);

/// The rows of a tile along the n-th iterator that caches hold. Requires: the nest's tiles there
/// are plan::kTileByCache.
kernel::Expr FittingRows(const plan::LoopNest& nest, const NestBounds& bounds, std::size_t n);

/// Opens loops over the tiles of the nest around what `lower` makes with the bounds of a tile.
void LowerTiles(kernel::Block& block, const plan::LoopNest& nest, OperatorCode& code,
                NestBounds& bounds, const std::function<void(kernel::Block&)>& lower);

/// The kernel's function with that body, below a comment with the stencils and the statements.
kernel::Function NestFunction(const ProgramModel& model, plan::KernelId kernel,
                              const OperatorCode& code, kernel::Block body);
/// The function of a box; `bounds`: its last arguments, lo and hi of each iterator.
kernel::Function BoxFunction(const ProgramModel& model, plan::KernelId kernel,
                             const OperatorCode& code, const NestBounds& bounds,
                             kernel::Block body);
/// The functions, and a call of the last one with variables of its arguments' names.
LoweredNest CalledNest(std::vector<kernel::Function> functions);

}  // namespace stencilgen::lower::cpp
