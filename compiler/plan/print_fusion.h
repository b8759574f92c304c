#pragma once

#include <string>
#include <vector>

#include "plan/fusion.h"
#include "plan/plan.h"

namespace stencilgen::plan {

/// The operators of each kernel, what it reads, what it keeps for itself and what it stores; then
/// how greedy fusion came to that, where it did. Lines end in a newline.
std::string PrintFused(const Plan& plan, const FusionResult& fusion);

/// graph::PrintDot with a box around the operators of each kernel that has several.
std::string PrintDot(const Plan& plan);

/// How greedy fusion came to its clusters, a line each: every step with the pair that was taken,
/// the candidates after it in their order, and those that were refused with the reason. Clusters
/// are named by the versions that their operators define. `most`: refusals and candidates of a
/// step that are listed.
std::vector<std::string> FusionLines(const graph::Graph& graph, const FusionResult& fusion,
                                     std::size_t most = 64);

}  // namespace stencilgen::plan
