#pragma once

#include "kernel/module.h"

namespace stencilgen::driver {

/// Messages between ranks go on while the module computes: each loop that threads share lets them
/// now and then, once a turn; where a turn is a part of the points or a tile of several turns, in
/// each turn of the loops in it that call functions. Requires: code of the host.
void LetMessagesGoOn(kernel::Module& module);

}  // namespace stencilgen::driver
