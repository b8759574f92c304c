#include "scop/linear.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

namespace stencilgen::scop {
namespace {

/// A factor of an aff; empty where it is no whole number.
std::optional<std::int64_t> Whole(isl_val* taken) {
  const isl::val value = isl::manage(taken);
  if (!value.is_int()) return std::nullopt;
  return value.num_si();
}

std::optional<Linear> BoundOf(const isl::set& set, std::size_t d, bool least) {
  isl_pw_aff* bound = least ? isl_set_dim_min(set.copy(), static_cast<int>(d))
                            : isl_set_dim_max(set.copy(), static_cast<int>(d));
  auto linear = ToLinear(isl::manage(bound));
  if (linear) linear->dims.clear();
  return linear;
}

std::vector<Linear> BoundCasesOf(isl_pw_aff* bound) {
  std::vector<Linear> cases = CasesOf(isl::manage(bound).coalesce());
  for (Linear& linear : cases) linear.dims.clear();
  return cases;
}

}  // namespace

std::optional<Linear> FormOf(const isl::aff& aff) {
  Linear linear;
  for (int k = 0; k < isl_aff_dim(aff.get(), isl_dim_div); ++k) {
    const isl::val factor = isl::manage(isl_aff_get_coefficient_val(aff.get(), isl_dim_div, k));
    if (!factor.is_zero()) return std::nullopt;
  }
  for (int k = 0; k < isl_aff_dim(aff.get(), isl_dim_in); ++k) {
    const auto factor = Whole(isl_aff_get_coefficient_val(aff.get(), isl_dim_in, k));
    if (!factor) return std::nullopt;
    linear.dims.push_back(*factor);
  }
  for (int k = 0; k < isl_aff_dim(aff.get(), isl_dim_param); ++k) {
    const auto factor = Whole(isl_aff_get_coefficient_val(aff.get(), isl_dim_param, k));
    if (!factor) return std::nullopt;
    if (*factor == 0) continue;
    const std::string name = isl_aff_get_dim_name(aff.get(), isl_dim_param, k);
    linear.symbols[static_cast<std::size_t>(std::atoll(name.c_str() + 1))] = *factor;
  }
  const auto constant = Whole(isl_aff_get_constant_val(aff.get()));
  if (!constant) return std::nullopt;
  linear.constant = *constant;
  return linear;
}

bool Linear::IsConstant() const {
  return symbols.empty() &&
         std::all_of(dims.begin(), dims.end(), [](std::int64_t factor) { return factor == 0; });
}

Linear Number(std::int64_t value) {
  Linear linear;
  linear.constant = value;
  return linear;
}

Linear Sum(Linear a, const Linear& b, std::int64_t factor) {
  a.dims.resize(std::max(a.dims.size(), b.dims.size()));
  for (std::size_t d = 0; d < b.dims.size(); ++d) a.dims[d] += factor * b.dims[d];
  for (const auto& [symbol, value] : b.symbols) {
    if ((a.symbols[symbol] += factor * value) == 0) a.symbols.erase(symbol);
  }
  a.constant += factor * b.constant;
  return a;
}

Linear Scaled(const Linear& a, std::int64_t factor) {
  return Sum(Linear{}, a, factor);
}

std::optional<Linear> ToLinear(const isl::pw_aff& function) {
  const isl::pw_aff simple = function.gist(function.domain()).coalesce();
  std::optional<Linear> linear;
  bool one = true;
  // Cases that say the same in other words, as where a loop makes one turn, are one.
  std::vector<std::pair<isl::set, isl::aff>> pieces;
  simple.foreach_piece([&](const isl::set& set, const isl::multi_aff& value) {
    pieces.emplace_back(set, value.at(0));
  });
  for (const auto& [set, value] : pieces) {
    if (auto candidate = FormOf(value)) {
      const isl::pw_aff everywhere = isl::pw_aff(value).intersect_domain(function.domain());
      if (isl_pw_aff_is_equal(everywhere.get(), function.get()) == isl_bool_true) {
        return candidate;
      }
      linear = std::move(candidate);
    } else {
      one = false;
    }
  }
  if (one && pieces.size() == 1) return linear;
  return std::nullopt;
}

std::vector<Linear> CasesOf(const isl::pw_aff& function) {
  std::vector<Linear> cases;
  function.foreach_piece([&](const isl::set& /*set*/, const isl::multi_aff& value) {
    if (auto linear = FormOf(value.at(0))) cases.push_back(*std::move(linear));
  });
  return cases;
}

isl::map OneOutput(const isl::map& map, std::size_t d) {
  const auto count = static_cast<unsigned>(isl_map_dim(map.get(), isl_dim_out));
  const auto k = static_cast<unsigned>(d);
  isl_map* one = isl_map_project_out(map.copy(), isl_dim_out, k + 1, count - k - 1);
  return isl::manage(isl_map_project_out(one, isl_dim_out, 0, k));
}

isl::pw_aff OutputOf(const isl::map& map, std::size_t d) {
  isl_pw_multi_aff* function = isl_pw_multi_aff_from_map(map.copy());
  isl_pw_aff* output = isl_pw_multi_aff_get_pw_aff(function, static_cast<int>(d));
  isl_pw_multi_aff_free(function);
  return isl::manage(output);
}

std::string IslText(const Linear& linear, const std::vector<std::string>& dims) {
  std::string text = std::to_string(linear.constant);
  for (std::size_t d = 0; d < linear.dims.size(); ++d) {
    if (linear.dims[d] != 0) text += fmt::format(" + {}*{}", linear.dims[d], dims[d]);
  }
  for (const auto& [symbol, factor] : linear.symbols) {
    text += fmt::format(" + {}*p{}", factor, symbol);
  }
  return fmt::format("({})", text);
}

std::optional<Linear> SmallestOf(const isl::set& set, std::size_t d) {
  return BoundOf(set, d, true);
}
std::optional<Linear> LargestOf(const isl::set& set, std::size_t d) {
  return BoundOf(set, d, false);
}

std::vector<Linear> SmallestCasesOf(const isl::set& set, std::size_t d) {
  return BoundCasesOf(isl_set_dim_min(set.copy(), static_cast<int>(d)));
}
std::vector<Linear> LargestCasesOf(const isl::set& set, std::size_t d) {
  return BoundCasesOf(isl_set_dim_max(set.copy(), static_cast<int>(d)));
}

}  // namespace stencilgen::scop
