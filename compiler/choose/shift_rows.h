#pragma once

#include "plan/plan.h"

namespace stencilgen::choose {

/// The plan whose kernels in tiles of several turns take neighbours along rows from registers
/// (plan::LoopNest::shifts), where loads are what they wait for and shifts take less: rows of tiles
/// are in caches, and a load that crosses a line of the first-level cache costs two.
/// Comes after plan::AddTimeBands. Requires: plan::Verify(plan) is empty; all kernels have nests.
/// Ensures: plan::Verify of the result is empty.
plan::Plan ShiftRows(plan::Plan plan);

}  // namespace stencilgen::choose
