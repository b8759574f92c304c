#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <clang-c/Index.h>

#include "scop/c_region.h"
#include "support/source.h"

/// libclang's cursors, in the project's own terms.
namespace stencilgen::scop {

/// The text, which is released.
std::string TakeString(CXString text);

std::vector<CXCursor> ChildrenOf(CXCursor cursor);

/// True where `holds` does for some cursor below it.
bool AnyBelow(CXCursor cursor, const std::function<bool(CXCursor)>& holds);

/// `u` of the call `u.size()`; empty where it calls no member, or one of `this` that is not
/// written.
std::optional<CXCursor> MemberObject(CXCursor call);

/// The place of a cursor in the main file, where a macro's use stands for what it expands to.
/// Empty for what stands in another file.
std::optional<Span> PlaceOf(CXCursor cursor);

/// Without parentheses and conversions that are not written.
CXCursor Unwrap(CXCursor cursor);

CType TypeOf(CXType type);

/// The format of a narrow number that stencil programs have; Plain of other types.
ElementFormat FormatOf(CXType type);

/// std::vector, array, span or unique_ptr of an array, whose elements lie one after the other.
struct Container {
  CXType element;
  std::string data;          ///< what follows its name to point to the first of them
  bool is_constant = false;  ///< they are
};
std::optional<Container> ContainerOf(CXType type);

bool IsReference(CXType type);

/// The name of a type as the user wrote it.
std::string TypeText(CXType type);

/// Tells variables apart: the name, and which of those that have it.
std::string DeclarationKey(CXCursor declaration);

/// `+` of `+=`, none of `=`; empty where it is another operator, or one of bits that moves or flips
/// them.
std::optional<std::optional<BinaryOp>> UpdateOf(CXCursor assignment);

/// The value of a constant integer expression.
std::optional<std::int64_t> IntegerValue(CXCursor cursor);
std::optional<double> FloatingValue(CXCursor cursor);

}  // namespace stencilgen::scop
