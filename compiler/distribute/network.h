#pragma once

#include <optional>
#include <vector>

#include "graph/interpret.h"

namespace stencilgen::distribute {

struct Network {
  double latency = 2e-6;           ///< seconds from a message's start to its end, beside its bytes
  double bytes_per_second = 25e9;  ///< of a rank, to all others
};

/// The ranks of a run, as far as they are known before it.
struct RanksSetting {
  graph::ParameterValues sizes;
  int ranks = 1;
  std::vector<int> wanted = {};  ///< along each axis, 0: any number; empty: all are any
  bool weak = false;             ///< each rank has the points that the sizes say, else all together
  Network network = {};
};

}  // namespace stencilgen::distribute
