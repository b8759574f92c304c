#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "frontend/cpp_scanner.h"

namespace stencilgen::frontend {

/// Looks at the directives of a C++ file, in order, for the place before which definitions of ours
/// must not go: the headers of the standard library heed some macros, and what an include guard
/// guards must all be inside of it.
class LeadingDirectives {
 public:
  explicit LeadingDirectives(std::string_view text);

  void Add(const CppDirective& directive);

  /// The start of a line after a byte order mark, an include guard, `#pragma once`, and
  /// definitions of reserved names, conditional or not.
  std::size_t place() const { return place_; }

 private:
  void AddLeading(const CppDirective& directive);
  void AddDefinition(const CppDirective& directive, std::string_view name);
  void Accept(const CppDirective& directive);
  void Leave(const CppDirective& directive);

  std::size_t place_ = 0;
  std::string guard_;             ///< the name that the `#ifndef` just before asks for
  int depth_ = 0;                 ///< of the conditionals that are open
  int guard_depth_ = 0;           ///< depth_ inside of what may be an include guard
  std::size_t before_guard_ = 0;  ///< the place, should it be none
  std::size_t guard_end_ = 0;     ///< after its `#endif`
  bool guard_ended_ = false;      ///< no directive may follow
  bool pending_ = false;          ///< a definition waits for the end of its conditional
  bool finished_ = false;         ///< no directive can move the place any more
};

}  // namespace stencilgen::frontend
