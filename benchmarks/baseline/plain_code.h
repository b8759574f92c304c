#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace stencilgen::baseline {

/// A program as one would write it by hand, one loop nest a statement: OpenMP over the outermost
/// loop, vectors left to the compiler. Defines NAME_call, NAME_time and NAME_error as
/// codegen::EmitTrampoline does. It includes headers of the runtime. Empty, with the reason in
/// `problem`, where the program is beyond this printer.
std::optional<std::string> PlainCpp(const graph::Graph& graph, const std::string& name,
                                    std::string& problem);

/// The same in CUDA: one kernel a statement, a thread a point, everything from global memory. Also
/// defines NAME_launch. `standalone`: with the text of the runtime's headers.
std::optional<std::string> PlainCuda(const graph::Graph& graph, const std::string& name,
                                     bool standalone, std::string& problem);

}  // namespace stencilgen::baseline
