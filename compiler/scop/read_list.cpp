#include "scop/read_list.h"

#include <algorithm>

#include "scop/cursor.h"

namespace stencilgen::scop {
namespace {

using Elements = std::vector<std::optional<CXCursor>>;

/// Sets what the list gives, and the lists in it, as far as there are `extents`, from the place
/// `begin` on. False where that is not known.
bool SetElements(CXCursor list, const std::vector<std::int64_t>& extents, std::size_t d,
                 std::size_t begin, Elements& elements) {
  std::size_t size = 1;  // of one element of the list
  for (std::size_t k = d + 1; k < extents.size(); ++k) size *= static_cast<std::size_t>(extents[k]);
  std::int64_t next = 0;
  for (CXCursor each : ChildrenOf(list)) {
    if (clang_isExpression(clang_getCursorKind(each)) == 0) return false;
    // `[2] = value` has the index beside the value; several of them are not told from a range.
    if (clang_getCursorKind(each) == CXCursor_UnexposedExpr) {
      const std::vector<CXCursor> parts = ChildrenOf(each);
      if (parts.size() > 2) return false;
      if (parts.size() == 2) {
        const auto index = IntegerValue(parts[0]);
        if (!index) return false;
        next = *index;
        each = parts[1];
      }
    }
    if (next < 0 || next >= extents[d]) return false;
    const std::size_t at = begin + static_cast<std::size_t>(next) * size;
    const bool inner = clang_getCursorKind(each) == CXCursor_InitListExpr;
    if (inner != (d + 1 < extents.size())) return false;
    ++next;
    if (inner) {
      // A second list for the same element begins anew.
      std::fill_n(elements.begin() + static_cast<std::ptrdiff_t>(at), size, std::nullopt);
      if (!SetElements(each, extents, d + 1, at, elements)) return false;
    } else {
      elements[at] = each;
    }
  }
  return true;
}

}  // namespace

ArrayShape ShapeOf(CXType type) {
  ArrayShape shape;
  CXType at = clang_getCanonicalType(type);
  // The canonical type has an element's `const` outside.
  shape.is_constant = clang_isConstQualifiedType(at) != 0;
  while (at.kind == CXType_ConstantArray) {
    shape.extents.push_back(clang_getArraySize(at));
    at = clang_getCanonicalType(clang_getArrayElementType(at));
  }
  const bool array = at.kind == CXType_VariableArray || at.kind == CXType_IncompleteArray;
  if (array) shape.extents.clear();
  shape.element = at;
  return shape;
}

std::optional<CXCursor> ListOf(CXCursor declaration) {
  for (const CXCursor child : ChildrenOf(declaration)) {
    if (clang_getCursorKind(child) == CXCursor_InitListExpr) return child;
  }
  return std::nullopt;
}

std::optional<std::vector<ListedElement>> ListedElements(CXCursor list,
                                                         const std::vector<std::int64_t>& extents,
                                                         std::size_t most) {
  std::size_t size = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 1 || static_cast<std::size_t>(extent) > most / size) return std::nullopt;
    size *= static_cast<std::size_t>(extent);
  }
  if (extents.empty()) return std::nullopt;
  Elements elements(size);
  if (!SetElements(list, extents, 0, 0, elements)) return std::nullopt;
  std::vector<ListedElement> listed;
  listed.reserve(size);
  std::vector<std::int64_t> place(extents.size(), 0);
  for (const std::optional<CXCursor>& value : elements) {
    listed.push_back({place, value});
    for (std::size_t d = extents.size(); d-- > 0 && ++place[d] == extents[d];) place[d] = 0;
  }
  return listed;
}

}  // namespace stencilgen::scop
