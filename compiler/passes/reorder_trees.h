#pragma once

#include "kernel/body.h"

namespace stencilgen::passes {

struct TreesOptions {
  /// The most orders of children that are looked at for one tree ([S] 4.3.3).
  int max_permutations = 20000;
  /// A search ends when it is this near to what no order can do without (d of [S] 4.3.3).
  int slack = 1;
};

/// Reorders a body's instructions so that fewer values are live at once ([S] chapter 4: Rawat,
/// *Optimization of Stencil Computations on GPUs*, Ohio State 2018). The body is taken as a DAG of
/// expression trees with k-ary accumulations. The trees are brought into an order that keeps those
/// together that share labels; each is evaluated without interruption, its children in the order of
/// least registers, given what is live before and after; then parts of trees are moved to where
/// what they read is in registers already.
///
/// Requires: kernel::Verify(body) is empty. Ensures: the result has the same instructions, in an
/// order in which operands are complete before they are used; MaxLive(result) <= MaxLive(body).
kernel::Body ReorderTrees(kernel::Body body, const TreesOptions& options);

}  // namespace stencilgen::passes
