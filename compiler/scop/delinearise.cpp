#include "scop/delinearise.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "scop/changes.h"
#include "scop/evaluate.h"
#include "scop/polynomial.h"
#include "scop/scalar_uses.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

/// From this factor on a number is taken for the size of a row.
constexpr std::int64_t kLeastRow = 8;

class SubscriptReader {
 public:
  explicit SubscriptReader(Region& region)
      : choices_(region.variables.size()), region_(region), inlined_(FindChanges(region).inlined) {
    for (const Statement& statement : region.statements) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) counters_.insert(loop->iterator);
    }
  }

  void Run() {
    std::map<VariableId, std::vector<ExprId>> accesses;
    ForEachExpr(region_, region_.body, [&](ExprId id) {
      const auto* element = std::get_if<Element>(&region_.exprs[id].node);
      if (element != nullptr && region_.variables[element->variable].extents.size() == 1) {
        accesses[element->variable].push_back(id);
      }
    });
    for (const auto& [variable, elements] : accesses) Try(variable, elements);
  }

 private:
  /// True for an integer that moves with counters, and with no element.
  bool Counts(ExprId root) const {
    bool counts = false, simple = true;
    LookAt(root, counts, simple);
    return counts && simple;
  }

  void LookAt(ExprId root, bool& counts, bool& simple) const {
    ForEachExpr(region_, root, [&](ExprId each) {
      const Expr& expr = region_.exprs[each];
      simple = simple && IsInteger(expr.type) && !std::holds_alternative<Element>(expr.node);
      const auto* use = std::get_if<Use>(&expr.node);
      if (use == nullptr) return;
      counts = counts || counters_.count(use->variable) > 0;
      const auto found = inlined_.find(use->variable);
      if (found != inlined_.end()) LookAt(found->second, counts, simple);
    });
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
    if (!splits_ || counts || !Counts(conditional.condition)) return ReadChoice(id);
    const ExprId one = Number(1, span), zero = Number(0, span);
    const ExprId chosen = Add({Conditional{conditional.condition, one, zero}, CType::Int, span});
    return Sum(*no, Times(distance, AddChoice(chosen)), 1);
  }

  std::optional<Polynomial> Read(ExprId id) {
    return ReadPolynomial(region_, id, [&](ExprId part) -> std::optional<Polynomial> {
      const auto node = region_.exprs[part].node;  // what is read may get expressions more
      return Match(
          node,
          [&](const Use& n) {
            const auto found = inlined_.find(n.variable);
            if (found != inlined_.end()) return Read(found->second);
            return std::optional(Polynomial{{{n.variable}, 1}});
          },
          [&](const Binary& n) { return n.op == BinaryOp::Mod ? ReadChoice(part) : std::nullopt; },
          [&](const Conditional& n) { return ReadConditional(n, part); },
          [&](const Call&) { return ReadChoice(part); },
          [](const auto&) { return std::optional<Polynomial>(); });
    });
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
    if (!ReadAll(elements, subscripts)) {
      if (HasRows(subscripts)) NoteOutOfRows(variable, elements, false);
      return;
    }
    // `i > 1 ? i - 2 : i - 2 + n` goes around in a row of `n`: there are no others.
    splits_ = HasRows(subscripts);
    const bool whole = splits_ || ReadAll(elements, subscripts);
    splits_ = true;
    if (!whole) return;
    const std::int64_t size = ElementSize(subscripts);
    std::vector<Polynomial> parts;
    if (size > 1) {
      for (Polynomial& subscript : subscripts) parts.push_back(TakePart(subscript, size));
    }
    auto dimensions = DimensionsOf(subscripts);
    if (!dimensions) {
      if (splits_ && HasRows(subscripts)) NoteOutOfRows(variable, elements, true);
      return;
    }
    if (size > 1) {
      dimensions->extents.push_back({{{}, size}});
      for (std::size_t k = 0; k < parts.size(); ++k) dimensions->subscripts[k].push_back(parts[k]);
    }
    if (!dimensions->extents.empty()) Apply(variable, elements, *dimensions);
  }

  /// Also where some cannot be read: then the others.
  bool ReadAll(const std::vector<ExprId>& elements, std::vector<Polynomial>& subscripts) {
    subscripts.clear();
    for (const ExprId id : elements) {
      auto polynomial = ReadSubscript(id);
      if (polynomial) subscripts.push_back(*std::move(polynomial));
    }
    return subscripts.size() == elements.size();
  }

  std::optional<Polynomial> ReadSubscript(ExprId element) {
    return Read(std::get<Element>(region_.exprs[element].node).subscripts[0]);
  }

  /// Notes the first element that cannot be read, or with which no dimensions are found any more.
  void NoteOutOfRows(VariableId variable, const std::vector<ExprId>& elements, bool is_sum) {
    std::vector<Polynomial> subscripts;
    for (const ExprId element : elements) {
      const std::optional<Polynomial> polynomial = ReadSubscript(element);
      if (polynomial) subscripts.push_back(*polynomial);
      if (is_sum ? !DimensionsOf(subscripts).has_value() : !polynomial.has_value()) {
        region_.out_of_rows[variable] = {element, is_sum};
        return;
      }
    }
  }

  /// True where a loop's counter moves by sizes.
  bool HasRows(const std::vector<Polynomial>& subscripts) const {
    return std::any_of(subscripts.begin(), subscripts.end(), [&](const Polynomial& subscript) {
      return std::any_of(subscript.begin(), subscript.end(), [&](const auto& term) {
        const auto& [product, factor] = term;
        return factor != 0 && product.size() > 1 &&
               std::any_of(product.begin(), product.end(), [&](VariableId each) {
                 return each.index < choices_ && counters_.count(each) > 0;
               });
      });
    });
  }

  /// The factor of a counter that steps from element to element, or of a number; 0 of a product
  /// with sizes.
  std::int64_t UnitFactor(const Product& product, std::int64_t factor) const {
    const bool unit = product.empty() || (product.size() == 1 && counters_.count(product[0]) > 0);
    return unit ? factor : 0;
  }

  /// How many numbers of each point lie beside each other, as the colours of a picture in
  /// `u[(i*n + j)*3 + c]`; 1 where that is not seen.
  std::int64_t ElementSize(const std::vector<Polynomial>& subscripts) const {
    std::int64_t common = 0;  // a divisor of all factors of sizes
    std::set<std::int64_t> steps, numbers;
    for (const Polynomial& subscript : subscripts) {
      for (const auto& [product, factor] : subscript) {
        const std::int64_t unit = UnitFactor(product, factor);
        if (unit == 0) common = std::gcd(common, factor);
        if (unit != 0 && !product.empty()) steps.insert(std::abs(unit));
      }
    }
    const auto least = steps.upper_bound(1);
    const bool sizes = common != 0;
    const std::int64_t size = sizes ? common : least == steps.end() ? 1 : *least;
    bool moves = false, counts = false;
    for (const Polynomial& subscript : subscripts) {
      const auto constant = subscript.find(Product{});
      numbers.insert(Modulo(constant == subscript.end() ? 0 : constant->second, size));
      for (const auto& [product, factor] : subscript) {
        const std::int64_t unit = UnitFactor(product, factor);
        if (product.empty() || unit == 0) continue;
        moves = moves || unit % size == 0;
        if (unit % size == 0) continue;
        const auto turns = TurnsOf(product[0]);
        if (std::abs(unit) != 1 || !turns || turns->second - turns->first >= size) return 1;
        counts = true;
      }
    }
    if (size < 2 || !moves) return 1;
    const bool named = numbers.size() > 1 && (sizes || size >= kLeastRow);
    return counts || named ? size : 1;
  }

  static std::int64_t Modulo(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

  /// The least and the largest value of a counter between numbers that step by one.
  std::optional<std::pair<std::int64_t, std::int64_t>> TurnsOf(VariableId counter) const {
    std::optional<std::pair<std::int64_t, std::int64_t>> all;
    for (const Statement& statement : region_.statements) {
      const auto* loop = std::get_if<Loop>(&statement.node);
      if (loop == nullptr || loop->iterator != counter) continue;
      const auto turns = CounterRange(region_, *loop);
      if (!turns) return std::nullopt;
      if (!all) all = turns;
      all->first = std::min(all->first, turns->first);
      all->second = std::max(all->second, turns->second);
    }
    return all;
  }

  /// Takes what says which of the `size` numbers of a point is meant out of the subscript, which is
  /// that of the point then.
  Polynomial TakePart(Polynomial& subscript, std::int64_t size) const {
    Polynomial point, part;
    std::int64_t first = 0;  // of the part, but for the constant
    for (const auto& [product, factor] : subscript) {
      if (product.empty()) continue;
      if (factor % size == 0) {
        point[product] = factor / size;
      } else {
        part[product] = factor;
        const auto turns = TurnsOf(product[0]);
        first += factor > 0 ? turns->first : -turns->second;
      }
    }
    const auto constant = subscript.find(Product{});
    const std::int64_t number = constant == subscript.end() ? 0 : constant->second;
    part[{}] = Modulo(number + first, size) - first;
    point[{}] = (number - part[{}]) / size;
    subscript = std::move(point);
    return part;
  }

  /// An array of several dimensions in the place of one.
  struct Dimensions {
    std::vector<std::vector<Polynomial>> subscripts;  ///< of each access
    std::vector<Polynomial> extents;                  ///< but the first one
  };

  std::optional<Dimensions> DimensionsOf(const std::vector<Polynomial>& subscripts) const {
    std::set<Product> strides{Product{}};
    std::set<std::int64_t> rows;
    for (const Polynomial& subscript : subscripts) {
      for (const auto& [product, factor] : subscript) {
        const auto sizes = SizesOf(product);
        if (!sizes || factor == 0) continue;
        strides.insert(*sizes);
        if (sizes->empty()) rows.insert(std::abs(factor));
      }
    }
    return strides.size() > 1 ? BySizes(subscripts, strides) : ByNumbers(subscripts, rows);
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

  /// The dimension that a product moves along, and what it is there. Without a counter, as `n*m` of
  /// `(n-1)*m + j`, it is that of the largest stride in it.
  std::pair<std::size_t, Product> PlaceOf(const Product& product,
                                          const std::vector<Product>& strides) const {
    const auto sizes = SizesOf(product);
    for (std::size_t d = 0; d < strides.size(); ++d) {
      const auto rest = Quotient(product, strides[d]);
      if (sizes ? *sizes == strides[d] : rest && rest->size() <= 1) return {d, *rest};
    }
    return {strides.size() - 1, product};
  }

  /// What lies before the first element of a row is at the end of the one before: `i*m + m - 1` is
  /// no element of row i+1, and `i*m + m - 1 - j` neither. `extents`: of all dimensions but the
  /// first.
  void StayInRows(std::vector<Polynomial>& dims, const std::vector<Polynomial>& extents) const {
    for (std::size_t d = dims.size() - 1; d > 0; --d) {
      bool moves = false, back = false;
      for (const auto& [product, factor] : dims[d]) {
        moves = moves || (!product.empty() && factor > 0);
        back = back || factor < 0;
      }
      if (moves || !back) continue;
      dims[d] = Sum(dims[d], extents[d - 1], 1);
      dims[d - 1] = Sum(dims[d - 1], Polynomial{{Product{}, 1}}, -1);
    }
  }

  std::optional<Dimensions> BySizes(const std::vector<Polynomial>& subscripts,
                                    const std::set<Product>& strides) const {
    // From the largest to a single element, each a multiple of the next one.
    std::vector<Product> order(strides.begin(), strides.end());
    std::sort(order.begin(), order.end(),
              [](const Product& a, const Product& b) { return a.size() > b.size(); });
    Dimensions out;
    for (std::size_t k = 1; k < order.size(); ++k) {
      const auto extent = Quotient(order[k - 1], order[k]);
      if (!extent || extent->empty()) return std::nullopt;
      out.extents.push_back({{*extent, 1}});
    }
    for (const Polynomial& subscript : subscripts) {
      std::vector<Polynomial> dims(order.size());
      for (const auto& [product, factor] : subscript) {
        const auto [d, rest] = PlaceOf(product, order);
        if (rest.size() > 1) return std::nullopt;
        dims[d][rest] += factor;
      }
      StayInRows(dims, out.extents);
      out.subscripts.push_back(std::move(dims));
    }
    return out;
  }

  std::optional<Dimensions> ByNumbers(const std::vector<Polynomial>& subscripts,
                                      const std::set<std::int64_t>& rows) const {
    std::vector<std::int64_t> order;
    for (const std::int64_t row : rows | std::views::reverse) {
      if (row >= kLeastRow) order.push_back(row);
    }
    // A single row of points keeps the step that all of its subscripts have.
    if (rows.size() < 2) order.clear();
    order.push_back(1);
    Dimensions out;
    for (std::size_t k = 1; k < order.size(); ++k) {
      if (order[k - 1] % order[k] != 0) return std::nullopt;
      out.extents.push_back({{{}, order[k - 1] / order[k]}});
    }
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
      StayInRows(dims, out.extents);
      out.subscripts.push_back(std::move(dims));
    }
    return out;
  }

  void Apply(VariableId variable, const std::vector<ExprId>& elements,
             const Dimensions& dimensions) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const Span span = region_.exprs[elements[k]].span;
      std::vector<ExprId> subscripts;
      for (const Polynomial& dim : dimensions.subscripts[k]) {
        subscripts.push_back(ExprOf(dim, span));
      }
      std::get<Element>(region_.exprs[elements[k]].node).subscripts = std::move(subscripts);
    }
    const Span span = region_.variables[variable].used;
    std::vector<std::optional<ExprId>> extents{std::nullopt};
    for (const Polynomial& extent : dimensions.extents) extents.emplace_back(ExprOf(extent, span));
    region_.variables[variable].extents = std::move(extents);
    region_.variables[variable].is_linear = true;
  }

  bool splits_ = true;                ///< choices between elements that lie sizes apart
  std::size_t choices_;               ///< the first number of a variable that stands for a choice
  std::vector<ExprId> choice_exprs_;  ///< in their order
  Region& region_;
  std::map<VariableId, ExprId> inlined_;
  std::set<VariableId> counters_;
};

}  // namespace

void Delinearise(Region& region) {
  SubscriptReader(region).Run();
}

}  // namespace stencilgen::scop
