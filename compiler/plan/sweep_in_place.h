#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.h"

namespace stencilgen::plan {

/// Kernels of C++ code that read an array and make its next version write a second one, which is
/// copied back where the program wants the result in the first. Outside of loops they write in
/// place here, where that is as good: the new planes along the first iterator wait in the second
/// array (Kernel::held) until nobody reads the old ones any more, a few planes a thread, which stay
/// in a cache. Of memory every element is then read and written once.
/// Requires: Verify(plan) is empty; no kernel has a tile or a stream.
/// Ensures: Verify of the result is empty.
Plan SweepInPlace(Plan plan);

/// The same for loops in tiles of turns that have a single turn when they run
/// (TimeBand::single), where one kernel with one array that changes is all of the loop.
/// Requires: no kernel has a tile or a stream.
/// Ensures: Verify of the result is empty.
Plan SweepSingleTurns(Plan plan);

/// Where a kernel that holds planes runs in strips along the second of three iterators: how many
/// rows at the end of a strip the next one reads, at most, so that their new values must wait too.
/// Empty where it cannot run in strips.
std::optional<std::int64_t> FindRowsHeld(const Plan& plan, const graph::Operator& op,
                                         const HeldPlanes& held);

/// What is wrong with the kernel's held planes: empty where it has none, or where they are enough
/// for all that it reads of the array that it writes.
std::string VerifyHeld(const Plan& plan, const Kernel& kernel);

/// The same for the single turn of a loop: empty where it has none.
std::string VerifySingleTurn(const Plan& plan, const Repeat& repeat);

}  // namespace stencilgen::plan
