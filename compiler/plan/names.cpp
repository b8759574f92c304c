#include "plan/names.h"

#include <fmt/format.h>

namespace stencilgen::plan {

std::string NameTable::Unique(const std::string& base) {
  if (used_.insert(base).second) return base;
  int& suffix = last_.try_emplace(base, 1).first->second;
  for (;;) {
    std::string name = fmt::format("{}_{}", base, ++suffix);
    if (used_.insert(name).second) return name;
  }
}

}  // namespace stencilgen::plan
