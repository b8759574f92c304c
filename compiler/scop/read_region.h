#pragma once

#include <optional>
#include <vector>

#include <clang-c/Index.h>

#include "scop/c_region.h"
#include "support/diagnostics.h"

namespace stencilgen::scop {

/// The statements of a region, in the terms of c_region.h. `function`: what they stand in; `whole`:
/// the region's text. Reports each construct that no array assignment can mean, and leaves its
/// statement out: then the region is not `complete`.
Region ReadRegion(const std::vector<CXCursor>& statements, CXCursor function, Span whole,
                  Span begin, bool& complete, DiagnosticSink& sink);

}  // namespace stencilgen::scop
