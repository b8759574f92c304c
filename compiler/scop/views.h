#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scop/model.h"

namespace stencilgen::scop {

struct Writing;

/// The arrays of the program that one array of the region is. Outer dimensions in which each access
/// is a number, or the turn of a loop modulo their extent, say which: `A[t % 2][i]` is `A_0[i]` or
/// `A_1[i]`, which exchange their contents at the end of each turn.
struct ArrayViews {
  std::size_t dropped = 0;  ///< outer dimensions
  std::vector<std::string>
      names;  ///< by number of the part; the array's own where nothing is dropped
  std::vector<std::string> bindings;  ///< what the parts are in C
  std::optional<StatementId> turns;   ///< the loop whose turns exchange the parts
};

/// Finds the parts of all arrays. Reports arrays of too many dimensions.
/// Requires: extents are known.
void FindViews(Writing& writing);

/// The part that an access is of.
std::size_t PartOf(const Writing& writing, const Step& step, const Access& access);

}  // namespace stencilgen::scop
