#pragma once

#include <cstdint>
#include <string>

#include "support/scalar_type.h"

namespace stencilgen {

/// A literal of the type in C++ with exactly that value: `0.2`, `0.2F`, `7`, `true`.
std::string LiteralText(ScalarType type, double value);
std::string LiteralText(ScalarType type, std::int64_t value);
/// Of a position in an array: `7`, `4294967296LL`.
std::string IndexText(std::int64_t value);

}  // namespace stencilgen
