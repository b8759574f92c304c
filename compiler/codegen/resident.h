#pragma once

#include <string>

#include "codegen/codegen.h"

namespace stencilgen::codegen {

/// C++: lets arrays have the memory that their results are in, where nobody knows where they were.
std::string ResidentTakeOver(const kernel::Module& module);

/// What keeps a program's arrays where it computes, between its runs: NAME_arrays and the C
/// functions NAME_arrays_create, _destroy, _upload, _download, _bind, _pointer, _shape, _run,
/// _wait. Definitions, for the end of the emitted file. Inputs and outputs are numbered from 0,
/// scratch follows. `results` brings a run's results home, from `program` to variables named like
/// arrays.
std::string ResidentDefinitions(const kernel::Module& module, const FileOptions& options,
                                const std::string& results);

/// Their declarations for a header in C, with the numbers of the arrays.
std::string ResidentDeclarations(const kernel::Module& module, const FileOptions& options);

/// The class NAME_Program around them, for C++.
std::string ResidentClass(const kernel::Module& module, const FileOptions& options);

}  // namespace stencilgen::codegen
