#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "machine/gpu.h"
#include "plan/hexagon.h"

namespace stencilgen::plan {

/// What a launch of hexagons does, all tiles together, where they have all their turns; and how
/// long the loop takes. No measurement has checked the times.
struct HexagonCost {
  std::int64_t launches = 0;
  std::int64_t tiles = 0;  ///< of a launch
  std::int64_t points = 0;
  double load_bytes = 0, store_bytes = 0;
  int resident = 0;    ///< tiles of a multiprocessor at a time; 0: one does not fit
  double seconds = 0;  ///< of the loop
  double flops = 0;    ///< of the loop
  /// Of the loop, if nothing else took time: memory, instructions, shared memory, barriers.
  double memory = 0, issue = 0, exchange = 0, waiting = 0;
};

/// Requires: the loop's band has a hexagon; one value a parameter.
HexagonCost EstimateHexagon(const Plan& plan, const Repeat& repeat, const machine::Gpu& device,
                            const graph::ParameterValues& sizes);

/// What is asked for.
struct HexagonWish {
  int turns = 8;  ///< of a tile; an odd number counts as the next
  std::array<int, 2> block = {32, 8};
  std::int64_t shared_limit = 0;  ///< bytes
};

/// Why the loop has no hexagons of so many turns; empty where it can have some. Requires: it is a
/// loop of the program.
std::string WhyNoHexagon(const Plan& plan, const Repeat& repeat, const HexagonWish& wish);

/// Every loop of the plan that can have hexagons gets them, as wide as EstimateHexagon has them
/// fastest; but for loops that contain loops.
Plan AddHexagons(Plan plan, const HexagonWish& wish, const machine::Gpu& device,
                 const graph::ParameterValues& sizes);

}  // namespace stencilgen::plan
