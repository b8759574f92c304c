#include "traffic_case.h"

#include "codegen/codegen.h"
#include "plan/traffic.h"
#include "support/catch.h"

namespace stencilgen::testing {
namespace {

using driver::PipelineOptions;

void Add(Counts& counts, const plan::Traffic& traffic, std::uint64_t turns) {
  counts.load_bytes += turns * static_cast<std::uint64_t>(traffic.load_bytes);
  counts.store_bytes += turns * static_cast<std::uint64_t>(traffic.store_bytes);
  counts.shared_loads += turns * static_cast<std::uint64_t>(traffic.shared_loads);
  counts.shared_stores += turns * static_cast<std::uint64_t>(traffic.shared_stores);
  counts.barriers += turns * static_cast<std::uint64_t>(traffic.barriers);
  counts.flops += turns * static_cast<std::uint64_t>(traffic.flops);
}

PipelineOptions OptionsOf(const Case& c) {
  PipelineOptions options;
  options.program_name = "p";
  options.verify = true;
  options.schedule = c.schedule;
  options.unroll_given = {true, true, true};
  options.time_tile = c.time_tile;
  const bool scatters = c.schedule.form == plan::Form::Scatter;
  options.codegen.fp = scatters ? FpMode::Fast : FpMode::Strict;
  options.codegen.standalone = false;
  options.codegen.function = "p";
  return options;
}

}  // namespace

void Predict(const plan::Plan& plan, const std::vector<plan::Step>& steps,
             const graph::ParameterValues& parameters, std::uint64_t turns, Counts& counts) {
  for (const plan::Step& step : steps) {
    if (const auto* launch = std::get_if<plan::Launch>(&step)) {
      Add(counts, plan::FindTraffic(plan, plan.kernels[launch->kernel], parameters), turns);
    }
    if (const auto* copy = std::get_if<plan::CopyOutside>(&step)) {
      const auto bytes = static_cast<std::uint64_t>(plan::CountCopied(plan, *copy, parameters) *
                                                    SizeInBytes(plan.buffers[copy->dst].type));
      counts.load_bytes += turns * bytes;
      counts.store_bytes += turns * bytes;
    }
    if (const auto* repeat = std::get_if<plan::Repeat>(&step)) {
      const auto times = static_cast<std::uint64_t>(graph::Evaluate(repeat->turns, parameters));
      Predict(plan, repeat->body, parameters, turns * times, counts);
    }
  }
}

plan::Schedule Tiled(std::array<int, 3> block, std::array<int, 3> unroll) {
  plan::Schedule schedule;
  schedule.block = block;
  schedule.unroll = unroll;
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  return schedule;
}
plan::Schedule Streamed(plan::Schedule schedule, std::int64_t chunk) {
  schedule.stream = plan::Stream{0, chunk};
  return schedule;
}

driver::Compiled Compile(const Case& c) {
  const SourceFile source("p.idsl", c.text);
  DiagnosticSink sink;
  auto compiled = driver::Compile(source, OptionsOf(c), sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(compiled.has_value());
  return *std::move(compiled);
}

void Build(const Case& c, Built& built) {
  const PipelineOptions options = OptionsOf(c);
  built.compiled = Compile(c);
  driver::BuildOptions build;
  build.backend = driver::Backend::CudaEmulated;
  build.fp = options.codegen.fp;
  build.optimize = 0;
  build.directory = built.directory.path();
  std::string error;
  built.library = driver::HostLibrary::Build(
      built.compiled.text + codegen::EmitTrampoline(built.compiled.module, options.codegen), "p",
      build, error);
  INFO(error);
  REQUIRE(built.library != nullptr);
}

driver::Counters Run(const Built& built, const std::vector<int>& sizes) {
  const plan::Plan& plan = built.compiled.plan;
  const graph::ParameterValues parameters(sizes.begin(), sizes.end());
  std::vector<std::vector<double>> memory;
  std::vector<void*> arrays;
  for (const graph::Array& array : plan.graph.arrays) {
    if (array.local || array.rank() == 0) continue;
    std::int64_t elements = 1;
    for (const auto& extent : array.extents) elements *= graph::Evaluate(extent, parameters);
    memory.emplace_back(static_cast<std::size_t>(elements), 0.0);
    arrays.push_back(memory.back().data());
  }
  const driver::EmulatorControl emulator(*built.library);
  emulator.Reset();
  REQUIRE(built.library->Call("p", arrays, {}, sizes) == 0);
  return emulator.Read();
}

plan::Plan PlanOf(const char* text, const plan::Schedule& schedule, int time_tile) {
  PipelineOptions options;
  options.schedule = schedule;
  options.unroll_given = {true, true, true};
  options.time_tile = time_tile;
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(SourceFile("p.idsl", text), options, sink);
  REQUIRE(graph.has_value());
  return driver::CompileToPlan(*std::move(graph), options);
}

}  // namespace stencilgen::testing
