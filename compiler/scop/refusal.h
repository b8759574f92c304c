#pragma once

#include <string>

#include <clang-c/Index.h>

namespace stencilgen::scop {

/// What a statement that is refused is called, and what would help.
struct Refusal {
  std::string what, hint;
};
Refusal RefusalOf(CXCursorKind statement);

}  // namespace stencilgen::scop
