#include "passes/split_body.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/liveness.h"
#include "kernel/uses.h"
#include "support/check.h"

namespace stencilgen::passes {
namespace {

using Parts = std::vector<std::vector<int>>;

std::size_t At(int index) {
  return static_cast<std::size_t>(index);
}

/// What each operator reads.
struct OperatorReads {
  std::set<std::uint32_t> elements;  ///< values of the body
  std::set<int> operators;           ///< whose results it reads
};

class ReadCollector {
 public:
  explicit ReadCollector(const kernel::Body& body)
      : body_(body), uses_(kernel::FindUses(body)), operator_of_(body.values.size(), -1) {
    for (const kernel::Result& result : body.results) {
      operator_of_[result.value.index] = body.statements[At(result.statement)].op;
    }
  }

  std::vector<OperatorReads> Run() {
    int count = 0;
    for (const kernel::Statement& each : body_.statements) count = std::max(count, each.op + 1);
    reads_.resize(At(count));
    for (const kernel::Result& result : body_.results) {
      const int op = body_.statements[At(result.statement)].op;
      std::vector<bool> visited(body_.values.size(), false);
      std::vector<kernel::ValueId> left = {result.value};
      while (!left.empty()) {
        const kernel::ValueId value = left.back();
        left.pop_back();
        for (std::size_t k : uses_.definitions[value.index]) {
          for (kernel::ValueId operand : body_.instructions[k].operands) {
            if (visited[operand.index]) continue;
            visited[operand.index] = true;
            if (Read(op, operand)) left.push_back(operand);
          }
        }
      }
    }
    return std::move(reads_);
  }

 private:
  /// True for what the operator computes itself.
  bool Read(int op, kernel::ValueId operand) {
    const kernel::Value& value = body_.values[operand];
    if (!kernel::IsTemporary(value)) {
      if (kernel::TakesRegister(value)) reads_[At(op)].elements.insert(operand.index);
      return false;
    }
    const int other = operator_of_[operand.index];
    if (other >= 0 && other != op) reads_[At(op)].operators.insert(other);
    return other < 0 || other == op;
  }

  const kernel::Body& body_;
  kernel::Uses uses_;
  std::vector<int> operator_of_;  ///< by value: whose result it is, or -1
  std::vector<OperatorReads> reads_;
};

/// Parts that are joined two by two.
class PartJoiner {
 public:
  explicit PartJoiner(const kernel::Body& body) : reads_(ReadCollector(body).Run()) {
    for (std::size_t op = 0; op < reads_.size(); ++op) {
      parts_.push_back({{static_cast<int>(op)}, reads_[op].elements});
    }
  }

  std::vector<Parts> Run() {
    std::vector<Parts> splits;
    if (parts_.empty()) return splits;
    splits.push_back(InOrder());
    while (JoinNearest()) splits.push_back(InOrder());
    std::reverse(splits.begin(), splits.end());
    return splits;
  }

 private:
  struct Part {
    std::vector<int> operators;  ///< ascending
    std::set<std::uint32_t> elements;
  };

  bool Reads(const Part& reader, const Part& other) const {
    return std::any_of(reader.operators.begin(), reader.operators.end(), [&](int op) {
      return std::any_of(other.operators.begin(), other.operators.end(),
                         [&](int each) { return reads_[At(op)].operators.count(each) > 0; });
    });
  }

  /// By part: the parts it needs, directly or through others.
  std::vector<std::set<std::size_t>> Needs() const {
    std::vector<std::set<std::size_t>> needs(parts_.size());
    std::vector<std::vector<std::size_t>> direct(parts_.size());
    for (std::size_t a = 0; a < parts_.size(); ++a) {
      for (std::size_t b = 0; b < parts_.size(); ++b) {
        if (a != b && Reads(parts_[a], parts_[b])) direct[a].push_back(b);
      }
    }
    for (std::size_t a = 0; a < parts_.size(); ++a) {
      std::vector<std::size_t> left = direct[a];
      while (!left.empty()) {
        const std::size_t b = left.back();
        left.pop_back();
        if (!needs[a].insert(b).second) continue;
        left.insert(left.end(), direct[b].begin(), direct[b].end());
      }
    }
    return needs;
  }

  Parts InOrder() const {
    const auto needs = Needs();
    std::vector<bool> done(parts_.size(), false);
    Parts order;
    while (order.size() < parts_.size()) {
      bool found = false;
      for (std::size_t a = 0; a < parts_.size() && !found; ++a) {
        found = !done[a] && std::all_of(needs[a].begin(), needs[a].end(),
                                        [&](std::size_t b) { return done[b]; });
        if (!found) continue;
        done[a] = true;
        order.push_back(parts_[a].operators);
      }
      STENCILGEN_CHECK(found);
    }
    return order;
  }

  /// Joins the two parts with most common elements. Where one needs a third that needs the other,
  /// they cannot be one kernel.
  bool JoinNearest() {
    const auto needs = Needs();
    const auto third_between = [&](std::size_t a, std::size_t b) {
      return std::any_of(needs[a].begin(), needs[a].end(),
                         [&](std::size_t c) { return c != b && needs[c].count(b) > 0; });
    };
    bool found = false;
    std::size_t best_a = 0, best_b = 0;
    std::pair<std::size_t, int> most;  // common elements, then the fewest operators
    for (std::size_t a = 0; a < parts_.size(); ++a) {
      for (std::size_t b = a + 1; b < parts_.size(); ++b) {
        if (third_between(a, b) || third_between(b, a)) continue;
        const auto together = parts_[a].operators.size() + parts_[b].operators.size();
        const std::pair common{Common(parts_[a], parts_[b]), -static_cast<int>(together)};
        if (found && common <= most) continue;
        found = true;
        best_a = a;
        best_b = b;
        most = common;
      }
    }
    if (!found) return false;
    Part& into = parts_[best_a];
    Part& from = parts_[best_b];
    into.operators.insert(into.operators.end(), from.operators.begin(), from.operators.end());
    std::sort(into.operators.begin(), into.operators.end());
    into.elements.insert(from.elements.begin(), from.elements.end());
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(best_b));
    return true;
  }

  /// Elements that both read, and results that would not be stored and loaded.
  std::size_t Common(const Part& a, const Part& b) const {
    std::size_t common = 0;
    for (std::uint32_t element : a.elements) common += b.elements.count(element);
    for (const auto& [reader, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      for (int op : reader->operators) {
        for (int each : other->operators) common += 2 * reads_[At(op)].operators.count(each);
      }
    }
    return common;
  }

  std::vector<OperatorReads> reads_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Parts> ListSplits(const kernel::Body& body) {
  return PartJoiner(body).Run();
}

Split PriceSplit(Parts parts, const BodyOfOperators& body_of, const TreesOptions& options) {
  Split split;
  for (const std::vector<int>& part : parts) {
    const kernel::Body body = ReorderTrees(body_of(part), options);
    const kernel::Uses uses = kernel::FindUses(body);
    split.max_live = std::max(split.max_live, kernel::MaxLive(body));
    split.instructions += static_cast<int>(body.instructions.size());
    for (kernel::ValueId id : body.values.Ids()) {
      const kernel::Value& value = body.values[id];
      const bool loaded = kernel::TakesRegister(value) && !kernel::IsTemporary(value);
      if (loaded && !uses.uses[id.index].empty()) ++split.loads;
    }
  }
  split.parts = std::move(parts);
  return split;
}

Split SplitInto(int parts, const kernel::Body& body, const BodyOfOperators& body_of,
                const TreesOptions& options) {
  std::vector<Parts> splits = ListSplits(body);
  if (splits.empty()) return {};
  const auto distance = [&](const Parts& split) {
    return std::abs(static_cast<int>(split.size()) - parts);
  };
  const auto best =
      std::min_element(splits.begin(), splits.end(),
                       [&](const Parts& a, const Parts& b) { return distance(a) < distance(b); });
  return PriceSplit(std::move(*best), body_of, options);
}

Split SplitToFit(int most_live, const kernel::Body& body, const BodyOfOperators& body_of,
                 const TreesOptions& options) {
  Split best;
  for (Parts& parts : ListSplits(body)) {
    Split split = PriceSplit(std::move(parts), body_of, options);
    const bool fits = split.max_live <= most_live;
    if (best.parts.empty() || split.max_live < best.max_live) best = std::move(split);
    if (fits) break;
  }
  return best;
}

}  // namespace stencilgen::passes
