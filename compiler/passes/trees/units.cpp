#include "passes/trees/units.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace stencilgen::passes {
namespace {

/// By value: the steps of its subtree.
std::vector<int> SubtreeSizes(const Forest& forest) {
  std::vector<int> sizes(forest.steps_of.size(), 0);
  for (const Step& step : forest.steps) {
    int size = 1;
    for (int child : step.subtrees) size += sizes[At(child)];
    sizes[At(step.value)] += size;
  }
  return sizes;
}

/// By statement: the place of its unrolled point.
std::vector<int> PointsOfStatements(const kernel::Body& body) {
  std::map<std::vector<std::int64_t>, int> known;
  std::vector<int> points;
  for (const kernel::Statement& each : body.statements) {
    const int next = static_cast<int>(known.size());
    points.push_back(known.try_emplace(each.offset, next).first->second);
  }
  return points;
}

}  // namespace

std::vector<bool> LargeAccumulations(const Forest& forest, int most_steps) {
  const std::vector<int> sizes = SubtreeSizes(forest);
  std::vector<bool> large(sizes.size(), false);
  for (std::size_t value = 0; value < sizes.size(); ++value) {
    large[value] = sizes[value] > most_steps && forest.steps_of[value].size() > 1;
  }
  return large;
}

std::vector<Unit> MakeUnits(const kernel::Body& body, const Forest& forest, int most_steps) {
  const std::vector<int> sizes = SubtreeSizes(forest);
  const std::vector<int> points = PointsOfStatements(body);
  std::vector<Unit> units;
  std::vector<std::vector<int>> units_of(forest.steps_of.size());  // by value
  const auto add = [&](int value, std::vector<int> steps) {
    const int statement = body.instructions[At(steps[0])].statement;
    Unit unit{value, std::move(steps), LabelSet(forest.label_count()), {}, points[At(statement)]};
    for (int step : unit.steps) unit.uses |= forest.steps[At(step)].uses;
    unit.uses.ForEach([&](int label) {
      const std::vector<int>& made = units_of[At(forest.value_of[At(label)])];
      unit.producers.insert(unit.producers.end(), made.begin(), made.end());
    });
    std::sort(unit.producers.begin(), unit.producers.end());
    units_of[At(value)].push_back(static_cast<int>(units.size()));
    units.push_back(std::move(unit));
  };
  for (int root : forest.roots) {
    const std::vector<int>& steps = forest.steps_of[At(root)];
    if (sizes[At(root)] <= most_steps) {
      add(root, steps);
    } else {
      for (int step : steps) add(root, {step});
    }
  }
  return units;
}

}  // namespace stencilgen::passes
