#include "passes/statement_orders.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/uses.h"

namespace stencilgen::passes {
namespace {

/// A group of statements: one, or two groups.
struct Group {
  int statement = -1;
  std::size_t left = 0, right = 0;
  bool free = false;  ///< neither half needs the other
  std::set<std::uint32_t> values;
  std::set<std::size_t> before;  ///< groups that must come before
};

class StatementMerger {
 public:
  explicit StatementMerger(const kernel::Body& body) : body_(body) {
    const kernel::Uses uses = kernel::FindUses(body);
    groups_.resize(body.statements.size());
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      groups_[k].statement = static_cast<int>(k);
      alive_.push_back(k);
    }
    predecessors_ = kernel::Predecessors(body, uses);
    for (std::size_t k = 0; k < body.instructions.size(); ++k) {
      const kernel::Instruction& instruction = body.instructions[k];
      Group& group = groups_[static_cast<std::size_t>(instruction.statement)];
      for (kernel::ValueId operand : instruction.operands) {
        if (kernel::TakesRegister(body.values[operand])) group.values.insert(operand.index);
      }
      for (std::size_t earlier : predecessors_[k]) {
        const auto from = static_cast<std::size_t>(body.instructions[earlier].statement);
        if (from != static_cast<std::size_t>(instruction.statement)) group.before.insert(from);
      }
    }
  }

  std::vector<std::vector<std::size_t>> Run(std::size_t limit) {
    std::vector<std::size_t> own(body_.instructions.size());
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = k;
    std::vector<std::vector<std::size_t>> orders = {std::move(own)};
    constexpr std::size_t kMostStatements = 64;  // the search for pairs is cubic
    if (alive_.size() > kMostStatements) return orders;
    while (alive_.size() > 1 && MergeClosest()) {
    }
    // Bit n of `flips` turns the n-th group from the top that may be turned.
    for (std::size_t flips = 0; orders.size() < limit; ++flips) {
      std::vector<int> statements;
      std::size_t bits = flips;
      for (std::size_t group : alive_) Unfold(group, bits, statements);
      if (bits != 0) break;
      std::vector<std::size_t> order = InstructionsOf(statements);
      if (std::find(orders.begin(), orders.end(), order) == orders.end()) {
        orders.push_back(std::move(order));
      }
    }
    return orders;
  }

 private:
  /// True where `to` must come after `from`, through others.
  bool Reaches(std::size_t from, std::size_t to, bool direct_too) const {
    std::vector<std::size_t> pending;
    for (std::size_t each : groups_[to].before) {
      if (each != from || direct_too) pending.push_back(each);
    }
    std::set<std::size_t> seen;
    while (!pending.empty()) {
      const std::size_t at = pending.back();
      pending.pop_back();
      if (at == from) return true;
      if (!seen.insert(at).second) continue;
      pending.insert(pending.end(), groups_[at].before.begin(), groups_[at].before.end());
    }
    return false;
  }

  std::size_t Common(std::size_t a, std::size_t b) const {
    const auto& other = groups_[b].values;
    return static_cast<std::size_t>(
        std::count_if(groups_[a].values.begin(), groups_[a].values.end(),
                      [&](std::uint32_t value) { return other.count(value) > 0; }));
  }

  bool MergeClosest() {
    std::vector<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>> pairs;
    for (std::size_t n = 0; n < alive_.size(); ++n) {
      for (std::size_t m = n + 1; m < alive_.size(); ++m) {
        pairs.push_back({Common(alive_[n], alive_[m]), {alive_[n], alive_[m]}});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [common, pair] : pairs) {
      const auto [a, b] = pair;
      if (Reaches(a, b, false) || Reaches(b, a, false)) continue;
      Merge(a, b);
      return true;
    }
    return false;
  }

  void Merge(std::size_t a, std::size_t b) {
    const bool swap = groups_[a].before.count(b) > 0;
    Group merged;
    merged.left = swap ? b : a;
    merged.right = swap ? a : b;
    merged.free = !swap && groups_[b].before.count(a) == 0;
    for (std::size_t half : {a, b}) {
      merged.values.insert(groups_[half].values.begin(), groups_[half].values.end());
      merged.before.insert(groups_[half].before.begin(), groups_[half].before.end());
    }
    merged.before.erase(a);
    merged.before.erase(b);
    const std::size_t id = groups_.size();
    groups_.push_back(std::move(merged));
    std::replace(alive_.begin(), alive_.end(), a, id);
    alive_.erase(std::find(alive_.begin(), alive_.end(), b));
    for (Group& group : groups_) {
      if (group.before.erase(a) + group.before.erase(b) > 0) group.before.insert(id);
    }
  }

  void Unfold(std::size_t id, std::size_t& bits, std::vector<int>& statements) const {
    const Group& group = groups_[id];
    if (group.statement >= 0) return statements.push_back(group.statement);
    bool turn = false;
    if (group.free) {
      turn = bits % 2 == 1;
      bits /= 2;
    }
    Unfold(turn ? group.right : group.left, bits, statements);
    Unfold(turn ? group.left : group.right, bits, statements);
  }

  /// The statements' instructions in that order; values of others that they need just before.
  std::vector<std::size_t> InstructionsOf(const std::vector<int>& statements) const {
    std::vector<std::vector<std::size_t>> by_statement(body_.statements.size());
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) {
      by_statement[static_cast<std::size_t>(body_.instructions[k].statement)].push_back(k);
    }
    std::vector<std::size_t> order;
    std::vector<bool> taken(body_.instructions.size(), false);
    for (int statement : statements) {
      for (std::size_t k : by_statement[static_cast<std::size_t>(statement)]) {
        std::vector<std::pair<std::size_t, bool>> pending = {{k, false}};
        while (!pending.empty()) {
          const auto [at, ready] = pending.back();
          pending.pop_back();
          if (taken[at]) continue;
          if (ready) {
            taken[at] = true;
            order.push_back(at);
            continue;
          }
          pending.emplace_back(at, true);
          const auto& before = predecessors_[at];
          for (std::size_t n = before.size(); n-- > 0;) pending.emplace_back(before[n], false);
        }
      }
    }
    return order;
  }

  const kernel::Body& body_;
  std::vector<std::vector<std::size_t>> predecessors_;
  std::vector<Group> groups_;
  std::vector<std::size_t> alive_;
};

}  // namespace

std::vector<std::vector<std::size_t>> StatementOrders(const kernel::Body& body, std::size_t limit) {
  return StatementMerger(body).Run(limit);
}

}  // namespace stencilgen::passes
