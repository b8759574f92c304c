#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "codegen/codegen.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace stencilgen::driver {

enum class Target { Cuda, Cpp };

struct PipelineOptions {
  std::string program_name = "program";       ///< a C identifier; the host function's name
  std::map<std::string, std::int64_t> fixed;  ///< `-D NAME=VALUE`
  plan::Schedule schedule;
  Target target = Target::Cuda;
  codegen::CodegenOptions codegen;  ///< `function` is set from program_name, `source` from the file
};

/// parse, check, build and simplify the graph. Empty exactly when errors were reported.
std::optional<graph::Graph> CompileToGraph(const SourceFile& source, const PipelineOptions& options,
                                           DiagnosticSink& sink);

struct Compiled {
  plan::Plan plan;
  std::string text;    ///< the `.cu` or `.cpp`
  std::string header;  ///< its C/C++ header
};
/// The whole way from source to text.
std::optional<Compiled> Compile(const SourceFile& source, const PipelineOptions& options,
                                DiagnosticSink& sink);

}  // namespace stencilgen::driver
