#pragma once

#include <string>

#include "codegen/codegen.h"
#include "kernel/module.h"
#include "lower/options.h"
#include "plan/plan.h"

namespace stencilgen::driver {

/// How a plan becomes code, and what the file says beside it.
struct CodegenOptions : lower::Options, codegen::FileOptions {};

/// The straight-line code of each kernel, before and after it is reordered, with the most values
/// that live at once, of a tile's operators beside the planes that it holds; of C++ code, what is
/// computed in vectors; and its structured code, as the printers of files get it. Requires: as
/// lowering.
std::string PrintKernels(const plan::Plan& plan, const CodegenOptions& options,
                         kernel::Target target);

}  // namespace stencilgen::driver
