#include "scop/delinearise.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

/// Variables that are multiplied, in order.
using Product = std::vector<VariableId>;
using Polynomial = std::map<Product, std::int64_t>;

/// From this factor on a number is taken for the size of a row.
constexpr std::int64_t kLeastRow = 8;

Polynomial Times(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [x, m] : a) {
    for (const auto& [y, n] : b) {
      Product product = x;
      product.insert(product.end(), y.begin(), y.end());
      std::sort(product.begin(), product.end());
      out[product] += m * n;
    }
  }
  return out;
}

class Reader {
 public:
  explicit Reader(Region& region)
      : choices_(region.variables.size()), region_(region), inlined_(FindChanges(region).inlined) {
    for (const Statement& statement : region.statements) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) counters_.insert(loop->iterator);
    }
  }

  void Run() {
    std::map<VariableId, std::vector<ExprId>> accesses;
    for (const ExprId id : region_.exprs.Ids()) {
      const auto* element = std::get_if<Element>(&region_.exprs[id].node);
      if (element != nullptr && region_.variables[element->variable].extents.size() == 1) {
        accesses[element->variable].push_back(id);
      }
    }
    for (const auto& [variable, elements] : accesses) Try(variable, elements);
  }

 private:
  /// True for an integer that moves with counters, and with no element.
  bool Counts(ExprId root) const {
    bool counts = false, simple = true;
    ForEachExpr(region_, root, [&](ExprId each) {
      const Expr& expr = region_.exprs[each];
      const auto* use = std::get_if<Use>(&expr.node);
      counts = counts || (use != nullptr && counters_.count(use->variable) > 0);
      simple = simple && IsInteger(expr.type) && !std::holds_alternative<Element>(expr.node);
    });
    return counts && simple;
  }

  /// A choice, or a remainder, that moves with counters is one of them here: `(i > 0 ? i - 1 : 0)`.
  std::optional<Polynomial> ReadChoice(ExprId id) {
    if (!Counts(id)) return std::nullopt;
    return AddChoice(id);
  }

  Polynomial AddChoice(ExprId id) {
    const VariableId choice{static_cast<std::uint32_t>(choices_ + choice_exprs_.size())};
    choice_exprs_.push_back(id);
    counters_.insert(choice);
    return Polynomial{{{choice}, 1}};
  }

  /// Where both values are a number of elements or rows apart, as in `x == 0 ? c : c - 1`, the
  /// second and that distance where the condition holds.
  std::optional<Polynomial> ReadConditional(const Conditional& conditional, ExprId id) {
    const auto yes = Read(conditional.then_value), no = Read(conditional.else_value);
    if (!yes || !no) return ReadChoice(id);
    const Polynomial distance = Sum(*yes, *no, -1);
    const bool counts = std::any_of(distance.begin(), distance.end(), [&](const auto& term) {
      return term.second != 0 &&
             std::any_of(term.first.begin(), term.first.end(),
                         [&](VariableId each) { return counters_.count(each) > 0; });
    });
    const Span span = region_.exprs[id].span;
    if (counts || !Counts(conditional.condition)) return ReadChoice(id);
    const ExprId one = Number(1, span), zero = Number(0, span);
    const ExprId chosen = Add({Conditional{conditional.condition, one, zero}, CType::Int, span});
    return Sum(*no, Times(distance, AddChoice(chosen)), 1);
  }

  static Polynomial Sum(Polynomial a, const Polynomial& b, std::int64_t times) {
    for (const auto& [product, factor] : b) {
      if ((a[product] += times * factor) == 0) a.erase(product);
    }
    return a;
  }

  std::optional<Polynomial> Read(ExprId id) {
    const Expr expr = region_.exprs[id];  // what is read may get expressions more
    return Match(
        expr.node,
        [](const Integer& n) {
          return std::optional(Polynomial{{{}, n.value}});
        },
        [&](const Use& n) {
          const auto found = inlined_.find(n.variable);
          if (found != inlined_.end()) return Read(found->second);
          return std::optional(Polynomial{{{n.variable}, 1}});
        },
        [&](const Unary& n) -> std::optional<Polynomial> {
          const auto inner = Read(n.operand);
          if (!inner || n.op == UnaryOp::Not) return std::nullopt;
          return n.op == UnaryOp::Plus ? inner : Times(*inner, {{{}, -1}});
        },
        [&](const Binary& n) -> std::optional<Polynomial> {
          if (n.op == BinaryOp::Mod) return ReadChoice(id);
          const auto a = Read(n.lhs), b = Read(n.rhs);
          if (!a || !b) return std::nullopt;
          if (n.op == BinaryOp::Mul) return Times(*a, *b);
          if (n.op != BinaryOp::Add && n.op != BinaryOp::Sub) return std::nullopt;
          return Sum(*a, *b, n.op == BinaryOp::Add ? 1 : -1);
        },
        [&](const Conditional& n) { return ReadConditional(n, id); },
        [&](const Call&) { return ReadChoice(id); },
        [](const auto&) { return std::optional<Polynomial>(); });
  }

  /// A product without its counter; empty where it has not exactly one.
  std::optional<Product> SizesOf(const Product& product) const {
    Product sizes;
    std::size_t counters = 0;
    for (const VariableId id : product) {
      if (counters_.count(id) > 0) {
        ++counters;
      } else {
        sizes.push_back(id);
      }
    }
    if (counters != 1) return std::nullopt;
    return sizes;
  }

  void Try(VariableId variable, const std::vector<ExprId>& elements) {
    std::vector<Polynomial> subscripts;
    std::set<Product> strides;
    std::set<std::int64_t> rows;
    for (const ExprId id : elements) {
      const auto polynomial = Read(std::get<Element>(region_.exprs[id].node).subscripts[0]);
      if (!polynomial) return;
      for (const auto& [product, factor] : *polynomial) {
        const auto sizes = SizesOf(product);
        if (!sizes || factor == 0) continue;
        strides.insert(*sizes);
        if (sizes->empty()) rows.insert(std::abs(factor));
      }
      subscripts.push_back(*polynomial);
    }
    strides.insert(Product{});
    if (strides.size() > 1) {
      BySizes(variable, elements, subscripts, strides);
    } else if (rows.size() > 1) {
      ByNumbers(variable, elements, subscripts, rows);
    }
  }

  ExprId Add(Expr expr) { return AddExpr(region_, std::move(expr)); }
  ExprId Number(std::int64_t value, Span span) { return Add({Integer{value}, CType::Int, span}); }

  ExprId ExprOf(const Polynomial& polynomial, Span span) {
    ExprId sum = Number(0, span);
    for (const auto& [product, factor] : polynomial) {
      ExprId term = Number(factor, span);
      for (const VariableId id : product) {
        const ExprId use = id.index < choices_ ? Add({Use{id}, CType::Int, span})
                                               : choice_exprs_[id.index - choices_];
        term = Add({Binary{BinaryOp::Mul, term, use}, CType::Int, span});
      }
      sum = Add({Binary{BinaryOp::Add, sum, term}, CType::Int, span});
    }
    return sum;
  }

  /// `b` without the factors of `a`; empty where it has not all of them.
  static std::optional<Product> Quotient(const Product& b, const Product& a) {
    if (!std::includes(b.begin(), b.end(), a.begin(), a.end())) return std::nullopt;
    Product out;
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(out));
    return out;
  }

  void BySizes(VariableId variable, const std::vector<ExprId>& elements,
               const std::vector<Polynomial>& subscripts, const std::set<Product>& strides) {
    // From the largest to a single element, each a multiple of the next one.
    std::vector<Product> order(strides.begin(), strides.end());
    std::sort(order.begin(), order.end(),
              [](const Product& a, const Product& b) { return a.size() > b.size(); });
    std::vector<Product> extents;
    for (std::size_t k = 1; k < order.size(); ++k) {
      const auto extent = Quotient(order[k - 1], order[k]);
      if (!extent || extent->empty()) return;
      extents.push_back(*extent);
    }
    std::vector<std::vector<Polynomial>> split;
    for (const Polynomial& subscript : subscripts) {
      std::vector<Polynomial> dims(order.size());
      for (const auto& [product, factor] : subscript) {
        const auto sizes = SizesOf(product);
        Product rest = product;
        std::size_t d = order.size() - 1;
        for (std::size_t k = 0; k < order.size(); ++k) {
          if (order[k] != (sizes ? *sizes : product)) continue;
          d = k;
          rest = *Quotient(product, order[k]);
        }
        if (rest.size() > 1) return;
        dims[d][rest] += factor;
      }
      split.push_back(std::move(dims));
    }
    Apply(
        variable, elements, split,
        [&](std::size_t k, Span span) {
          return ExprOf({{extents[k], 1}}, span);
        },
        extents.size());
  }

  void ByNumbers(VariableId variable, const std::vector<ExprId>& elements,
                 const std::vector<Polynomial>& subscripts, const std::set<std::int64_t>& rows) {
    std::vector<std::int64_t> order;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (*row >= kLeastRow) order.push_back(*row);
    }
    order.push_back(1);
    for (std::size_t k = 1; k < order.size(); ++k) {
      if (order[k - 1] % order[k] != 0) return;
    }
    if (order.size() < 2) return;
    std::vector<std::vector<Polynomial>> split;
    for (const Polynomial& subscript : subscripts) {
      std::vector<Polynomial> dims(order.size());
      for (const auto& [product, factor] : subscript) {
        if (!product.empty()) {
          std::size_t d = 0;
          while (factor % order[d] != 0) ++d;
          dims[d][product] += factor / order[d];
          continue;
        }
        // A number is the nearest rows, and what is left along a row.
        std::int64_t rest = factor;
        for (std::size_t d = 0; d < order.size(); ++d) {
          const std::int64_t half = order[d] / 2;
          const std::int64_t whole =
              rest >= 0 ? (rest + half) / order[d] : -((half - rest) / order[d]);
          dims[d][{}] += whole;
          rest -= whole * order[d];
        }
      }
      split.push_back(std::move(dims));
    }
    Apply(
        variable, elements, split,
        [&](std::size_t k, Span span) { return Number(order[k] / order[k + 1], span); },
        order.size() - 1);
  }

  template <typename Extent>
  void Apply(VariableId variable, const std::vector<ExprId>& elements,
             const std::vector<std::vector<Polynomial>>& split, const Extent& extent,
             std::size_t count) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const Span span = region_.exprs[elements[k]].span;
      std::vector<ExprId> subscripts;
      for (const Polynomial& dim : split[k]) subscripts.push_back(ExprOf(dim, span));
      std::get<Element>(region_.exprs[elements[k]].node).subscripts = std::move(subscripts);
    }
    const Span span = region_.variables[variable].used;
    std::vector<std::optional<ExprId>> extents{std::nullopt};
    for (std::size_t k = 0; k < count; ++k) extents.emplace_back(extent(k, span));
    region_.variables[variable].extents = std::move(extents);
    region_.variables[variable].is_linear = true;
  }

  std::size_t choices_;               ///< the first number of a variable that stands for a choice
  std::vector<ExprId> choice_exprs_;  ///< in their order
  Region& region_;
  std::map<VariableId, ExprId> inlined_;
  std::set<VariableId> counters_;
};

}  // namespace

void Delinearise(Region& region) {
  Reader(region).Run();
}

}  // namespace stencilgen::scop
