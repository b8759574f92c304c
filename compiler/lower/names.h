#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace stencilgen::lower {

/// Names of one scope of generated code. The programs' own names are kept wherever C++, CUDA, the
/// runtime and the enclosing scope leave them free.
class NameScope {
 public:
  explicit NameScope(const NameScope* parent = nullptr) : parent_(parent) {}

  /// `wish`, or else `wish_`, `wish_2`, `wish_3`, ...: the first that is free here. It is taken
  /// from now on.
  std::string Claim(std::string_view wish);

 private:
  bool IsTaken(std::string_view name) const;

  const NameScope* parent_;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, int, std::less<>> last_;  ///< by wish: the last suffix tried
};

}  // namespace stencilgen::lower
