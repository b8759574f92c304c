#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "driver/options.h"
#include "graph/interpret.h"
#include "support/scalar_type.h"

/// NumPy's `.npy` files, versions 1 and 2: little endian, row-major, of the language's types.
namespace stencilgen::driver {

struct NpyHeader {
  ScalarType type = ScalarType::Double;  ///< of its values
  ElementFormat format = ElementFormat::Plain;
  bool complex = false;             ///< pairs of them
  std::vector<std::int64_t> shape;  ///< outermost first; empty for a single value
  std::size_t data_offset = 0;      ///< where the elements start in the file
  std::size_t elements = 0;         ///< product of the shape
};

/// Reads the header at the start of a file's bytes; `bytes` may end before the elements do.
std::variant<NpyHeader, UsageError> DecodeNpyHeader(std::string_view bytes);

/// Reads a file that must hold an array of this type and shape; of bfloat16 it holds the bits.
std::variant<graph::Values, UsageError> ReadNpy(const std::string& path, ScalarType type,
                                                const std::vector<std::int64_t>& shape,
                                                ElementFormat format = ElementFormat::Plain);

/// The bytes of a version 1 file. Requires: the shape's product is the number of values.
std::string EncodeNpy(const graph::Values& values, const std::vector<std::int64_t>& shape,
                      ElementFormat format = ElementFormat::Plain);

/// The real and the imaginary parts of a file that must hold an array of pairs of this floating
/// type and of this shape.
std::variant<std::array<graph::Values, 2>, UsageError> ReadComplexNpy(
    const std::string& path, ScalarType type, const std::vector<std::int64_t>& shape);

/// Requires: both hold values of one floating type, as many as the shape's product.
std::string EncodeComplexNpy(const graph::Values& re, const graph::Values& im,
                             const std::vector<std::int64_t>& shape);

/// `(512, 256)`, as NumPy writes it.
std::string ShapeText(const std::vector<std::int64_t>& shape);

}  // namespace stencilgen::driver
