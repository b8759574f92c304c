#pragma once

namespace stencilgen {

/// Strict: results are those of the program's operations as they are written, each rounded. Fast:
/// sums may be reassociated and products contracted.
enum class FpMode { Fast, Strict };

}  // namespace stencilgen
