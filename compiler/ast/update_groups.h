#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace stencilgen::ast {

/// A statement of a stencil, as far as it decides with which others it belongs together.
struct GroupMember {
  std::uint32_t target = 0;    ///< the array or scalar that it assigns to, as a number
  bool update = false;         ///< compound, or its value depends on the old one
  bool with_previous = false;  ///< it is the second of a pair (ast::Assignment::with_next)
  bool with_next = false;      ///< it is the first of one
};

/// The language's rule that updates belong together (grammar/README.md): an assignment and the
/// updates of the same array or scalar that follow it share a group where `joins(update, first)`:
/// both write the same elements, and the update has no domain of its own or that of the group's
/// first statement. So do the two of a pair. By statement the number of its group, -1 where it is
/// in none.
std::vector<int> FindUpdateGroups(const std::vector<GroupMember>& statements,
                                  const std::function<bool(std::size_t, std::size_t)>& joins);

}  // namespace stencilgen::ast
