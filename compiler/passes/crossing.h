#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::passes {

/// What becomes of a value that operators of several kernels use at their own points: each computes
/// it, or one does and stores it, whichever a value has the less of (see CrossingRule).
enum class Crossing : std::uint8_t { Recompute, Store, Cheaper };
/// `recompute`, `store`, `cheaper`.
std::string_view ToString(Crossing crossing);

struct CrossingRule {
  Crossing crossing = Crossing::Cheaper;
  /// The flops in which a GPU moves one byte: what Cheaper weighs them by.
  double flops_per_byte = 6;

  /// `flops`: a point, that storing saves; `bytes`: a point, that it moves.
  bool Stores(double flops, double bytes) const;
};

/// A value that crosses from one kernel to others.
struct CrossingValue {
  std::string name;        ///< of the let or the array
  bool stored = false;     ///< else each kernel computes it
  int kernels = 0;         ///< that use it
  std::int64_t flops = 0;  ///< of one computation of it at a point
};

/// Operators of a region that follow each other, in parts: each is to be a kernel.
struct Stretch {
  graph::RegionId region;
  std::vector<std::vector<graph::NodeId>> parts;  ///< in graph order
};

}  // namespace stencilgen::passes
