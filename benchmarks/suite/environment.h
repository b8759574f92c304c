#pragma once

#include "suite/machine.h"
#include "suite/options.h"

namespace stencilgen::suite {

/// Commit and whether files differ from it; null outside a repository.
Json DescribeRevision();

/// Path, version and flags of each compiler there is.
Json DescribeCompilers();

/// Date and time in UTC, as 2026-01-31T12:00:00Z.
std::string Now();

/// Output and seconds of the programs that measure the compiler itself.
Json MeasureCompiler();

/// Mean seconds of each test that ctest has run in the build folder; null where there is none.
Json DescribeTests();

}  // namespace stencilgen::suite
