#pragma once

#include <string>
#include <utility>

#include "driver/pipeline.h"
#include "support/catch.h"

namespace stencilgen::testing {

/// The program's graph as the pipeline simplifies it. Without one the test fails, and says why.
inline graph::Graph GraphOf(const std::string& text, const driver::PipelineOptions& options = {}) {
  const SourceFile source("test.idsl", text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  INFO(text << RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

}  // namespace stencilgen::testing
