#include "scop/polynomial.h"

#include <algorithm>
#include <iterator>

#include "support/match.h"

namespace stencilgen::scop {

Polynomial Sum(Polynomial a, const Polynomial& b, std::int64_t times) {
  for (const auto& [product, factor] : b) {
    if ((a[product] += times * factor) == 0) a.erase(product);
  }
  return a;
}

Polynomial Times(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [x, m] : a) {
    for (const auto& [y, n] : b) {
      Product product = x;
      product.insert(product.end(), y.begin(), y.end());
      std::sort(product.begin(), product.end());
      out = Sum(std::move(out), {{product, m * n}}, 1);
    }
  }
  return out;
}

std::optional<Product> Quotient(const Product& b, const Product& a) {
  if (!std::includes(b.begin(), b.end(), a.begin(), a.end())) return std::nullopt;
  Product out;
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(out));
  return out;
}

std::optional<Polynomial> ReadPolynomial(
    const Region& region, ExprId id,
    const std::function<std::optional<Polynomial>(ExprId)>& other) {
  const auto read = [&](ExprId part) { return ReadPolynomial(region, part, other); };
  const auto node = region.exprs[id].node;  // `other` may add expressions to the region
  return Match(
      node,
      [](const Integer& n) {
        return std::optional(Polynomial{{{}, n.value}});
      },
      [&](const Unary& n) -> std::optional<Polynomial> {
        const auto inner = read(n.operand);
        if (!inner || n.op == UnaryOp::Not) return std::nullopt;
        return n.op == UnaryOp::Plus ? inner : Times(*inner, {{{}, -1}});
      },
      [&](const Binary& n) -> std::optional<Polynomial> {
        if (n.op != BinaryOp::Add && n.op != BinaryOp::Sub && n.op != BinaryOp::Mul) {
          return other(id);
        }
        const auto a = read(n.lhs), b = read(n.rhs);
        if (!a || !b) return std::nullopt;
        if (n.op == BinaryOp::Mul) return Times(*a, *b);
        return Sum(*a, *b, n.op == BinaryOp::Add ? 1 : -1);
      },
      [&](const auto&) { return other(id); });
}

}  // namespace stencilgen::scop
