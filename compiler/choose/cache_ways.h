#pragma once

#include "graph/graph.h"
#include "graph/linear.h"
#include "kernel/body.h"
#include "machine/cpu.h"

namespace stencilgen::choose {

/// What a turn of a nest in packs of two vectors loses, in cycles, where the rows that it reads and
/// writes lie in memory so that more of them are in one set of the first-level cache than that has
/// ways: rows a multiple of 4 KiB apart, as in arrays whose extents are powers of two, throw each
/// other's lines out before the next turn needs them.
///
/// Arrays are taken to begin at the same place of a set, as large ones from one allocator do.
/// 0 where values of parameters are missing.
double ConflictCycles(const kernel::Body& body, const graph::Graph& graph,
                      const graph::Operator& op, const graph::ParameterValues& sizes,
                      const machine::Cpu& cpu);

}  // namespace stencilgen::choose
