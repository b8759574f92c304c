#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "scop/c_region.h"

/// Subscripts like `(i*n + j)*3 + c` as sums of products.
namespace stencilgen::scop {

/// Variables that are multiplied, in order.
using Product = std::vector<VariableId>;
/// The factor of each product; that of the empty one is the constant.
using Polynomial = std::map<Product, std::int64_t>;

/// `a + times*b`, without products whose factor is 0.
Polynomial Sum(Polynomial a, const Polynomial& b, std::int64_t times);
Polynomial Times(const Polynomial& a, const Polynomial& b);

/// `b` without the factors of `a`; empty where it has not all of them.
std::optional<Product> Quotient(const Product& b, const Product& a);

/// Reads sums and products of integers. `other` reads what else there is, and each variable.
std::optional<Polynomial> ReadPolynomial(
    const Region& region, ExprId id, const std::function<std::optional<Polynomial>(ExprId)>& other);

}  // namespace stencilgen::scop
