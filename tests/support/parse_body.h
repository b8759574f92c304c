#pragma once

#include <string>

#include "kernel/body.h"

namespace stencilgen {

/// A body from text, an instruction a line or between `;`: `a = b / c`, `a += d * c`, `t -= x`,
/// `t *= x`, `t = sqrt(x)`, `t = -x`, `t = max(x, y)`; a line `store t` names a result, and without
/// any, every value that nothing uses is one. Names that are never assigned are elements of
/// memory; numbers are literals. A line `statement` begins the next statement. Fails the test where
/// it cannot read a line.
kernel::Body ParseBody(const std::string& text);

}  // namespace stencilgen
