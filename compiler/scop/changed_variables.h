#pragma once

#include <clang-c/Index.h>

namespace stencilgen::scop {

/// True where an assignment in the function may change the variable, or a member of it that is no
/// other object: `x = ..`, `x.n += ..`, `x++`, and what may by its address, `&x` and `swap(x, y)`.
bool IsChangedIn(CXCursor function, CXCursor variable);

/// True of a lambda that keeps copies of what it names, as by `[=]` and `[n]`. `call_operator`: the
/// member that is called.
bool KeepsCopies(CXCursor function, CXCursor call_operator);

}  // namespace stencilgen::scop
