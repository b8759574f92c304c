#pragma once

#include <cstddef>
#include <vector>

#include "frontend/cpp_scanner.h"
#include "frontend/embedded_blocks.h"
#include "support/diagnostics.h"

namespace stencilgen::frontend {

/// The arguments of `#pragma dsl begin`, which follow in `directive.rest` from `begin` on:
/// `name:value` or `name`, separated by blanks. Blanks beside colons, commas, equals signs and
/// dashes separate nothing, since formatters of C++ put some there. Reports arguments of another
/// form, and names given twice; never throws.
std::vector<BlockArgument> ReadPragmaArguments(const CppDirective& directive, std::size_t begin,
                                               DiagnosticSink& sink);

}  // namespace stencilgen::frontend
