#include "passes/share_sums.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/uses.h"

namespace stencilgen::passes {
namespace {

using kernel::Combine;
using kernel::Instruction;
using kernel::ValueId;

/// `coefficient * value`, or the value alone where the coefficient is not valid.
struct SharedTerm {
  ValueId value;
  ValueId coefficient;
  bool negative = false;
};
bool AreOneTerm(const SharedTerm& a, const SharedTerm& b) {
  return a.value == b.value && a.coefficient == b.coefficient;
}

/// A value that is a sum of terms and of what is no such term.
struct LinearSum {
  ValueId dest;
  int statement = 0;
  std::vector<SharedTerm> terms;    ///< no value twice with one coefficient
  std::vector<Instruction> others;  ///< contributions
  bool changed = false;
};

/// The term that an instruction sets or contributes; empty for another operation.
std::optional<SharedTerm> TermOf(const kernel::Body& body, const Instruction& instruction) {
  SharedTerm term;
  term.negative = instruction.negative;
  const auto& operands = instruction.operands;
  if (std::holds_alternative<kernel::Copy>(instruction.operation)) {
    term.value = operands[0];
    return term;
  }
  const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
  if (binary == nullptr || *binary != BinaryOp::Mul) return std::nullopt;
  const bool first = kernel::IsCoefficient(body.values[operands[0]]);
  if (first == kernel::IsCoefficient(body.values[operands[1]])) return std::nullopt;
  term.coefficient = operands[first ? 0 : 1];
  term.value = operands[first ? 1 : 0];
  return term;
}

/// The sum that these instructions compute together; empty where it is none.
std::optional<LinearSum> SumOf(const kernel::Body& body,
                               const std::vector<std::size_t>& definitions) {
  const Instruction& first = body.instructions[definitions.front()];
  LinearSum sum;
  sum.dest = first.dest;
  sum.statement = first.statement;
  if (!IsFloating(body.values[sum.dest].type)) return std::nullopt;
  if (first.combine == Combine::None) {
    const auto* binary = std::get_if<BinaryOp>(&first.operation);
    if (binary == nullptr || (*binary != BinaryOp::Add && *binary != BinaryOp::Sub)) {
      return std::nullopt;
    }
    sum.terms = {{first.operands[0], {}, false}, {first.operands[1], {}, *binary == BinaryOp::Sub}};
    return sum;
  }
  if (first.combine != Combine::Sum) return std::nullopt;
  for (const std::size_t k : definitions) {
    const auto term = TermOf(body, body.instructions[k]);
    const bool again =
        term && std::any_of(sum.terms.begin(), sum.terms.end(),
                            [&](const SharedTerm& t) { return AreOneTerm(t, *term); });
    if (term && !again) {
      sum.terms.push_back(*term);
    } else {
      sum.others.push_back(body.instructions[k]);
    }
  }
  return sum;
}

class Sharer {
 public:
  explicit Sharer(kernel::Body body) : body_(std::move(body)) {}

  kernel::Body Run() {
    const kernel::Uses uses = kernel::FindUses(body_);
    for (std::size_t k = 0; k < body_.instructions.size(); ++k) {
      const auto& definitions = uses.definitions[body_.instructions[k].dest.index];
      if (definitions.back() != k) continue;
      auto sum = SumOf(body_, definitions);
      if (sum && sum->terms.size() > 1) sums_.push_back(std::move(*sum));
    }
    if (sums_.empty()) return std::move(body_);
    for (const LinearSum& sum : sums_) CountPairs(sum, 1);
    do {
      while (SharePair()) {
      }
    } while (ShareTerms());
    return Rewritten(uses);
  }

 private:
  /// Two values with one coefficient, of one sign or of two.
  using Pair = std::tuple<ValueId, ValueId, bool>;

  static Pair PairOf(const SharedTerm& a, const SharedTerm& b) {
    const bool differ = a.negative != b.negative;
    return a.value < b.value ? Pair(a.value, b.value, differ) : Pair(b.value, a.value, differ);
  }
  bool MayPair(const SharedTerm& a, const SharedTerm& b) const {
    return a.coefficient == b.coefficient && a.value != b.value &&
           body_.values[a.value].type == body_.values[b.value].type;
  }
  void CountPairs(const LinearSum& sum, int times) {
    for (std::size_t b = 1; b < sum.terms.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (MayPair(sum.terms[a], sum.terms[b]))
          pairs_[PairOf(sum.terms[a], sum.terms[b])] += times;
      }
    }
  }

  ValueId NewValue(ScalarType type) {
    return body_.values.Add({kernel::Temporary{}, type, fmt::format("s{}", shared_.size())});
  }
  /// A sum that others have as a term.
  ValueId AddShared(std::vector<SharedTerm> terms, int statement) {
    LinearSum sum;
    sum.dest = NewValue(body_.values[terms[0].value].type);
    sum.statement = statement;
    sum.terms = std::move(terms);
    sum.changed = true;
    shared_.insert(sum.dest);
    sums_.push_back(sum);
    return sum.dest;
  }

  /// The pair that most sums have becomes a value; false where none is in two sums.
  bool SharePair() {
    const auto most =
        std::max_element(pairs_.begin(), pairs_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == pairs_.end() || most->second < 2) return false;
    const Pair pair = most->first;
    ValueId value;
    const std::size_t count = sums_.size();
    for (std::size_t n = 0; n < count; ++n) {
      const auto [a, b] = FindPair(sums_[n], pair);
      if (a == b) continue;
      if (!value.Valid()) {
        value =
            AddShared({{std::get<0>(pair), {}, false}, {std::get<1>(pair), {}, std::get<2>(pair)}},
                      sums_[n].statement);
      }
      LinearSum& sum = sums_[n];
      CountPairs(sum, -1);
      const SharedTerm& lead = sum.terms[sum.terms[a].value == std::get<0>(pair) ? a : b];
      const SharedTerm term = {value, lead.coefficient, lead.negative};
      sum.terms.erase(sum.terms.begin() + static_cast<std::ptrdiff_t>(b));
      sum.terms[a] = term;
      sum.changed = true;
      CountPairs(sum, 1);
    }
    pairs_.erase(pair);
    return true;
  }
  /// The places of the pair's terms, the lower one first; equal where the sum does not have it.
  std::pair<std::size_t, std::size_t> FindPair(const LinearSum& sum, const Pair& pair) const {
    if (shared_.count(sum.dest) > 0 && sum.terms.size() == 2) return {0, 0};
    for (std::size_t b = 1; b < sum.terms.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (MayPair(sum.terms[a], sum.terms[b]) && PairOf(sum.terms[a], sum.terms[b]) == pair) {
          return {a, b};
        }
      }
    }
    return {0, 0};
  }

  /// The terms that the second sum has as well, all of one sign or all of the other.
  static std::vector<SharedTerm> CommonTerms(const std::vector<SharedTerm>& a,
                                             const std::vector<SharedTerm>& b, bool opposite) {
    std::vector<SharedTerm> common;
    for (const SharedTerm& term : a) {
      const bool has = std::any_of(b.begin(), b.end(), [&](const SharedTerm& other) {
        return AreOneTerm(term, other) && (term.negative != other.negative) == opposite;
      });
      if (has) common.push_back(term);
    }
    return common;
  }
  /// The sums that have all of the terms, and whether of the other sign.
  std::vector<std::pair<std::size_t, bool>> SumsWith(const std::vector<SharedTerm>& terms) const {
    std::vector<std::pair<std::size_t, bool>> found;
    for (std::size_t n = 0; n < sums_.size(); ++n) {
      for (const bool opposite : {false, true}) {
        const bool has_all = CommonTerms(terms, sums_[n].terms, opposite).size() == terms.size();
        if (has_all) found.emplace_back(n, opposite);
      }
    }
    return found;
  }

  /// The terms in common that save most become a value; false where none save anything.
  bool ShareTerms() {
    constexpr std::size_t kMostSums = 64;
    if (sums_.size() > kMostSums) return false;
    std::ptrdiff_t best = 0;
    std::vector<SharedTerm> terms;
    for (std::size_t b = 1; b < sums_.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        for (const bool opposite : {false, true}) {
          std::vector<SharedTerm> common = CommonTerms(sums_[a].terms, sums_[b].terms, opposite);
          if (common.size() < 3) continue;
          const auto sums = static_cast<std::ptrdiff_t>(SumsWith(common).size());
          const auto size = static_cast<std::ptrdiff_t>(common.size());
          const std::ptrdiff_t saved = sums * size - size - sums;
          if (saved <= best) continue;
          best = saved;
          terms = std::move(common);
        }
      }
    }
    if (best == 0) return false;
    const auto sums = SumsWith(terms);
    const ValueId value = AddShared(terms, sums_[sums.front().first].statement);
    CountPairs(sums_.back(), 1);
    for (const auto& [n, opposite] : sums) {
      LinearSum& sum = sums_[n];
      CountPairs(sum, -1);
      const auto taken = [&](const SharedTerm& term) {
        return std::any_of(terms.begin(), terms.end(),
                           [&](const SharedTerm& each) { return AreOneTerm(each, term); });
      };
      sum.terms.erase(std::remove_if(sum.terms.begin(), sum.terms.end(), taken), sum.terms.end());
      sum.terms.push_back({value, {}, opposite});
      sum.changed = true;
      CountPairs(sum, 1);
    }
    return true;
  }

  /// Sums stand where their last contribution stood, what they share before the first of them.
  kernel::Body Rewritten(const kernel::Uses& uses) {
    for (std::size_t n = 0; n < sums_.size(); ++n) sum_of_[sums_[n].dest] = n;
    std::vector<Instruction> before = std::move(body_.instructions);
    body_.instructions.clear();
    for (std::size_t k = 0; k < before.size(); ++k) {
      const auto at = sum_of_.find(before[k].dest);
      if (at == sum_of_.end() || !sums_[at->second].changed) {
        body_.instructions.push_back(std::move(before[k]));
      } else if (uses.definitions[before[k].dest.index].back() == k) {
        EmitSum(sums_[at->second]);
      }
    }
    return std::move(body_);
  }
  void EmitSum(const LinearSum& sum) {
    for (const SharedTerm& term : sum.terms) {
      if (shared_.erase(term.value) > 0) EmitSum(sums_[sum_of_.at(term.value)]);
    }
    const auto emit = [&](Combine combine, bool negative, kernel::Operation operation,
                          std::vector<ValueId> operands) {
      body_.instructions.push_back(
          {sum.dest, combine, negative, operation, std::move(operands), sum.statement});
    };
    const auto alone = [](const SharedTerm& term) { return !term.coefficient.Valid(); };
    if (!body_.values[sum.dest].held && sum.others.empty() && sum.terms.size() == 2 &&
        std::all_of(sum.terms.begin(), sum.terms.end(), alone) &&
        !(sum.terms[0].negative && sum.terms[1].negative)) {
      const std::size_t first = sum.terms[0].negative ? 1 : 0;  // -a + b is b - a
      const bool minus = sum.terms[1 - first].negative;
      return emit(Combine::None, false, minus ? BinaryOp::Sub : BinaryOp::Add,
                  {sum.terms[first].value, sum.terms[1 - first].value});
    }
    for (const SharedTerm& term : sum.terms) {
      if (alone(term)) {
        emit(Combine::Sum, term.negative, kernel::Copy{}, {term.value});
      } else {
        emit(Combine::Sum, term.negative, BinaryOp::Mul, {term.coefficient, term.value});
      }
    }
    for (const Instruction& other : sum.others) body_.instructions.push_back(other);
  }

  kernel::Body body_;
  std::vector<LinearSum> sums_;
  std::map<Pair, int> pairs_;  ///< how many sums have it
  std::set<ValueId> shared_;   ///< values that are new, but for those written
  std::map<ValueId, std::size_t> sum_of_;
};

bool IsArithmetic(const kernel::Operation& operation) {
  return std::holds_alternative<BinaryOp>(operation) ||
         std::holds_alternative<stencilgen::Function>(operation);
}

}  // namespace

kernel::Body ShareSums(kernel::Body body) {
  return Sharer(std::move(body)).Run();
}

std::int64_t CountArithmetic(const kernel::Body& body) {
  const kernel::Uses uses = kernel::FindUses(body);
  std::int64_t count = 0;
  for (const auto& definitions : uses.definitions) {
    if (definitions.empty()) continue;
    const Instruction& first = body.instructions[definitions.front()];
    bool begins = !body.values[first.dest].held;
    for (const std::size_t k : definitions) {
      const Instruction& instruction = body.instructions[k];
      const bool copies = std::holds_alternative<kernel::Copy>(instruction.operation);
      if (instruction.combine == Combine::None) {
        count += IsArithmetic(instruction.operation) ? 1 : 0;
      } else if (copies && begins) {
        begins = false;
      } else {
        ++count;
      }
    }
  }
  for (const kernel::Result& result : body.results) {
    if (result.sink != kernel::Sink::Add || body.values[result.value].held) continue;
    const auto& definitions = uses.definitions[result.value.index];
    const auto* binary = std::get_if<BinaryOp>(&body.instructions[definitions.back()].operation);
    const bool product = definitions.size() == 1 && binary != nullptr && *binary == BinaryOp::Mul;
    count += product && uses.uses[result.value.index].empty() ? 0 : 1;
  }
  return count;
}

}  // namespace stencilgen::passes
