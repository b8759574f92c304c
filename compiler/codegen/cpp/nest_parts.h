#pragma once

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

/// The comment above the function: the stencil and the statement.
std::string NestComment(const ProgramModel& model, const graph::Operator& op);

}  // namespace stencilgen::codegen::cpp
