#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/body.h"
#include "passes/trees/label_set.h"

namespace stencilgen::passes {

/// A plain index, for an element of a vector.
inline std::size_t At(int index) {
  return static_cast<std::size_t>(index);
}

/// An instruction as a node of a tree: it computes an operation, or contributes to the accumulation
/// node of its destination. All ids are plain indices: values as in Body::values, steps as in
/// Body::instructions.
struct Step {
  int value = 0;              ///< the destination
  std::vector<int> subtrees;  ///< temporaries that this step alone reads
  int loads = 0;              ///< elements that this step alone reads
  LabelSet labels;            ///< the shared labels that it reads itself
  std::vector<int> reads;     ///< the same, ascending
  LabelSet uses;              ///< those and the ones of its subtrees
};

/// A body as a DAG of expression trees ([S] 4.3). Roots are results and temporaries that several
/// instructions read, and some where a tree would get very deep; every other temporary is an inner
/// node, with one child for an operation and a child for each contribution to an accumulation.
///
/// Shared labels are what several steps can find in a register: elements with several readers, and
/// roots that are read. What takes no register is no label.
struct Forest {
  std::vector<Step> steps;
  std::vector<std::vector<int>> steps_of;  ///< by value: its steps, in the body's order
  std::vector<LabelSet> uses;              ///< by value: labels of the subtree
  std::vector<int> roots;                 ///< values, in the order in which the body completes them
  std::vector<int> tree_of;               ///< by value: place in roots of its tree, or -1
  std::vector<int> label_of;              ///< by value: its label, or -1
  std::vector<int> reader_of;             ///< by value: the step that reads an inner node, or -1
  std::vector<int> value_of;              ///< by label
  std::vector<std::vector<int>> readers;  ///< by label: the steps that read it

  int label_count() const { return static_cast<int>(value_of.size()); }
};

/// What are labels: what takes a register, or also coefficients that several steps read, so that
/// those steps keep together.
enum class Labels : std::uint8_t { Registers, Coefficients };

/// `more_roots`, by value or empty: temporaries that are roots although they have one reader.
/// Requires: kernel::Verify(body) is empty.
Forest BuildForest(const kernel::Body& body, const std::vector<bool>& more_roots = {},
                   Labels labels = Labels::Registers);

/// Appends those steps of the subtree of `step` that are not in `done` (by step), itself last, in
/// the body's order of contributions.
void AppendSubtree(const Forest& forest, int step, const std::vector<bool>& done,
                   std::vector<int>& out);

/// The step at the root of its tree that `step` belongs to: a contribution to the root's
/// accumulation, or the root's operation.
int ContributionOf(const Forest& forest, int step);

/// The Sethi-Ullman number of the tree at `value`, with k-ary accumulations and as if all labels
/// differed ([S] 4.3.1): the registers that its best atomic order needs without sharing.
int SethiUllman(const Forest& forest, int value);

}  // namespace stencilgen::passes
