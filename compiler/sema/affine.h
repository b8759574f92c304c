#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "sema/context.h"

namespace stencilgen::sema {

/// Resolves a name to what it stands for.
using Resolver = std::function<Ref(const std::string&)>;

/// sum of coefficient * iterator + form.
struct Affine {
  std::array<std::int64_t, kMostIterators> coefficients{};
  graph::LinearForm form;
};

/// The largest magnitude of an integer in indices, bounds and extents: C's int.
inline constexpr std::int64_t kLargestInteger = 2147483647;

/// The expression as an affine function of iterators and parameters; empty where it is none.
/// Integers beyond kLargestInteger are reported as `literal-overflow` and also give empty.
std::optional<Affine> ToAffine(Context& context, const Resolver& resolve, ast::ExprId expr);

/// An extent, domain bound or iteration count: an integer, a parameter, or their sums. Reports
/// `not-a-size` (`what` names it: "a domain bound") and gives empty otherwise.
std::optional<graph::LinearForm> ToLinear(Context& context, const Resolver& resolve,
                                          ast::ExprId expr, std::string_view what);

/// One array index. Reports `non-affine-index` and gives empty otherwise.
std::optional<graph::Index> ToIndex(Context& context, const Resolver& resolve, ast::ExprId expr);

/// Names of the program level only.
Resolver ProgramResolver(const Context& context);

}  // namespace stencilgen::sema
