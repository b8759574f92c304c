#pragma once

#include <variant>

#include "machine/cpu.h"
#include "machine/gpu.h"

namespace stencilgen::machine {

/// What code is planned for.
using Target = std::variant<Gpu, Cpu>;

}  // namespace stencilgen::machine
