#pragma once

#include "support/prng.h"
#include "support/schedule_text.h"

namespace stencilgen::testing {

/// A random schedule for programs of `rank` iterators: small and odd blocks, so that small arrays
/// have several tiles. Mostly of tiles in shared memory.
TimedSchedule RandomSchedule(Prng* prng, int rank);

/// The schedule for wavefronts of 64 threads; where it shuffles in blocks of half of one, of twice
/// the threads along x.
plan::Schedule ForWavefronts(plan::Schedule schedule);

}  // namespace stencilgen::testing
