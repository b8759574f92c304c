#pragma once

#include "distribute/distributed.h"
#include "stencilgen/halo.hpp"

namespace stencilgen::distribute {

/// What generated code says of a field of an exchange. Corners of the same axes are one where their
/// depths below and above do not depend on each other, else one for each direction.
mpi::Depth ExchangeDepth(const Distributed& program, const FieldDepth& field);

}  // namespace stencilgen::distribute
