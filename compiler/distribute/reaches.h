#pragma once

#include <algorithm>
#include <map>

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// The larger one by axis and side. Requires: they are of one grid.
inline Reaches Most(Reaches a, const Reaches& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = {std::max(a[k].lo, b[k].lo), std::max(a[k].hi, b[k].hi)};
  }
  return a;
}

/// The smaller one by axis and side. Requires: they are of one grid.
inline Reaches Least(Reaches a, const Reaches& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = {std::min(a[k].lo, b[k].lo), std::min(a[k].hi, b[k].hi)};
  }
  return a;
}

/// Makes what is kept for the key at least as much.
template <typename Key>
void Raise(std::map<Key, Reaches>& reaches, Key key, const Reaches& by) {
  const auto [at, is_new] = reaches.try_emplace(key, by);
  if (!is_new) at->second = Most(std::move(at->second), by);
}

}  // namespace stencilgen::distribute
