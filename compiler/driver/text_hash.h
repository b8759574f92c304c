#pragma once

#include <string>
#include <string_view>

namespace stencilgen::driver {

/// 32 hexadecimal digits that differ where texts differ, as far as that matters for names of files
/// and keys: FNV-1a from two starts. The same on every machine.
std::string TextHash(std::string_view text);

}  // namespace stencilgen::driver
