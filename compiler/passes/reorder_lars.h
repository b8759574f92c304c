#pragma once

#include <cstddef>
#include <vector>

#include "kernel/body.h"
#include "passes/body_cost.h"
#include "passes/latencies.h"

namespace stencilgen::passes {

/// What a value that holds no register yet would give if it got one now ([S] 5.3.5).
struct LarsCost {
  int release = 0;    ///< R_pot: values with their last use in what it makes fireable
  bool stays = true;  ///< it is not among them
  int fire = 0;       ///< F_pot: instructions that it makes fireable
  int primary = 0;    ///< P_aff: instructions that it shares with live values
  int secondary = 0;  ///< S_aff: values that it shares with live values
  int waiting = 0;    ///< N_npaff: values without a register that it shares instructions with
  int leading = 0;    ///< P_l: levels of the leading trees around an instruction of it
  int priority = 0;   ///< P_l: by the longest path that an instruction of it begins
};

/// Which of the cost's members decide first. The first three are those of [S] 5.3.6.
enum class LarsObjective {
  Plain,       ///< release, fire, primary, secondary, priority, -waiting
  Interleave,  ///< release, fire, primary, secondary, -waiting, priority
  DepthFirst,  ///< release, priority, fire, primary, secondary, -waiting
  Gain,        ///< DepthFirst, but of `release` only what makes fewer values live
  InOrder,     ///< DepthFirst, and what has not begun follows the body's order
  Growth,      ///< Gain, and what leaves the fewest values live leads
};

/// Interleave where values are reused mostly between statements, DepthFirst where mostly within
/// them, else Plain.
LarsObjective ChooseObjective(const kernel::Body& body);

struct LarsOptions {
  Latencies latencies = kGpuLatencies;
  int window = 2;          ///< interlocks with so many of the last instructions are avoided
  std::size_t orders = 4;  ///< initial orders of statements that are tried
  RegisterRules registers = kGpuRegisters;
  bool all_objectives = true;  ///< try all objectives, not only the one that fits the body
};

/// The instructions in the order in which the list scheduler of [S] Algorithm 5.1 fires them:
/// values are made live one by one, the most profitable first, and every instruction is fired as
/// soon as all its values are.
/// Ensures: a legal order; equal input gives equal output.
std::vector<std::size_t> LarsOrder(const kernel::Body& body, LarsObjective objective,
                                   const Latencies& latencies, int window,
                                   bool coefficients = false);

/// Reorders for few live values ([S] 5.3, Algorithm 5.3): the list scheduler is run on several
/// orders of the statements, nested sums made one (FlattenSums), and on `initial`, other orders of
/// the same computation, with and without regard to coefficients. Of the results, `initial` and the
/// body itself the one of the smallest cost is taken.
/// Requires: kernel::Verify finds nothing.
/// Ensures: MAXLIVE is not above the input's.
kernel::Body ReorderLars(kernel::Body body, const LarsOptions& options = {},
                         const std::vector<kernel::Body>& initial = {});

}  // namespace stencilgen::passes
