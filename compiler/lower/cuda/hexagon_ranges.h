#pragma once

#include <cstddef>
#include <vector>

#include "kernel/code.h"
#include "kernel/launch.h"
#include "lower/band_space.h"
#include "lower/names.h"

namespace stencilgen::lower::cuda {

/// Where the launches of a band have points, as arguments of the kernel that has them all: the host
/// computes the ends of domains.
class HexagonRanges {
 public:
  HexagonRanges(const plan::Repeat& repeat, const BandSpace& space, NameScope& names);

  /// The first and the last place of the m-th launch along the n-th iterator; of all launches.
  kernel::Expr Lo(std::size_t m, std::size_t n) const { return kernel::Read(Of(m, n).lo); }
  kernel::Expr Hi(std::size_t m, std::size_t n) const { return kernel::Read(Of(m, n).hi); }
  kernel::Expr First(std::size_t n) const { return kernel::Read(ranges_[all_[n]].lo); }
  kernel::Expr Last(std::size_t n) const { return kernel::Read(ranges_[all_[n]].hi); }

  const std::vector<kernel::LaunchRange>& ranges() const { return ranges_; }
  /// Those of all launches: without points along one of them nothing is computed.
  const std::vector<std::size_t>& all() const { return all_; }

 private:
  const kernel::LaunchRange& Of(std::size_t m, std::size_t n) const {
    return ranges_[numbers_[m][n]];
  }

  std::vector<kernel::LaunchRange> ranges_;
  std::vector<std::vector<std::size_t>> numbers_;  ///< by launch and iterator
  std::vector<std::size_t> all_;                   ///< by iterator
};

}  // namespace stencilgen::lower::cuda
