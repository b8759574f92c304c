#pragma once

#include <string>
#include <vector>

#include "support/c_nest_setting.h"
#include "support/prng.h"

namespace stencilgen::testing {

/// Of an element from that of the point, by dimension.
using Offsets = std::vector<int>;

/// Random values and conditions of a nest's statements.
class CNestValues {
 public:
  CNestValues(Prng& prng, const CSetting& setting, const CNest& nest)
      : prng_(prng), setting_(setting), nest_(nest) {}

  struct Distance {
    int dimension = 0;   ///< the first one in which it is another point
    int iterations = 0;  ///< earlier (negative) or later (positive); 0: never
  };
  /// When the point with these offsets is reached.
  Distance DistanceOf(const Offsets& offsets) const;
  Offsets RandomOffsets();
  std::string Access(const CArray& array, const Offsets& offsets) const;
  /// An expression of so many levels.
  std::string Value(int depth, CElement type);
  std::string Condition();

 private:
  bool Keeps(const CArray& array, const Offsets& offsets) const;
  std::string Subscript(int d, int offset) const;
  std::string Read(CElement type);
  std::string Leaf(CElement type);

  Prng& prng_;
  const CSetting& setting_;
  const CNest& nest_;
};

}  // namespace stencilgen::testing
