#pragma once

#include "kernel/module.h"
#include "lower/options.h"
#include "plan/plan.h"

namespace stencilgen::lower {

/// The plan as code for a device or the host: every kernel by the lowering of its mapping, and the
/// steps between them. Deterministic.
/// Ensures: kernel::Verify finds nothing.
kernel::Module Lower(const plan::Plan& plan, const Options& options, kernel::Target target);

}  // namespace stencilgen::lower
