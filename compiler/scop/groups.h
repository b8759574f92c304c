#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scop/runs.h"

namespace stencilgen::scop {

/// A statement of a stencil that assigns to an array or takes a reduction.
struct WrittenStatement {
  std::size_t step = 0;
  std::string place;     ///< the indices of its target, as text
  std::string domain;    ///< its own, as text; empty where it has none
  bool updates = false;  ///< its value depends on the old one of its target
};

/// The statements of one stencil, in order.
struct WrittenStencil {
  const Run* run = nullptr;
  std::vector<WrittenStatement> statements;
};

/// In the language a statement runs where all that it reads exists, and so do those that update one
/// array together (grammar/README.md, updates belong together). C chooses by conditions what it
/// reads: `v = i < n - 1 ? u[i+1] : v` and `v = i > 0 ? u[i-1] : v` have no point in common where
/// there is one. Makes each statement compute all points that C computes: sizes for which it would
/// not are left to the region's own code where these are small, and else what it reads gets a
/// boundary mode, since no value beyond the edges is chosen.
/// Requires: everything has been written but declarations.
void CompleteGroups(Writing& writing, const std::vector<WrittenStencil>& stencils);

}  // namespace stencilgen::scop
