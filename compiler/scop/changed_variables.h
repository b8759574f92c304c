#pragma once

#include <optional>
#include <set>
#include <string>

#include <clang-c/Index.h>

namespace stencilgen::scop {

/// True where an assignment in the function may change the variable, or a member of it that is no
/// other object: `x = ..`, `x.n += ..`, `x++`, and what may by its address, `&x` and `swap(x, y)`.
bool IsChangedIn(CXCursor function, CXCursor variable);

/// True where the function, or what it is bound to by a reference, may change the variable.
bool MayChangeIn(CXCursor function, CXCursor variable);

/// True where an assignment in the function sets a member of some object, and no element.
bool SetsMember(CXCursor function);

/// How a lambda has the variables of its function that it names.
struct Captures {
  bool copies_others = false;        ///< those that it does not list: `[=]`
  std::set<std::string> copies;      ///< `[n]`
  std::set<std::string> references;  ///< `[&u]`

  bool Copies(const std::string& name) const {
    return copies.count(name) > 0 || (copies_others && references.count(name) == 0);
  }
};
/// `call_operator`: the member of it that is called. Empty where it has variables of its own, as
/// `[n = 2*m]`, or is not the function's.
std::optional<Captures> CapturesOf(CXCursor function, CXCursor call_operator);

}  // namespace stencilgen::scop
