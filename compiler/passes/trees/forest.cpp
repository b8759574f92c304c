#include "passes/trees/forest.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "kernel/uses.h"
#include "passes/trees/order_pressure.h"

namespace stencilgen::passes {
namespace {

class ForestBuilder {
 public:
  ForestBuilder(const kernel::Body& body, std::vector<bool> roots, Labels labels)
      : body_(body),
        found_(kernel::FindUses(body)),
        is_root_(std::move(roots)),
        coefficients_(labels == Labels::Coefficients) {
    is_root_.resize(body.values.size(), false);
  }

  Forest Run() {
    const std::size_t values = body_.values.size();
    forest_.steps.resize(body_.instructions.size());
    forest_.steps_of.resize(values);
    forest_.tree_of.assign(values, -1);
    forest_.label_of.assign(values, -1);
    forest_.reader_of.assign(values, -1);
    FindRoots();
    FindLabels();
    forest_.uses.assign(values, LabelSet(forest_.label_count()));
    forest_.readers.resize(At(forest_.label_count()));
    for (std::size_t k = 0; k < forest_.steps.size(); ++k) BuildStep(k);
    // Steps come after those of their operands: trees are filled from the leaves, and named from
    // the roots.
    for (std::size_t k = forest_.steps.size(); k-- > 0;) {
      const Step& step = forest_.steps[k];
      for (int child : step.subtrees) {
        forest_.tree_of[At(child)] = forest_.tree_of[At(step.value)];
      }
    }
    return std::move(forest_);
  }

 private:
  void FindRoots() {
    for (const kernel::Result& result : body_.results) is_root_[result.value.index] = true;
    for (kernel::ValueId id : body_.values.Ids()) {
      if (kernel::IsTemporary(body_.values[id]) && found_.uses[id.index].size() != 1) {
        is_root_[id.index] = true;
      }
    }
    CutDeepTrees();
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) {
      const auto dest = body_.instructions[k].dest.index;
      if (!is_root_[dest] || found_.definitions[dest].back() != k) continue;
      forest_.tree_of[dest] = static_cast<int>(forest_.roots.size());
      forest_.roots.push_back(static_cast<int>(dest));
    }
  }

  /// Trees are walked recursively, and expressions around a step are grown to the root.
  void CutDeepTrees() {
    constexpr int kMostLevels = 200;
    std::vector<int> levels(body_.values.size(), 0);
    for (const kernel::Instruction& instruction : body_.instructions) {
      int& level = levels[instruction.dest.index];
      for (kernel::ValueId operand : instruction.operands) {
        if (!is_root_[operand.index]) level = std::max(level, levels[operand.index] + 1);
      }
      if (level >= kMostLevels) is_root_[instruction.dest.index] = true;
    }
  }

  void FindLabels() {
    for (kernel::ValueId id : body_.values.Ids()) {
      const kernel::Value& value = body_.values[id];
      const std::size_t users = found_.uses[id.index].size();
      const bool shared =
          kernel::IsTemporary(value)
              ? forest_.tree_of[id.index] >= 0 && users > 0
              : (kernel::TakesRegister(value) || (coefficients_ && kernel::IsCoefficient(value))) &&
                    users > 1;
      if (!shared) continue;
      forest_.label_of[id.index] = forest_.label_count();
      forest_.value_of.push_back(static_cast<int>(id.index));
    }
  }

  void BuildStep(std::size_t k) {
    const kernel::Instruction& instruction = body_.instructions[k];
    Step& step = forest_.steps[k];
    step.value = static_cast<int>(instruction.dest.index);
    step.labels = LabelSet(forest_.label_count());
    std::vector<kernel::ValueId> operands = instruction.operands;
    std::sort(operands.begin(), operands.end());
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    for (kernel::ValueId operand : operands) {
      const kernel::Value& value = body_.values[operand];
      if (forest_.label_of[operand.index] >= 0) {
        step.labels.Insert(forest_.label_of[operand.index]);
      } else if (kernel::IsTemporary(value)) {
        step.subtrees.push_back(static_cast<int>(operand.index));
        forest_.reader_of[operand.index] = static_cast<int>(k);
      } else if (kernel::TakesRegister(value)) {
        ++step.loads;
      }
    }
    step.labels.ForEach([&](int label) {
      step.reads.push_back(label);
      forest_.readers[At(label)].push_back(static_cast<int>(k));
    });
    step.uses = step.labels;
    for (int child : step.subtrees) step.uses |= forest_.uses[At(child)];
    forest_.steps_of[At(step.value)].push_back(static_cast<int>(k));
    forest_.uses[At(step.value)] |= step.uses;
  }

  const kernel::Body& body_;
  kernel::Uses found_;
  std::vector<bool> is_root_;  ///< by value
  bool coefficients_;          ///< are labels
  Forest forest_;
};

}  // namespace

Forest BuildForest(const kernel::Body& body, const std::vector<bool>& more_roots, Labels labels) {
  return ForestBuilder(body, more_roots, labels).Run();
}

void AppendSubtree(const Forest& forest, int step, const std::vector<bool>& done,
                   std::vector<int>& out) {
  if (done[static_cast<std::size_t>(step)]) return;
  for (int child : forest.steps[static_cast<std::size_t>(step)].subtrees) {
    for (int each : forest.steps_of[static_cast<std::size_t>(child)]) {
      AppendSubtree(forest, each, done, out);
    }
  }
  out.push_back(step);
}

int ContributionOf(const Forest& forest, int step) {
  while (true) {
    const int value = forest.steps[static_cast<std::size_t>(step)].value;
    const int reader = forest.reader_of[static_cast<std::size_t>(value)];
    if (reader < 0) return step;
    step = reader;
  }
}

int SethiUllman(const Forest& forest, int value) {
  // The most of several children, and one more where two of them need as much: the first to be
  // evaluated leaves its result in a register.
  const auto combine = [](std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end(), std::greater<>());
    if (numbers.empty()) return 0;
    // With more than two operands, all but the last wait in registers.
    int most = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      most = std::max(most, numbers[k] + static_cast<int>(k));
    }
    return most;
  };
  std::vector<int> contributions;
  for (int each : forest.steps_of[static_cast<std::size_t>(value)]) {
    const Step& step = forest.steps[static_cast<std::size_t>(each)];
    std::vector<int> operands(static_cast<std::size_t>(step.loads + step.labels.Count()), 1);
    for (int child : step.subtrees) operands.push_back(SethiUllman(forest, child));
    contributions.push_back(std::max(1, combine(operands)));
  }
  std::sort(contributions.begin(), contributions.end(), std::greater<>());
  if (contributions.size() == 1) return contributions[0];
  // One register holds the accumulation, whatever the number of children.
  return std::max(contributions[0], contributions[1] + 1);
}

}  // namespace stencilgen::passes
