#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/ranks_code.h"
#include "distribute/distribute.h"
#include "distribute/distributed.h"
#include "driver/pipeline.h"
#include "kernel/module.h"

namespace stencilgen::driver {

/// A program for many machines, taken down the list of stages: each segment is a module.
struct LoweredRanks {
  distribute::Distributed program;
  std::vector<kernel::Module> modules;  ///< by segment
  CodegenOptions codegen;
  Target target = Target::Cpp;
};

/// Distributes the program and takes its segments through all stages. Empty exactly when errors
/// were reported.
std::optional<LoweredRanks> LowerForRanks(const graph::Program& program, const SourceFile& source,
                                          const PipelineOptions& options,
                                          const distribute::DistributeOptions& ranks,
                                          DiagnosticSink& sink);

/// One self-contained C++ or CUDA file: the segments, NAME_ranks with its C functions, and
/// NAME_mpi.
std::string EmitRanks(const LoweredRanks& lowered);

/// The same for a file of other programs too, and the runtime headers that it needs.
codegen::RanksCode EmitRanksCode(const LoweredRanks& lowered, const std::string& communicator);

/// The header for C and C++ of that file; in C++ it has the class NAME_Distributed too.
std::string EmitRanksHeader(const LoweredRanks& lowered);

}  // namespace stencilgen::driver
