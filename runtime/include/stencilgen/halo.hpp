#ifndef STENCILGEN_HALO_HPP
#define STENCILGEN_HALO_HPP

#include <array>
#include <cstddef>
#include <vector>

#include "stencilgen/box.hpp"
#include "stencilgen/ranks.hpp"

/// Which elements of the arrays that ranks share are a rank's own, and which it exchanges.
namespace stencilgen::mpi {

using ranks::kMaxAxes;
using ranks::Part;

/// Ghosts that lie beyond a rank's own points along several axes at once: by axis so many below and
/// above, 0 and 0 along the others.
struct Corner {
  std::array<long long, kMaxAxes> lo{}, hi{};
};

/// How many ghosts of a field, elements of its array, are filled, by axis.
struct Depth {
  int field = 0;
  std::array<long long, kMaxAxes> lo{}, hi{};  ///< beyond the own points along one axis alone
  std::vector<Corner> corners{};

  /// How many there are in the direction along each axis that it steps along, 0 along the others;
  /// empty where there are none.
  std::vector<long long> In(const std::vector<int>& steps) const {
    std::size_t along = 0;
    for (const int step : steps) along += step != 0 ? 1 : 0;
    if (along == 1) return Deep(lo, hi, steps, false);
    for (const Corner& corner : corners) {
      std::vector<long long> deep = Deep(corner.lo, corner.hi, steps, true);
      if (!deep.empty()) return deep;
    }
    return {};
  }

 private:
  /// `only`: there are none along other axes.
  static std::vector<long long> Deep(const std::array<long long, kMaxAxes>& lo,
                                     const std::array<long long, kMaxAxes>& hi,
                                     const std::vector<int>& steps, bool only) {
    std::vector<long long> deep;
    for (std::size_t a = 0; a < steps.size(); ++a) {
      deep.push_back(steps[a] == 0 ? 0 : steps[a] < 0 ? lo[a] : hi[a]);
      if (steps[a] != 0 && deep.back() == 0) return {};
      if (steps[a] == 0 && only && (lo[a] > 0 || hi[a] > 0)) return {};
    }
    return deep;
  }
};

/// The elements of an array, as places in all of it, that belong to a part of the grid.
inline Box OwnBox(const std::vector<Dimension>& dimensions, const std::vector<Part>& parts) {
  Box box;
  for (const Dimension& dimension : dimensions) {
    if (dimension.axis < 0) {
      box.first.push_back(0);
      box.end.push_back(dimension.points);
      continue;
    }
    const Part& part = parts[static_cast<std::size_t>(dimension.axis)];
    box.first.push_back(part.lo * dimension.scale);
    box.end.push_back(part.hi * dimension.scale + (part.is_last ? dimension.excess : 0));
  }
  return box;
}

/// The elements, as above, that the rank with these parts sends to its neighbour in the direction,
/// or gets from it; empty where there are none.
inline Box ExchangedBox(const std::vector<Dimension>& dimensions, const std::vector<Part>& parts,
                        const Depth& depth, std::vector<int> steps, bool sent) {
  const std::vector<int> towards = steps;
  // What is sent the neighbour has on the other side.
  for (int& step : steps) step = sent ? -step : step;
  const std::vector<long long> points = depth.In(steps);
  if (points.empty()) return {};
  Box box = OwnBox(dimensions, parts);
  for (std::size_t a = 0; a < towards.size(); ++a) {
    if (towards[a] == 0) continue;
    std::size_t d = 0;
    while (d < dimensions.size() && dimensions[d].axis != static_cast<int>(a)) ++d;
    if (d == dimensions.size()) return {};
    const bool low = towards[a] < 0;
    const long long border = (low ? parts[a].lo : parts[a].hi) * dimensions[d].scale;
    box.first[d] = low == sent ? border : border - points[a];
    box.end[d] = box.first[d] + points[a];
  }
  return box;
}

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_HALO_HPP
