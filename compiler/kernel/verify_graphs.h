#pragma once

#include <string>
#include <vector>

#include "kernel/module.h"

namespace stencilgen::kernel {

/// What is wrong with the loops whose turns are launched as graphs: what a graph cannot hold, what
/// differs from turn to turn, and buffers that have other memory when a graph is launched again.
/// Requires: numbers of kernels and buffers in the steps are right.
std::vector<std::string> VerifyGraphs(const Module& module);

}  // namespace stencilgen::kernel
