#pragma once

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// Puts exchanges into the steps, each just before what needs it and as deep as that: of fields
/// that were changed since, and of what no turn of a loop changes before the loop. Sets `ghosts`
/// too. Requires: CutIntoSegments has been there.
void PlaceExchanges(Distributed& program);

}  // namespace stencilgen::distribute
