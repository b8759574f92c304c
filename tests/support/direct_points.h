#pragma once

#include <vector>

#include "support/direct_steps.h"

namespace stencilgen::testing::direct {

/// Sets Step::points and Step::computed: the points that the domains given and the extents allow,
/// less those where something read does not exist or has not been computed, equal within an
/// accumulation group. `call_domain` is nullptr where the call gives none.
void FindPoints(Scope& scope, std::vector<Step>& steps, const ast::DomainSpec* call_domain);

}  // namespace stencilgen::testing::direct
