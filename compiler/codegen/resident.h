#pragma once

#include <string>

#include "codegen/program_model.h"

namespace stencilgen::codegen {

/// C++: lets arrays have the memory that their results are in, where nobody knows where they were.
std::string ResidentTakeOver(const ProgramModel& model);

/// What keeps a program's arrays where it computes, between its runs: NAME_arrays and the C
/// functions NAME_arrays_create, _destroy, _upload, _download, _bind, _pointer, _shape, _run,
/// _wait. Definitions, for the end of the emitted file. Inputs and outputs are numbered from 0,
/// scratch follows. `results` brings a run's results home, from `program` to variables named like
/// arrays.
std::string ResidentDefinitions(const ProgramModel& model, bool cuda, const std::string& results);

/// Their declarations for a header in C, with the numbers of the arrays.
std::string ResidentDeclarations(const ProgramModel& model, bool cuda);

/// The class NAME_Program around them, for C++.
std::string ResidentClass(const ProgramModel& model, bool cuda);

}  // namespace stencilgen::codegen
