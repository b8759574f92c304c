#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "scop/c_region.h"

/// Integers of C that are known when the program is compiled.
namespace stencilgen::scop {

/// Scalars whose values are known.
using Values = std::map<VariableId, std::int64_t>;

/// `a op b`; empty where C has no value for it.
std::optional<std::int64_t> Apply(BinaryOp op, std::int64_t a, std::int64_t b);

/// The expression's value; empty where it needs another scalar, an element or a call, or is so
/// large that C's arithmetic might overflow.
std::optional<std::int64_t> Evaluate(const Region& region, ExprId id, const Values& values);

/// The least and the largest value of a counter that runs between two numbers by one, up or down;
/// empty where it does not, or never.
std::optional<std::pair<std::int64_t, std::int64_t>> CounterRange(const Region& region,
                                                                  const Loop& loop);

/// Which element of an array with these extents the subscripts name, counted in the order of
/// memory; empty where a subscript is not known, or where the array has no such element.
std::optional<std::size_t> ElementNumber(const Region& region,
                                         const std::vector<ExprId>& subscripts,
                                         const std::vector<std::int64_t>& extents);

/// `c[3]` of a constant array becomes its number. True where it has.
bool PutTableValue(const Region& region, Expr& expr);

/// True where a variable of the type can hold the value.
bool Holds(CType type, std::int64_t value);

}  // namespace stencilgen::scop
