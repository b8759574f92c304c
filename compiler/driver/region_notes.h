#pragma once

#include <string>

#include "scop/read_scops.h"
#include "support/source.h"

/// What is said about regions of C that are good, a line each.
namespace stencilgen::driver {

/// What has been assumed of pointers; empty where nothing has. `begin` is the region's directive.
std::string PointerNote(const SourceFile& source, Span begin, const scop::ScopProgram& region);

/// What is computed and not used, for those who ask how a region runs.
std::string ChoiceNotes(const SourceFile& source, const scop::ScopProgram& region);

}  // namespace stencilgen::driver
