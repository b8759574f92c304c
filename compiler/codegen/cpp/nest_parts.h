#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/operator_code.h"
#include "codegen/program_model.h"
#include "support/code_writer.h"

namespace stencilgen::codegen::cpp {

/// Elements as the loop nests of this target write them: `u[c + 1]`.
OperatorStyle NestStyle(const ProgramModel& model);

/// What a function of the kernel takes from the program: arrays, scalars, parameters that the code
/// has used so far.
std::vector<std::string> NestParameters(const ProgramModel& model, const OperatorCode& code);
/// The same as arguments.
std::vector<std::string> NestArguments(const ProgramModel& model, const OperatorCode& code);

/// Names of the first and the last value of each iterator, outermost first.
struct NestBounds {
  std::vector<std::string> lo, hi;
};
/// Declares them; leaves the function where the domain's guards fail.
NestBounds PrintBounds(CodeWriter& writer, const graph::Operator& op, OperatorCode& code);

/// `(j_hi - j_lo + 1) * (i_hi - i_lo + 1)`.
std::string PointsText(const NestBounds& bounds);

/// Opens loops over the tiles that the options ask for around what `print` writes with the bounds
/// of a tile.
void PrintTiles(CodeWriter& writer, const ProgramModel& model, const graph::Operator& op,
                OperatorCode& code, NestBounds& bounds, const std::function<void()>& print);

/// The line before the parallel loop: `STENCILGEN_PARALLEL_FOR(points)`; `simd`: where it is the
/// only loop.
std::string ParallelText(const ProgramModel& model, const NestBounds& bounds, bool simd);

/// The kernel's function with that body, below a comment with the stencils and the statements.
void PrintNest(CodeWriter& writer, const ProgramModel& model, plan::KernelId kernel,
               const OperatorCode& code, const std::string& body);
/// The call of it.
std::string NestCall(const ProgramModel& model, plan::KernelId kernel, const OperatorCode& code);

}  // namespace stencilgen::codegen::cpp
