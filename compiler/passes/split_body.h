#pragma once

#include <functional>
#include <vector>

#include "kernel/body.h"
#include "passes/reorder_trees.h"

namespace stencilgen::passes {

/// A kernel's operators in several kernels that run one after the other (kernel fission, [S]
/// 4.3.4). What a later part reads of an earlier one's results it loads; other values that several
/// parts need, each computes.
struct Split {
  std::vector<std::vector<int>> parts;  ///< operators as in kernel::Statement::op, ascending
  int max_live = 0;                     ///< the most of any part, after ReorderTrees
  int loads = 0;                        ///< elements that the parts load, summed
  int instructions = 0;                 ///< of all parts
};

/// Lowers the operators in this order, each at the same points as in the whole body.
using BodyOfOperators = std::function<kernel::Body(const std::vector<int>& operators)>;

/// Splits of a body from one part to a part an operator, by number of parts: split k has k + 1. As
/// trees are ordered (OrderByAffinity), those two parts are joined that share most elements, the
/// smallest of equals, as long as there are two without a path through a third between them.
///
/// Requires: kernel::Verify(body) is empty. Ensures: each operator is in one part; parts come after
/// those whose results they read.
std::vector<std::vector<std::vector<int>>> ListSplits(const kernel::Body& body);

/// What a split's parts take.
Split PriceSplit(std::vector<std::vector<int>> parts, const BodyOfOperators& body_of,
                 const TreesOptions& options);

/// `--split N`: the split of `body` with N parts, or the nearest number there is.
Split SplitInto(int parts, const kernel::Body& body, const BodyOfOperators& body_of,
                const TreesOptions& options);

/// `--split auto`: the split with the fewest parts none of which has more than `most_live` values
/// live at once; where there is none, the one with the least.
Split SplitToFit(int most_live, const kernel::Body& body, const BodyOfOperators& body_of,
                 const TreesOptions& options);

}  // namespace stencilgen::passes
