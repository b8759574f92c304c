// Containers: ExprReader's part for what stands for a std::vector, array, span or unique_ptr.
#include <algorithm>

#include "scop/cursor.h"
#include "scop/evaluate.h"
#include "scop/read_expr.h"

namespace stencilgen::scop {
namespace {

/// `u` of `u.size()`, where the member, which takes no arguments, is called so.
std::optional<CXCursor> ObjectOfMember(CXCursor call, const std::string& member) {
  if (clang_getCursorKind(call) != CXCursor_CallExpr || clang_Cursor_getNumArguments(call) != 0 ||
      TakeString(clang_getCursorSpelling(call)) != member) {
    return std::nullopt;
  }
  const auto object = MemberObject(call);
  const bool container = object && ContainerOf(clang_getCursorType(Unwrap(*object)));
  return container ? object : std::nullopt;
}

}  // namespace

std::optional<CXCursor> SubscriptedContainer(CXCursor call) {
  if (clang_Cursor_getNumArguments(call) != 2) return std::nullopt;
  if (TakeString(clang_getCursorSpelling(call)) != "operator[]") return std::nullopt;
  const CXCursor object = clang_Cursor_getArgument(call, 0);
  if (!ContainerOf(clang_getCursorType(Unwrap(object)))) return std::nullopt;
  return object;
}

std::optional<std::optional<ExprId>> ExprReader::ReadSize(CXCursor call, Span span) {
  const auto object = ObjectOfMember(call, "size");
  if (!object) return std::nullopt;
  const auto array = Named(*object);
  if (!array) return std::optional<ExprId>();
  return std::optional(SizeOf(*array, span));
}

ExprId ExprReader::SizeOf(VariableId array, Span span) {
  const std::string text = region_.variables[array].text + ".size()";
  const auto [known, is_new] = known_.try_emplace(text);
  if (is_new) {
    Variable size;
    size.name = NewName(text);
    size.text = text;
    size.used = span;
    size.type = CType::Unsigned;
    size.is_size = true;
    known->second = region_.variables.Add(std::move(size));
  }
  return Add({Use{*known->second}, CType::Unsigned, span});
}

void ExprReader::CompareSizes() {
  const bool named = std::any_of(region_.variables.begin(), region_.variables.end(),
                                 [](const Variable& each) { return each.is_size; });
  for (const Statement& statement : region_.statements) {
    const auto* swap = std::get_if<Swap>(&statement.node);
    if (!named || swap == nullptr || region_.variables[swap->first].data != ".data()" ||
        region_.variables[swap->second].data != ".data()") {
      continue;
    }
    const ExprId size = SizeOf(swap->first, statement.span);
    region_.equal_sizes.emplace_back(size, SizeOf(swap->second, statement.span));
  }
}

std::optional<std::optional<VariableId>> ExprReader::NamedByFirst(CXCursor cursor) {
  for (const char* member : {"data", "get"}) {
    if (const auto object = ObjectOfMember(cursor, member)) return Named(*object);
  }
  if (clang_getCursorKind(cursor) != CXCursor_UnaryOperator ||
      clang_getCursorUnaryOperatorKind(cursor) != CXUnaryOperator_AddrOf) {
    return std::nullopt;
  }
  const auto place = ReadPlace(ChildrenOf(cursor)[0]);
  if (!place) return std::optional<VariableId>();
  const bool first = place->subscripts.size() == 1 &&
                     region_.variables[place->variable].extents.size() == 1 &&
                     Evaluate(region_, place->subscripts[0], {}) == 0;
  if (!first) return std::nullopt;
  return std::optional(place->variable);
}

}  // namespace stencilgen::scop
