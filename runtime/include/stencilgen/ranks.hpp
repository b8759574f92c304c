#ifndef STENCILGEN_RANKS_HPP
#define STENCILGEN_RANKS_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// How ranks share the points of a grid. Every rank computes the same from the same numbers.
namespace stencilgen::ranks {

constexpr int kMaxAxes = 3;

/// An iterator along which ranks share the points.
struct Axis {
  const char* name = "";
  long long points = 1;
  bool periodic = false;     ///< arrays wrap around along it
  bool unit_stride = false;  ///< neighbours along it are neighbours in memory
  long long ghosts_lo = 0, ghosts_hi = 0;

  /// A rank must have as many points as its neighbours read of it.
  long long LeastPoints() const { return std::max({ghosts_lo, ghosts_hi, 1LL}); }
  bool HasNeighbours(long long ranks) const { return ranks > 1 || periodic; }
};

/// The points of a rank along an axis, counted from the whole grid's first one.
struct Part {
  long long lo = 0, hi = 0;      ///< its own, without `hi`
  long long first = 0, end = 0;  ///< with the ghosts
  bool is_first = true, is_last = true;
};

/// The first parts get one point more where they cannot be equal.
inline Part PartOf(const Axis& axis, long long ranks, long long number) {
  const long long least = axis.points / ranks;
  const long long more = axis.points % ranks;
  Part part;
  part.lo = least * number + std::min(number, more);
  part.hi = part.lo + least + (number < more ? 1 : 0);
  part.is_first = number == 0;
  part.is_last = number + 1 == ranks;
  part.first = part.is_first && !axis.periodic ? part.lo : part.lo - axis.ghosts_lo;
  part.end = part.is_last && !axis.periodic ? part.hi : part.hi + axis.ghosts_hi;
  return part;
}

/// True where every rank has as many points as its neighbours need.
inline bool Fits(const Axis& axis, long long ranks) {
  return ranks == 1 && !axis.periodic ? true : axis.points / ranks >= axis.LeastPoints();
}

/// Directions from a rank's place, itself included, and their numbers: the first axis counts most.
inline int DirectionCount(std::size_t axes) {
  int count = 1;
  for (std::size_t a = 0; a < axes; ++a) count *= 3;
  return count;
}
/// -1, 0 or 1: where the direction leads along the axis.
inline int StepOf(int direction, std::size_t axis, std::size_t axes) {
  return direction / DirectionCount(axes - 1 - axis) % 3 - 1;
}
inline std::vector<int> StepsOf(int direction, std::size_t axes) {
  std::vector<int> steps;
  for (std::size_t a = 0; a < axes; ++a) steps.push_back(StepOf(direction, a, axes));
  return steps;
}
/// The direction that takes this step along the axis, and none along others.
inline int SideOf(std::size_t axis, int step, std::size_t axes) {
  return DirectionCount(axes) / 2 + step * DirectionCount(axes - 1 - axis);
}

/// Where ranks are in their grid: those next to each other along the last axis follow each other.
class Places {
 public:
  Places() = default;
  /// `shape`: ranks along each axis.
  Places(std::vector<Axis> axes, std::vector<int> shape)
      : axes_(std::move(axes)), shape_(std::move(shape)), stride_(shape_.size(), 1) {
    for (std::size_t a = shape_.size(); a-- > 1;) stride_[a - 1] = stride_[a] * shape_[a];
  }

  const std::vector<int>& shape() const { return shape_; }
  int ranks() const { return shape_.empty() ? 1 : stride_[0] * shape_[0]; }
  int PlaceOf(int rank, std::size_t axis) const { return rank / stride_[axis] % shape_[axis]; }
  /// By axis.
  std::vector<Part> PartsOf(int rank) const {
    std::vector<Part> parts;
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      parts.push_back(PartOf(axes_[a], shape_[a], PlaceOf(rank, a)));
    }
    return parts;
  }
  /// The rank so many places away along each axis, each -1, 0 or 1; -1 where there is none. It may
  /// be the rank itself.
  int Neighbour(int rank, const std::vector<int>& steps) const {
    int neighbour = rank;
    for (std::size_t a = 0; a < shape_.size(); ++a) {
      const int place = PlaceOf(rank, a);
      int next = place + steps[a];
      if (next < 0 || next >= shape_[a]) {
        if (!axes_[a].periodic) return -1;
        next = (next + shape_[a]) % shape_[a];
      }
      neighbour += (next - place) * stride_[a];
    }
    return neighbour;
  }

 private:
  std::vector<Axis> axes_;
  std::vector<int> shape_, stride_;  // by axis: ranks along it, and between neighbours
};

/// What a shape of the grid costs: points that a rank gets from its neighbours in an exchange. One
/// that shares the points of rows in memory is worse than any that does not.
struct Price {
  bool fits = false;
  bool cuts_rows = false;
  double points = 0;
  friend bool operator<(const Price& a, const Price& b) {
    if (a.fits != b.fits) return a.fits;
    if (a.cuts_rows != b.cuts_rows) return b.cuts_rows;
    return a.points < b.points;
  }
};
inline Price PriceOf(const std::vector<Axis>& axes, const std::vector<int>& shape) {
  Price price{true, false, 0};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const Axis& axis = axes[a];
    if (!Fits(axis, shape[a])) price.fits = false;
    if (axis.unit_stride && shape[a] > 1) price.cuts_rows = true;
    if (!axis.HasNeighbours(shape[a])) continue;
    double face = 1;
    for (std::size_t b = 0; b < axes.size(); ++b) {
      const long long rows = (axes[b].points + shape[b] - 1) / shape[b];
      if (b != a) face *= static_cast<double>(rows);
    }
    // Of two ranks each has a neighbour on one side.
    const bool both = shape[a] > 2 || axis.periodic;
    price.points += face * static_cast<double>(both ? axis.ghosts_lo + axis.ghosts_hi
                                                    : std::max(axis.ghosts_lo, axis.ghosts_hi));
  }
  return price;
}

/// Sets `best` to the cheapest shape of so many ranks that agrees with `wanted` (0: any number)
/// from axis `at` on.
inline void TryShapes(const std::vector<Axis>& axes, const std::vector<int>& wanted, int left,
                      std::size_t at, std::vector<int>& shape, std::vector<int>& best,
                      Price& least) {
  if (at == axes.size()) {
    const Price price = PriceOf(axes, shape);
    if (left == 1 && price.fits && price < least) {
      least = price;
      best = shape;
    }
    return;
  }
  for (int count = left; count >= 1; --count) {
    if (left % count != 0) continue;
    if (wanted[at] != 0 && wanted[at] != count) continue;
    shape[at] = count;
    TryShapes(axes, wanted, left / count, at + 1, shape, best, least);
  }
}

/// Turns of a loop between two exchanges, at most `most`: no more exchanges than that asks for, and
/// none for a few turns at the end, which would move all points through memory for little. An even
/// number where there may be: after that many, arrays that change places are where they were.
inline long long EvenTurns(long long all, long long most) {
  const long long exchanges = std::max(1LL, (all + most - 1) / most);
  const long long turns = std::max(1LL, (all + exchanges - 1) / exchanges);
  return turns % 2 != 0 && turns < most && exchanges > 1 ? turns + 1 : turns;
}

/// Ranks along each axis: the least surface, and none along rows in memory where that can be.
/// Empty where no shape fits.
inline std::vector<int> ChooseShape(const std::vector<Axis>& axes, const std::vector<int>& wanted,
                                    int ranks) {
  std::vector<int> shape(axes.size(), 1);
  std::vector<int> best;
  Price least;
  TryShapes(axes, wanted, ranks, 0, shape, best, least);
  return best;
}

/// The most ranks, of at most so many, for which some shape fits; 0: none.
inline int MostRanks(const std::vector<Axis>& axes, int ranks) {
  for (int count = ranks; count > 0; --count) {
    if (!ChooseShape(axes, std::vector<int>(axes.size(), 0), count).empty()) return count;
  }
  return 0;
}

}  // namespace stencilgen::ranks

#endif  // STENCILGEN_RANKS_HPP
