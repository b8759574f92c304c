#pragma once

#include <string>

#include "driver/code_options.h"
#include "lower/lower.h"

namespace stencilgen::testing {

/// The text of a plan's file.
inline std::string EmitCuda(const plan::Plan& plan, const driver::CodegenOptions& options) {
  return codegen::EmitCuda(lower::Lower(plan, options, kernel::Target::Device), options);
}
inline std::string EmitCpp(const plan::Plan& plan, const driver::CodegenOptions& options) {
  return codegen::EmitCpp(lower::Lower(plan, options, kernel::Target::Host), options);
}

}  // namespace stencilgen::testing
