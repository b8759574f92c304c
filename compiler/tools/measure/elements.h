#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

/// Elements of arrays as bytes, and results compared with what they should be.
namespace stencilgen::measure {

using Bytes = std::vector<std::uint8_t>;

/// Bytes of an element of a type of the language, `double` to `uint8`.
std::size_t ElementSize(const std::string& type);

/// So many bytes; the stream fails where there are fewer.
Bytes ReadBytes(std::istream& from, std::size_t size);

/// How results differ from what they should be, over the elements that are defined.
struct Difference {
  std::size_t numbers = 0;  ///< compared that are finite, both
  double error = 0,
         norm = 0;           ///< sums over those of squares: of the differences, of what should be
  bool same = true;          ///< each bit for bit, or both no number
  bool finite = true;        ///< no infinity and no NaN on one side alone
  std::size_t first = 0;     ///< the first that is not the same, where there is one
  double got = 0, want = 0;  ///< there

  /// Root of error by norm; 0 where all are the same.
  double Relative() const;
};

/// Requires: `got` and `want` hold elements of the type, `defined` a byte an element.
Difference Compare(const std::string& type, const Bytes& got, const Bytes& want,
                   const Bytes& defined);

}  // namespace stencilgen::measure
