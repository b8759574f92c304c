#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <clang-c/Index.h>

/// Arrays of C as they are declared: their extents, and what a list gives their elements.
namespace stencilgen::scop {

struct ArrayShape {
  std::vector<std::int64_t> extents;  ///< outermost first; empty where one is no number
  CXType element;
  bool is_constant = false;  ///< its elements are `const`
};
ArrayShape ShapeOf(CXType type);

/// The list of `double w[3] = {1.0, 2.0, 1.0};`.
std::optional<CXCursor> ListOf(CXCursor declaration);

struct ListedElement {
  std::vector<std::int64_t> place;  ///< its subscripts
  std::optional<CXCursor> value;    ///< empty: 0
};
/// What the list gives the elements of an array of those extents, in the order of memory. Nothing
/// where there are more than `most`, or a list is in another form.
std::optional<std::vector<ListedElement>> ListedElements(CXCursor list,
                                                         const std::vector<std::int64_t>& extents,
                                                         std::size_t most);

}  // namespace stencilgen::scop
