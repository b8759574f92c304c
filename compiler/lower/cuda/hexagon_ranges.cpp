#include "lower/cuda/hexagon_ranges.h"

#include <algorithm>
#include <string>
#include <utility>

namespace stencilgen::lower::cuda {

HexagonRanges::HexagonRanges(const plan::Repeat& repeat, const BandSpace& space, NameScope& names) {
  const std::vector<plan::KernelId>& launches = repeat.band->launches;
  numbers_.resize(launches.size());
  const auto add = [&](const std::string& iterator, kernel::LaunchRange range) {
    range.name = names.Claim(iterator + "_range");
    range.lo = kernel::MakeVar(names.Claim(iterator + "_first"), kernel::kInt);
    range.hi = kernel::MakeVar(names.Claim(iterator + "_last"), kernel::kInt);
    ranges_.push_back(std::move(range));
    return ranges_.size() - 1;
  };
  for (std::size_t n = 0; n < space.Rank(); ++n) {
    std::vector<std::size_t> known;
    for (std::size_t m = 0; m < launches.size(); ++m) {
      kernel::LaunchRange range{"", space.LoOf(launches[m], n), space.HiOf(launches[m], n)};
      const auto same = std::find_if(known.begin(), known.end(), [&](std::size_t number) {
        return kernel::Print(ranges_[number].first) == kernel::Print(range.first) &&
               kernel::Print(ranges_[number].last) == kernel::Print(range.last);
      });
      if (same == known.end()) {
        numbers_[m].push_back(add(space.IteratorName(n), std::move(range)));
        known.push_back(numbers_[m].back());
      } else {
        numbers_[m].push_back(*same);
      }
    }
    if (known.size() == 1) {
      all_.push_back(known.front());
      continue;
    }
    kernel::LaunchRange hull;
    hull.hull = known;
    all_.push_back(add("all_" + space.IteratorName(n), std::move(hull)));
  }
}

}  // namespace stencilgen::lower::cuda
