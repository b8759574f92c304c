#pragma once

#include <cstddef>
#include <vector>

#include "frontend/cpp_scanner.h"
#include "frontend/embedded_blocks.h"
#include "support/diagnostics.h"

namespace stencilgen::frontend {

/// The arguments of `#pragma dsl begin`, which follow `directive.rest` from `begin` on:
/// `name:value` or `name`, separated by blanks; blanks may follow a colon and a comma. Reports
/// those of another form, and names given twice; never throws.
std::vector<BlockArgument> ReadPragmaArguments(const CppDirective& directive, std::size_t begin,
                                               DiagnosticSink& sink);

}  // namespace stencilgen::frontend
