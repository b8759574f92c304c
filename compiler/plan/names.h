#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace stencilgen::plan {

/// Hands out names that differ from each other and from those reserved.
class NameTable {
 public:
  void Reserve(std::string_view name) { used_.emplace(name); }
  /// `base`, or else `base_2`, `base_3`, ...: the first that is free.
  std::string Unique(const std::string& base);

 private:
  std::set<std::string, std::less<>> used_;
  std::map<std::string, int, std::less<>> last_;  ///< by base: the last suffix given
};

}  // namespace stencilgen::plan
