#pragma once

#include <vector>

#include "kernel/body.h"

namespace stencilgen::passes {

struct TreesOptions {
  /// The most orders of children that are looked at for one tree ([S] 4.3.3).
  int max_permutations = 20000;
  /// A search ends when it is this near to what no order can do without (d of [S] 4.3.3).
  int slack = 1;
  /// Coefficients that may be between their first and last use at once at no cost: nvcc keeps some
  /// twenty doubles in uniform registers. Fewer decide between orders of the same MAXLIVE.
  int free_coefficients = 20;
};

/// Orders of a body's instructions in which fewer values are live at once ([S] chapter 4: Rawat,
/// *Optimization of Stencil Computations on GPUs*, Ohio State 2018). The body is taken as a DAG of
/// expression trees with k-ary accumulations. Trees, or parts of large ones, are brought into an
/// order that keeps those together that share labels; each is evaluated without interruption, its
/// children in the order of least registers, given what is live before and after; then parts of
/// trees are moved to where what they read is in registers already.
///
/// Requires: kernel::Verify(body) is empty. Ensures: each of them has the same results, but for
/// rounding, and the instructions of FlattenSums(body); no more values are live than in the body,
/// and it takes fewer registers of the target. The cheapest comes first. There may be none.
std::vector<kernel::Body> TreeOrders(const kernel::Body& body, const TreesOptions& options);

/// The first of TreeOrders, or the body itself where there is none: never more values are live.
kernel::Body ReorderTrees(kernel::Body body, const TreesOptions& options);

}  // namespace stencilgen::passes
