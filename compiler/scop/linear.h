#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <isl/cpp.h>

namespace stencilgen::scop {

/// A sum of the dimensions of a set, the parameters of the model and a number.
struct Linear {
  std::vector<std::int64_t> dims;               ///< factors
  std::map<std::size_t, std::int64_t> symbols;  ///< factors by number of the symbol; none is 0
  std::int64_t constant = 0;

  bool IsConstant() const;
  friend bool operator==(const Linear&, const Linear&) = default;
};

Linear Number(std::int64_t value);
Linear Sum(Linear a, const Linear& b, std::int64_t factor = 1);
Linear Scaled(const Linear& a, std::int64_t factor);

/// The form of one case of a function; empty where it has divisions.
std::optional<Linear> FormOf(const isl::aff& aff);

/// The one linear form of a function of sets' points; empty where there are several, or divisions.
std::optional<Linear> ToLinear(const isl::pw_aff& function);

/// The linear forms of all cases of a function, those that are linear.
std::vector<Linear> CasesOf(const isl::pw_aff& function);

/// The map to one dimension of what it gives.
isl::map OneOutput(const isl::map& map, std::size_t d);

/// The dimension `d` of what the map gives, as far as it is a function; a piece for each case.
isl::pw_aff OutputOf(const isl::map& map, std::size_t d);

/// isl's text, with these names of the dimensions.
std::string IslText(const Linear& linear, const std::vector<std::string>& dims);

/// The smallest and largest value of a dimension, as functions of the parameters alone. Empty where
/// they have several cases. Requires: the set is not empty.
std::optional<Linear> SmallestOf(const isl::set& set, std::size_t d);
std::optional<Linear> LargestOf(const isl::set& set, std::size_t d);

/// The cases of the smallest and the largest value, those that are linear.
std::vector<Linear> SmallestCasesOf(const isl::set& set, std::size_t d);
std::vector<Linear> LargestCasesOf(const isl::set& set, std::size_t d);

}  // namespace stencilgen::scop
