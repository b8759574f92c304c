#pragma once

#include "support/prng.h"
#include "support/schedule_text.h"

namespace stencilgen::testing {

/// A random schedule for programs of `rank` iterators: small and odd blocks, so that small arrays
/// have several tiles. Mostly of tiles in shared memory.
TimedSchedule RandomSchedule(Prng* prng, int rank);

}  // namespace stencilgen::testing
