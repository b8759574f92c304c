#include "distribute/halo.h"

#include <algorithm>

#include "stencilgen/ranks.hpp"

namespace stencilgen::distribute {

Halo::Halo(std::size_t axes, std::int64_t depth)
    : axes_(axes), directions_(ranks::DirectionCount(axes)) {
  depths_.assign(static_cast<std::size_t>(directions_) * axes_, 0);
  ForEach([&](int direction, std::size_t axis) { At(direction, axis) = depth; });
}

Halo::Halo(const Reaches& sides) : Halo(sides.size(), 0) {
  ForEach([&](int direction, std::size_t axis) {
    At(direction, axis) = StepOf(direction, axis) < 0 ? sides[axis].lo : sides[axis].hi;
  });
}

int Halo::StepOf(int direction, std::size_t axis) const {
  return ranks::StepOf(direction, axis, axes_);
}

Reach Halo::operator[](std::size_t axis) const {
  const int below = ranks::SideOf(axis, -1, axes_);
  const int above = ranks::SideOf(axis, 1, axes_);
  return {At(below, axis), At(above, axis)};
}

bool Halo::Has(int direction) const {
  bool steps = false;
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    if (StepOf(direction, axis) == 0) continue;
    if (At(direction, axis) <= 0) return false;
    steps = true;
  }
  return steps;
}

Reaches SidesOf(const Halo& halo) {
  Reaches sides;
  for (std::size_t axis = 0; axis < halo.axes(); ++axis) sides.push_back(halo[axis]);
  return sides;
}

Reaches Most(Reaches a, const Reaches& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = {std::max(a[k].lo, b[k].lo), std::max(a[k].hi, b[k].hi)};
  }
  return a;
}

Halo Most(Halo a, const Halo& b) {
  b.ForEach([&](int direction, std::size_t axis) {
    a.At(direction, axis) = std::max(a.At(direction, axis), b.At(direction, axis));
  });
  return a;
}

Halo Least(Halo a, const Halo& b) {
  b.ForEach([&](int direction, std::size_t axis) {
    a.At(direction, axis) = std::min(a.At(direction, axis), b.At(direction, axis));
  });
  return a;
}

namespace {

/// The first one is nowhere smaller in the direction.
bool CoversIn(const Halo& all, const Halo& some, int direction) {
  for (std::size_t axis = 0; axis < some.axes(); ++axis) {
    if (all.At(direction, axis) < some.At(direction, axis)) return false;
  }
  return true;
}

}  // namespace

bool Covers(const Halo& all, const Halo& some) {
  for (int direction = 0; direction < some.directions(); ++direction) {
    if (!CoversIn(all, some, direction)) return false;
  }
  return true;
}

Halo Without(Halo needs, const Halo& comes) {
  for (int direction = 0; direction < needs.directions(); ++direction) {
    const bool enough = CoversIn(comes, needs, direction);
    if (!enough && !comes.Has(direction)) continue;
    for (std::size_t axis = 0; axis < needs.axes(); ++axis) {
      std::int64_t& need = needs.At(direction, axis);
      need = enough ? 0 : std::max(need, comes.At(direction, axis));
    }
  }
  return needs;
}

bool IsNone(const Halo& halo) {
  return Covers(Halo(halo.axes(), 0), halo);
}

void Fill(Halo& there, const Halo& comes, Counted counted) {
  for (int direction = 0; direction < comes.directions(); ++direction) {
    if (CoversIn(there, comes, direction)) continue;
    const bool keeps = counted == Counted::Old || (counted == Counted::Points &&
                                                   there.Has(direction) && !comes.Has(direction));
    if (keeps && !CoversIn(comes, there, direction)) continue;
    for (std::size_t axis = 0; axis < comes.axes(); ++axis) {
      there.At(direction, axis) = comes.At(direction, axis);
    }
  }
}

}  // namespace stencilgen::distribute
