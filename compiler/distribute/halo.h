#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace stencilgen::distribute {

/// Points, or elements of an array, beyond a rank's own ones along an axis, at both of its ends.
struct Reach {
  std::int64_t lo = 0, hi = 0;
  friend bool operator==(const Reach&, const Reach&) = default;
};
/// By axis of the grid.
using Reaches = std::vector<Reach>;

/// Numbers of elements of an array around a rank's own ones, in each direction (ranks::StepOf) by
/// axis: how far those that lie in the direction go beyond the own ones along each axis that it
/// steps along. Directions of one axis are the sides, others the corners. Below zero: not even all
/// own points.
class Halo {
 public:
  /// Less than any sum of distances.
  static constexpr std::int64_t kNever = INT64_MIN / 4;

  Halo() = default;
  /// The same in all directions along all axes.
  Halo(std::size_t axes, std::int64_t depth);
  /// As far at corners as along the sides.
  explicit Halo(const Reaches& sides);

  std::size_t axes() const { return axes_; }
  int directions() const { return directions_; }
  /// Requires: the direction steps along the axis.
  std::int64_t& At(int direction, std::size_t axis) { return depths_[Place(direction, axis)]; }
  std::int64_t At(int direction, std::size_t axis) const { return depths_[Place(direction, axis)]; }
  /// Along both sides of the axis.
  Reach operator[](std::size_t axis) const;
  /// Points lie in the direction: some along each axis that it steps along. False for the middle.
  bool Has(int direction) const;

  /// Calls `visit(direction, axis)` for each axis along which each direction steps.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (int direction = 0; direction < directions_; ++direction) {
      for (std::size_t axis = 0; axis < axes_; ++axis) {
        if (StepOf(direction, axis) != 0) visit(direction, axis);
      }
    }
  }
  /// -1, 0 or 1.
  int StepOf(int direction, std::size_t axis) const;

  friend bool operator==(const Halo&, const Halo&) = default;
  /// Some order.
  friend auto operator<=>(const Halo&, const Halo&) = default;

 private:
  std::size_t Place(int direction, std::size_t axis) const {
    return static_cast<std::size_t>(direction) * axes_ + axis;
  }

  std::size_t axes_ = 0;
  int directions_ = 1;
  std::vector<std::int64_t> depths_;  // 0 where a direction does not step
};

/// The numbers along the sides.
Reaches SidesOf(const Halo& halo);

/// The larger one everywhere. Requires, as below: they are of one grid.
Reaches Most(Reaches a, const Reaches& b);
Halo Most(Halo a, const Halo& b);
/// The smaller one everywhere.
Halo Least(Halo a, const Halo& b);
/// True where the first one is nowhere smaller.
bool Covers(const Halo& all, const Halo& some);

/// Needs of points beside those that come: none where these are enough, else no less than these.
Halo Without(Halo needs, const Halo& comes);
/// Nothing is needed, or there.
bool IsNone(const Halo& halo);

/// What is there after points have come to what was there. In a direction where neither box holds
/// the other one, one of them is counted on.
enum class Counted : std::uint8_t {
  New,     ///< what comes
  Points,  ///< what comes, but what was there where no points come
  Old      ///< what was there
};
void Fill(Halo& there, const Halo& comes, Counted counted = Counted::New);

/// Makes what is kept for the key at least as much.
template <typename Key>
void Raise(std::map<Key, Halo>& halos, Key key, const Halo& by) {
  const auto [at, is_new] = halos.try_emplace(key, by);
  if (!is_new) at->second = Most(std::move(at->second), by);
}

}  // namespace stencilgen::distribute
