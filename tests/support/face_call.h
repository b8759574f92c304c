#pragma once

#include <string>
#include <vector>

#include "support/prng.h"

namespace stencilgen::testing {

/// `a[k+1][i]`: an element at these offsets, one an iterator.
std::string ElementText(const std::string& array, const std::vector<std::string>& iterators,
                        const std::vector<int>& offsets);

/// A statement on a face of the arrays, as absorbing layers and ghost elements have: mostly set
/// from what is next to it, now and then from what it writes itself.
struct FaceCall {
  std::string stencil;  ///< its definition
  std::string call;
};

/// `array` is written, and `other`, which may be the same, read too. Both have one dimension an
/// iterator, of the parameters' extents.
FaceCall WriteFaceCall(Prng* prng, const std::vector<std::string>& iterators,
                       const std::vector<std::string>& parameters, const std::string& name,
                       const std::string& array, const std::string& other);

}  // namespace stencilgen::testing
