#pragma once

#include <cstdint>

#include <clang-c/Index.h>

namespace stencilgen::scop {

/// True where an assignment in the function may change the variable, or a member of it that is no
/// other object: `x = ..`, `x.n += ..`, `x++`, and what may by its address, `&x` and `swap(x, y)`.
bool IsChangedIn(CXCursor function, CXCursor variable);

/// True where the function, or what it is bound to by a reference, may change the variable.
bool MayChangeIn(CXCursor function, CXCursor variable);

/// True where an assignment in the function sets a member of some object, and no element.
bool SetsMember(CXCursor function);

/// How a lambda has what it names.
enum class Captures : std::uint8_t {
  References,  ///< `[&]`
  Copies,      ///< `[=]`, `[n]`
  Other        ///< `[n = 2*m]`, or not known
};
/// `call_operator`: the member of it that is called.
Captures CapturesOf(CXCursor function, CXCursor call_operator);

}  // namespace stencilgen::scop
