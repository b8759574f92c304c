#pragma once

#include <vector>

#include "sema/statement.h"

namespace stencilgen::sema {

/// Turns analysed statements into operators of the graph and appends them to `nodes`. Local scalars
/// become lets of the operators that read them; where a scalar was computed on only a part of the
/// operator's domain, its let chooses between its values by conditions on the iterators.
/// Requires: ComputeDomains has run without error.
void EmitOperators(const DomainInputs& inputs, const std::string& stencil, int call_index,
                   std::vector<graph::NodeId>& nodes);

}  // namespace stencilgen::sema
