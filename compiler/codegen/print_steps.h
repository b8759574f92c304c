#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/module.h"
#include "support/code_writer.h"

namespace stencilgen::codegen {

/// How a target writes the steps that it does in its own way.
struct StepStyle {
  std::function<void(CodeWriter&, std::size_t kernel)> launch;
  /// Arguments without stream.
  std::function<void(CodeWriter&, const std::string& function,
                     const std::vector<std::string>& arguments)>
      copy;
  /// Null where the host reads the program's memory by itself.
  std::function<void(CodeWriter&, const kernel::ReadStep&)> read;
};

/// The module's steps as statements of a member function of Program.
std::string StepStatements(const kernel::Module& module, const StepStyle& style);

}  // namespace stencilgen::codegen
