#include "passes/lars_state.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kernel/uses.h"

namespace stencilgen::passes {

using kernel::Instruction;
using kernel::ValueId;

LarsState::LarsState(const kernel::Body& body, LarsObjective objective, const Latencies& latencies,
                     int window, bool coefficients)
    : body_(body),
      objective_(objective),
      window_(window),
      coefficients_(coefficients),
      steps_(body.instructions.size()) {
  FindLabels();
  FindPairs();
  FindTrees();
  counts_.assign(labels_.size(), 0);
  const auto predecessors = kernel::Predecessors(body, kernel::FindUses(body));
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    steps_[k].blockers = predecessors[k].size();
    steps_[k].missing = steps_[k].labels.size();
    for (std::size_t earlier : predecessors[k]) steps_[earlier].successors.push_back(k);
    if (steps_[k].blockers == 0) Unblock(k);
  }
  FindPriorities(latencies);
  FindLeading();
}

void LarsState::FindLabels() {
  label_of_.assign(body_.values.size(), body_.values.size());
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Instruction& instruction = body_.instructions[k];
    std::vector<ValueId> values = {instruction.dest};
    values.insert(values.end(), instruction.operands.begin(), instruction.operands.end());
    for (ValueId value : values) {
      const kernel::Value& what = body_.values[value];
      if (!kernel::TakesRegister(what) && !(coefficients_ && kernel::IsCoefficient(what))) continue;
      std::size_t& label = label_of_[value.index];
      if (label == body_.values.size()) {
        label = labels_.size();
        labels_.emplace_back().value = value;
      }
      auto& of_step = steps_[k].labels;
      if (std::find(of_step.begin(), of_step.end(), label) != of_step.end()) continue;
      of_step.push_back(label);
      labels_[label].instructions.push_back(k);
      ++labels_[label].left;
    }
  }
}

void LarsState::FindPairs() {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> pair_of;
  for (Step& step : steps_) {
    for (std::size_t n = 0; n < step.labels.size(); ++n) {
      for (std::size_t m = n + 1; m < step.labels.size(); ++m) {
        const auto [a, b] = std::minmax(step.labels[n], step.labels[m]);
        const auto [at, is_new] = pair_of.try_emplace({a, b}, pairs_.size());
        if (is_new) {
          pairs_.push_back({a, b, 0});
          labels_[a].pairs.push_back(at->second);
          labels_[b].pairs.push_back(at->second);
        }
        ++pairs_[at->second].instructions;
        step.pairs.push_back(at->second);
      }
    }
  }
}

/// Part of a tree is what is computed first for an instruction of it.
void LarsState::FindTrees() {
  const kernel::Uses uses = kernel::FindUses(body_);
  trees_.resize(steps_.size() + body_.statements.size());
  for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
    trees_[tree].parent = tree;
    if (tree >= steps_.size()) statements_.push_back(tree);
  }
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const Instruction& instruction = body_.instructions[k];
    const auto& users = uses.uses[instruction.dest.index];
    trees_[k].parent = users.empty() ? statements_[static_cast<std::size_t>(instruction.statement)]
                                     : users.front();
    trees_[k].depth = trees_[trees_[k].parent].depth + 1;
  }
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    trees_[trees_[k].parent].children.push_back(k);
    VisitTrees(k, [&](Tree& tree) { tree.instructions.push_back(k); });
  }
}

void LarsState::Unblock(std::size_t instruction) {
  for (std::size_t label : steps_[instruction].labels) ++labels_[label].unblocked;
  VisitTrees(instruction, [](Tree& tree) { ++tree.open; });
}

/// Which of these trees to go on with: [S] 5.3.5 goes on with the statement of which the most
/// instructions have been fired, if any. As many as trees_ for none.
std::size_t LarsState::Lead(const std::vector<std::size_t>& trees) const {
  const bool begins = objective_ == LarsObjective::InOrder || objective_ == LarsObjective::Growth;
  std::size_t best = trees_.size();
  std::pair<int, int> best_key;
  for (std::size_t tree : trees) {
    const Tree& each = trees_[tree];
    if (each.open == 0 || (!begins && each.fired == 0)) continue;
    const auto key = objective_ == LarsObjective::Growth ? Growth(tree) : std::pair(-each.fired, 0);
    if (best < trees_.size() && key >= best_key) continue;
    best = tree;
    best_key = key;
  }
  return best;
}

/// A statement leads, and in what leads the tree that has come farthest: the rule of [S] is about
/// statements as programmers write them, and whole operators are larger.
void LarsState::FindLeading() {
  for (std::size_t tree : leading_) trees_[tree].leading = false;
  leading_.clear();
  for (std::size_t at = Lead(statements_); at < trees_.size(); at = Lead(trees_[at].children)) {
    trees_[at].leading = true;
    leading_.push_back(at);
  }
}

/// How many more values are live when the rest of the tree has been fired, and how many become live
/// for it.
std::pair<int, int> LarsState::Growth(std::size_t tree) const {
  std::vector<std::size_t> touched;
  for (std::size_t k : trees_[tree].instructions) {
    if (steps_[k].fired) continue;
    for (std::size_t label : steps_[k].labels) {
      if (counts_[label]++ == 0) touched.push_back(label);
    }
  }
  int growth = 0;
  int added = 0;
  for (std::size_t label : touched) {
    const Label& each = labels_[label];
    const bool stays = each.left > counts_[label];
    if (!each.live) ++added;
    if (each.live && !stays) --growth;
    if (!each.live && stays) ++growth;
    counts_[label] = 0;
  }
  return {growth, added};
}

int LarsState::Nearness(std::size_t instruction) const {
  std::size_t tree = instruction;
  while (!trees_[tree].leading && trees_[tree].parent != tree) tree = trees_[tree].parent;
  return trees_[tree].leading ? trees_[tree].depth : 0;
}

/// [S] 5.3.5, equation 5.1: a label's priority is the longest time from the start of one of its
/// instructions to the start of the last of a path.
void LarsState::FindPriorities(const Latencies& latencies) {
  std::vector<int> ahead(steps_.size(), 0);
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const int latency = LatencyOf(latencies, body_.instructions[k].operation);
    for (std::size_t later : steps_[k].successors) {
      ahead[k] = std::max(ahead[k], latency + ahead[later]);
    }
    for (std::size_t label : steps_[k].labels) {
      labels_[label].priority = std::max(labels_[label].priority, ahead[k]);
    }
  }
}

int LarsState::Priority(ValueId value) const {
  const std::size_t label = label_of_[value.index];
  return label < labels_.size() ? labels_[label].priority : -1;
}

bool LarsState::IsLive(ValueId value) const {
  const std::size_t label = label_of_[value.index];
  return label < labels_.size() && labels_[label].live;
}

bool LarsState::IsUnblocked(std::size_t instruction) const {
  return !steps_[instruction].fired && steps_[instruction].blockers == 0;
}

LarsCost LarsState::CostOf(ValueId value) const {
  return Cost(label_of_[value.index]);
}

LarsCost LarsState::Cost(std::size_t label) const {
  const Label& own = labels_[label];
  LarsCost cost;
  cost.priority = own.priority;
  std::vector<std::size_t> touched;
  for (std::size_t k : own.instructions) {
    const Step& step = steps_[k];
    if (step.fired || step.blockers > 0) continue;
    cost.leading = std::max(cost.leading, Nearness(k));
    if (step.missing != 1) continue;
    ++cost.fire;
    for (std::size_t each : step.labels) {
      if (counts_[each]++ == 0) touched.push_back(each);
      if (counts_[each] != labels_[each].left) continue;
      ++cost.release;
      if (each == label) cost.stays = false;
    }
  }
  for (std::size_t each : touched) counts_[each] = 0;
  for (std::size_t p : own.pairs) {
    const Pair& pair = pairs_[p];
    if (pair.instructions == 0) continue;
    const Label& other = labels_[pair.Other(label)];
    cost.secondary += other.live_neighbours;
    if (other.live) {
      cost.primary += pair.instructions;
    } else {
      ++cost.waiting;
    }
  }
  return cost;
}

ValueId LarsState::Choose() const {
  using CostKey = decltype(Key(LarsCost()));
  std::optional<std::pair<CostKey, ValueId>> best;
  for (std::size_t label = 0; label < labels_.size(); ++label) {
    if (labels_[label].live || labels_[label].unblocked == 0) continue;
    const CostKey key = Key(Cost(label));
    if (!best || key > best->first) best = {key, labels_[label].value};
  }
  return best ? best->second : ValueId{};
}

void LarsState::SetLive(std::size_t label, bool live) {
  labels_[label].live = live;
  for (std::size_t p : labels_[label].pairs) {
    if (pairs_[p].instructions == 0) continue;
    labels_[pairs_[p].Other(label)].live_neighbours += live ? 1 : -1;
  }
}

void LarsState::MakeLive(ValueId value) {
  const std::size_t label = label_of_[value.index];
  SetLive(label, true);
  std::vector<std::size_t> fireable;
  for (std::size_t k : labels_[label].instructions) {
    if (!steps_[k].fired && --steps_[k].missing == 0 && steps_[k].blockers == 0) {
      fireable.push_back(k);
    }
  }
  FireAll(std::move(fireable));
}

/// In the order of [S] 5.3.4: the fewest interlocks first, then the body's own order. What firing
/// unblocks may be fireable at once.
void LarsState::FireAll(std::vector<std::size_t> fireable) {
  while (!fireable.empty()) {
    std::sort(fireable.begin(), fireable.end());
    const auto next = std::min_element(
        fireable.begin(), fireable.end(),
        [&](std::size_t a, std::size_t b) { return Interlocks(a) < Interlocks(b); });
    const std::size_t k = *next;
    fireable.erase(next);
    Fire(k);
    for (std::size_t later : steps_[k].successors) {
      if (steps_[later].blockers == 0 && steps_[later].missing == 0 && !steps_[later].fired &&
          std::find(fireable.begin(), fireable.end(), later) == fireable.end()) {
        fireable.push_back(later);
      }
    }
  }
}

int LarsState::Interlocks(std::size_t instruction) const {
  const Instruction& own = body_.instructions[instruction];
  int interlocks = 0;
  for (std::size_t n = 0; n < order_.size() && n < static_cast<std::size_t>(window_); ++n) {
    const ValueId dest = body_.instructions[order_[order_.size() - 1 - n]].dest;
    if (dest == own.dest ||
        std::find(own.operands.begin(), own.operands.end(), dest) != own.operands.end()) {
      ++interlocks;
    }
  }
  return interlocks;
}

void LarsState::Fire(std::size_t instruction) {
  Step& step = steps_[instruction];
  step.fired = true;
  order_.push_back(instruction);
  for (std::size_t p : step.pairs) {
    Pair& pair = pairs_[p];
    if (--pair.instructions > 0) continue;
    if (labels_[pair.a].live) --labels_[pair.b].live_neighbours;
    if (labels_[pair.b].live) --labels_[pair.a].live_neighbours;
  }
  for (std::size_t label : step.labels) {
    --labels_[label].unblocked;
    if (--labels_[label].left == 0) SetLive(label, false);
  }
  for (std::size_t later : step.successors) {
    if (--steps_[later].blockers == 0) Unblock(later);
  }
  VisitTrees(instruction, [](Tree& tree) {
    ++tree.fired;
    --tree.open;
  });
  FindLeading();
}

std::vector<std::size_t> LarsState::Run() {
  std::vector<std::size_t> ready;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (steps_[k].blockers == 0 && steps_[k].missing == 0) ready.push_back(k);
  }
  FireAll(std::move(ready));
  while (order_.size() < steps_.size()) MakeLive(Choose());
  return order_;
}

}  // namespace stencilgen::passes
