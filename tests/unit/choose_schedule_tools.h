#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "frontend/read_program.h"
#include "support/catch.h"
#include "support/suite.h"

namespace stencilgen {

/// The plan that is chosen for the program with these options of the command line.
inline driver::ChosenPlan Choose(const std::string& text, std::vector<std::string> arguments = {},
                                 std::shared_ptr<driver::PricedCandidates> priced = nullptr) {
  const SourceFile source("p.idsl", text);
  DiagnosticSink sink;
  const auto program = ReadProgram(source, sink);
  REQUIRE(program);
  arguments.insert(arguments.begin(), "p.idsl");
  const auto parsed = driver::ParseCommandLine(arguments);
  if (const auto* error = std::get_if<driver::UsageError>(&parsed)) FAIL(error->message);
  driver::PipelineOptions options =
      MakePipelineOptions(std::get<driver::Options>(parsed), program->interface);
  options.verify = true;
  options.priced = std::move(priced);
  auto graph = driver::CompileToGraph(*program, options, sink);
  REQUIRE(graph);
  return driver::CompileToChosenPlan(*std::move(graph), options);
}

/// Of a program of the suites.
inline std::string TextOf(const std::string& name) {
  return testing::BenchmarkNamed(name).text;
}

}  // namespace stencilgen
