#include "tools/run/run.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "driver/compile.h"
#include "driver/files.h"
#include "driver/progress.h"
#include "driver/report.h"
#include "tools/measure/gpu.h"
#include "tools/run/execute.h"
#include "tools/run/npy.h"
#include "tools/run/pictures.h"
#include "tools/run/run_inputs.h"
#include "tools/run/run_report.h"
#include "tools/run/verify_run.h"

namespace stencilgen::driver {

namespace {

/// The `.npy` files that the command line asks for.
std::vector<OutputFile> EncodeOutputs(const graph::Graph& graph, const RunInputs& inputs,
                                      const Execution& execution, const RunOptions& run) {
  std::vector<OutputFile> files;
  const std::vector<std::string> outputs = OutputNames(graph);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto wanted = run.out.find(outputs[i]);
    if (wanted == run.out.end()) continue;
    files.push_back(
        {wanted->second, EncodeNpy(execution.outputs[i], inputs.Array(outputs[i]).shape)});
  }
  return files;
}

/// The program's graph. For pictures over time the parameter that counts turns is not fixed to what
/// `-D` says: that becomes its default. Empty where there are errors in the sink, or in `error`.
std::optional<graph::Graph> MakeGraph(LoadedProgram& loaded, const Options& options,
                                      DiagnosticSink& sink, std::optional<UsageError>& error) {
  if (!WantsFrames(options.run.picture) || loaded.pipeline.fixed.empty()) {
    return CompileToGraph(*loaded.program, loaded.pipeline, sink);
  }
  DiagnosticSink unheard;
  PipelineOptions free = loaded.pipeline;
  free.fixed.clear();
  std::string counts;
  if (const auto graph = CompileToGraph(*loaded.program, free, unheard)) {
    const auto turns = FindTurns(*graph, options.run.picture.every_parameter);
    if (const auto* wrong = std::get_if<UsageError>(&turns)) {
      error = *wrong;
      return std::nullopt;
    }
    counts = graph->parameters[std::get<graph::ParameterId>(turns)].name;
  }
  const auto given = loaded.pipeline.fixed.find(counts);
  if (given == loaded.pipeline.fixed.end()) {
    return CompileToGraph(*loaded.program, loaded.pipeline, sink);
  }
  const std::int64_t value = given->second;
  loaded.pipeline.fixed.erase(given);
  auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
  if (!graph) return graph;
  for (graph::Parameter& parameter : graph->parameters) {
    if (parameter.name == counts) parameter.default_value = value;
  }
  return graph;
}

/// Reports a failure of the run itself, in JSON too where that is asked for.
int Fail(const Options& options, const std::string& message) {
  PrintError(message);
  if (options.run.json) {
    const std::string text = ErrorJson(message);
    if (auto error = WriteStandardOutput(text)) PrintError(*error);
  }
  return kExitProgramError;
}

}  // namespace

int RunCommand(const Options& typed) {
  Options options = typed;
  DiagnosticSink sink;
  LoadedProgram loaded = LoadProgram(options, sink);
  if (loaded.exit_status != kExitDone) return loaded.exit_status;
  const PictureOptions& picture = options.run.picture;
  std::optional<UsageError> misfit;
  const auto graph = MakeGraph(loaded, options, sink, misfit);
  PrintDiagnostics(*loaded.source, sink, options);
  if (misfit) return ReportUsage(*misfit);
  if (!graph) return kExitProgramError;
  if (const auto error = CheckPictures(*graph, picture)) return ReportUsage(*error);

  const auto prepared = PrepareInputs(*graph, options);
  if (const auto* error = std::get_if<UsageError>(&prepared)) return ReportUsage(*error);
  const auto& inputs = std::get<RunInputs>(prepared);
  std::optional<FrameRequest> request;
  std::optional<Frames> frames;
  if (WantsFrames(picture)) {
    auto requested = RequestFrames(*graph, inputs, picture);
    if (const auto* error = std::get_if<UsageError>(&requested)) return ReportUsage(*error);
    request = std::get<FrameRequest>(std::move(requested));
    frames = BeginFrames(inputs, *request, picture);
  }
  const auto chosen = ChooseExecutor(options);
  if (const auto* error = std::get_if<UsageError>(&chosen)) {
    PrintError(error->message, error->hint);
    return kExitProgramError;
  }
  const Executor executor = std::get<Executor>(chosen);
  const bool cuda = executor == Executor::Cuda || executor == Executor::CudaEmulated;
  if (const std::string gpu = GpuOption(options); !cuda && !gpu.empty()) {
    fmt::print(stderr, "stencilgen: note: {} is about CUDA code, this run is on the CPU\n", gpu);
  }

  if (const std::string own = CppOption(options); cuda && !own.empty()) {
    fmt::print(stderr, "stencilgen: note: {} is about C++ code, this run is of CUDA code\n", own);
  }

  if (executor != Executor::Interpreter) {
    const auto gpu = executor == Executor::Cuda ? measure::AskGpu() : measure::GpuName{};
    std::string note;
    const Target target = cuda ? Target::Cuda : Target::Cpp;
    if (const auto error = TakeTuned(options, loaded, target, gpu.arch, note)) {
      PrintError(error->message, error->hint);
      return kExitProgramError;
    }
    fmt::print(stderr, "{}", note);
  }

  const TakeFrame take = [&](std::int64_t turns, const std::vector<graph::Values>& contents) {
    AddFrame(*frames, inputs, turns, contents, picture);
  };
  const Execution execution =
      Execute(executor, *graph, *loaded.source, loaded.pipeline, inputs, options, request, take);
  if (!execution.error.empty()) return Fail(options, execution.error);

  RunReport report;
  report.program = loaded.pipeline.program_name;
  report.executor = executor;
  report.fp = options.fp;
  report.graph = &*graph;
  report.inputs = &inputs;
  report.execution = &execution;
  report.work = CountWork(*graph, inputs.parameters);
  graph::InterpretResult reference;
  if (options.run.verify) {
    Progress progress("computing the reference");
    reference = graph::Interpret(*graph, inputs.parameters, InterpreterInputs(inputs),
                                 {.progress = [&](double part) { progress.Done(part); }});
    if (!reference.error.empty()) return Fail(options, reference.error);
    report.comparisons =
        CompareOutputs(*graph, inputs, execution.outputs, reference, executor, options.fp);
  }

  std::vector<OutputFile> files = EncodeOutputs(*graph, inputs, execution, options.run);
  std::string problem;
  for (OutputFile& file : DrawPictures(*graph, inputs, execution.outputs,
                                       options.run.verify ? reference.defined.data() : nullptr,
                                       frames, picture, problem)) {
    files.push_back(std::move(file));
  }
  if (!problem.empty()) return Fail(options, problem);
  for (const OutputFile& file : files) {
    if (SameFile(file.path, options.input)) {
      return ReportUsage({fmt::format("cannot write `{}`: it is the input file", file.path), ""});
    }
    report.written.push_back(file.path);
  }
  if (auto error = WriteOutputs(files)) return Fail(options, *error);
  if (auto error =
          WriteStandardOutput(options.run.json ? ReportJson(report) : ReportText(report))) {
    PrintError(*error);
    return kExitProgramError;
  }
  if (report.Passed()) return kExitDone;
  PrintError(report.Summary());
  return kExitProgramError;
}

}  // namespace stencilgen::driver
