#include "tools/run/run.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "driver/compile.h"
#include "driver/files.h"
#include "driver/progress.h"
#include "driver/report.h"
#include "tools/measure/gpu.h"
#include "tools/run/execute.h"
#include "tools/run/npy.h"
#include "tools/run/own_types.h"
#include "tools/run/pictures.h"
#include "tools/run/run_inputs.h"
#include "tools/run/run_ranks.h"
#include "tools/run/run_report.h"
#include "tools/run/snapshots.h"
#include "tools/run/verify_run.h"

namespace stencilgen::driver {

namespace {

/// The `.npy` files that the command line asks for.
std::vector<OutputFile> EncodeOutputs(const graph::Graph& graph, const RunInputs& inputs,
                                      const Execution& execution, const RunOptions& run,
                                      const std::optional<RanksFiles>& of_ranks) {
  std::vector<OutputFile> files;
  const std::vector<std::string> outputs = OutputNames(graph);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto wanted = run.out.find(outputs[i]);
    if (wanted == run.out.end() || (of_ranks && of_ranks->Writes(outputs[i]))) continue;
    files.push_back({wanted->second, EncodeNpy(execution.outputs[i], inputs.Array(outputs[i]).shape,
                                               inputs.Array(outputs[i]).format)});
  }
  const auto contents = [&](const HostData& array) -> const graph::Values& {
    const auto place = std::find(outputs.begin(), outputs.end(), array.name) - outputs.begin();
    return execution.outputs[static_cast<std::size_t>(place)];
  };
  for (const auto& [name, file] : run.out) {
    const auto complex = FindComplex(inputs, name);
    if (!complex) continue;
    files.push_back({file, EncodeComplexNpy(contents(*complex->re), contents(*complex->im),
                                            complex->re->shape)});
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

/// All that the run writes but pictures, in order.
std::vector<std::string> WrittenFiles(const Options& options,
                                      const std::optional<FrameRequest>& request,
                                      const std::vector<OutputFile>& others = {}) {
  std::vector<std::string> all;
  for (const auto& [array, file] : options.run.out) all.push_back(file);
  for (const OutputFile& file : others) {
    if (std::find(all.begin(), all.end(), file.path) == all.end()) all.push_back(file.path);
  }
  if (!request) return all;
  for (std::string& file : SnapshotFiles(options.run.picture, *request)) {
    all.push_back(std::move(file));
  }
  return all;
}

/// A file that the run may not write; empty where there is none.
std::optional<UsageError> CheckWritten(const Options& options,
                                       const std::optional<FrameRequest>& request) {
  std::set<std::string> named;
  for (const std::string& file : WrittenFiles(options, request)) {
    if (SameFile(file, options.input)) {
      return UsageError{fmt::format("cannot write `{}`: it is the input file", file), ""};
    }
    if (!named.insert(file).second)
      return UsageError{fmt::format("cannot write `{}` twice", file), ""};
  }
  return std::nullopt;
}

/// The part of a run that is on ranks: the program for them, or the exit status where it has none.
struct ForRanks {
  int exit_status = kExitDone;
  MpiTools mpi;
  std::optional<LoweredRanks> lowered;
};

ForRanks PrepareRanks(const LoadedProgram& loaded, const RunInputs& inputs, const Options& options,
                      Executor executor) {
  ForRanks ranks;
  auto mpi = FindMpi();
  if (const auto* error = std::get_if<UsageError>(&mpi)) {
    PrintError(error->message, error->hint);
    ranks.exit_status = kExitProgramError;
    return ranks;
  }
  ranks.mpi = std::get<MpiTools>(std::move(mpi));
  DiagnosticSink sink;
  PipelineOptions pipeline = loaded.pipeline;
  const bool device = executor == Executor::Cuda || executor == Executor::CudaEmulated;
  pipeline.target = device ? Target::Cuda : Target::Cpp;
  distribute::RanksSetting setting{inputs.parameters, RanksOf(options.run.ranks)};
  if (options.run.ranks.size() > 1) setting.wanted = options.run.ranks;
  ranks.lowered = LowerForRanks(*loaded.program, *loaded.source, pipeline,
                                {options.mpi_steps, std::move(setting)}, sink);
  if (!ranks.lowered) {
    PrintDiagnostics(*loaded.source, sink, options);
    ranks.exit_status = kExitProgramError;
    return ranks;
  }
  const std::size_t axes = ranks.lowered->program.grid.axes.size();
  if (options.run.ranks.size() > 1 && options.run.ranks.size() != axes) {
    ranks.exit_status =
        ReportUsage({fmt::format("--ranks has {} numbers, but ranks share the points along {}",
                                 options.run.ranks.size(),
                                 axes == 1 ? "one iterator" : fmt::format("{} iterators", axes)),
                     "give one number for each, outermost first, or how many ranks there are"});
  }
  return ranks;
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

  std::optional<OwnTypes> unchanged;
  if (!options.types.empty()) {
    auto prepared = PrepareOwnTypes(loaded, *graph, options);
    if (const auto* error = std::get_if<UsageError>(&prepared)) return ReportUsage(*error);
    unchanged = std::get<OwnTypes>(std::move(prepared));
  }
  const auto prepared =
      unchanged ? InputsFor(*graph, unchanged->inputs) : PrepareInputs(*graph, options);
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
  const bool on_ranks = !options.run.ranks.empty();
  // Ranks share the cores; whether they share GPUs is for who starts them to say.
  const bool any = options.run.target == RunTarget::Auto && !options.run.emulate;
  if (on_ranks && any) options.run.target = RunTarget::Cpp;
  const auto chosen = ChooseExecutor(options);
  if (const auto* error = std::get_if<UsageError>(&chosen)) {
    PrintError(error->message, error->hint);
    return kExitProgramError;
  }
  const Executor executor = std::get<Executor>(chosen);
  const ForRanks for_ranks =
      on_ranks ? PrepareRanks(loaded, inputs, options, executor) : ForRanks{};
  if (for_ranks.exit_status != kExitDone) return for_ranks.exit_status;
  const bool cuda = executor == Executor::Cuda || executor == Executor::CudaEmulated;
  if (const std::string gpu = GpuOption(options); !cuda && !gpu.empty()) {
    fmt::print(stderr, "stencilgen: note: {} is about CUDA code, this run is on the CPU\n", gpu);
  }

  if (const std::string own = CppOption(options); cuda && !own.empty()) {
    fmt::print(stderr, "stencilgen: note: {} is about C++ code, this run is of CUDA code\n", own);
  }

  if (executor != Executor::Interpreter && !on_ranks) {
    const auto gpu = executor == Executor::Cuda ? measure::AskGpu() : measure::GpuName{};
    std::string note;
    const Target target = cuda ? Target::Cuda : Target::Cpp;
    if (const auto error = TakeTuned(options, loaded, target, gpu.arch, note)) {
      PrintError(error->message, error->hint);
      return kExitProgramError;
    }
    fmt::print(stderr, "{}", note);
  }

  if (const auto error = CheckWritten(options, request)) return ReportUsage(*error);
  std::optional<RanksFiles> of_ranks;
  if (on_ranks) of_ranks.emplace(for_ranks.lowered->program, inputs, options.run, request);
  std::string problem;
  const TakeFrame take = [&](std::int64_t turns, const std::vector<graph::Values>& contents) {
    AddFrame(*frames, inputs, turns, contents, picture);
    // Ranks have written theirs.
    if (on_ranks || !problem.empty()) return;
    problem = WriteSnapshots(picture, *request, inputs, turns, contents);
  };
  RanksRun ranks;
  const Execution execution = on_ranks ? ExecuteOnRanks(for_ranks.mpi, executor, *for_ranks.lowered,
                                                        inputs, options, *of_ranks, take, ranks)
                                       : Execute(executor, *graph, *loaded.source, loaded.pipeline,
                                                 inputs, options, request, take);
  if (problem.empty()) problem = execution.error;
  if (!problem.empty()) return Fail(options, problem);

  RunReport report;
  report.program = loaded.pipeline.program_name;
  report.executor = executor;
  report.fp = options.fp;
  report.graph = &*graph;
  report.inputs = &inputs;
  report.execution = &execution;
  if (on_ranks) report.ranks = std::move(ranks);
  report.work = CountWork(*graph, inputs.parameters);
  graph::InterpretResult reference;
  if (options.run.verify) {
    Progress progress("computing the reference");
    reference = graph::Interpret(*graph, inputs.parameters, InterpreterInputs(inputs),
                                 {.progress = [&](double part) { progress.Done(part); }});
    if (!reference.error.empty()) return Fail(options, reference.error);
    report.comparisons =
        CompareOutputs(*graph, inputs, execution.outputs, reference, executor, options.fp);
    if (unchanged) {
      auto errors = CompareWithOwnTypes(*unchanged, execution.outputs);
      if (const auto* error = std::get_if<std::string>(&errors)) return Fail(options, *error);
      report.type_errors = std::get<std::vector<TypeError>>(std::move(errors));
    }
  }

  std::vector<OutputFile> files = EncodeOutputs(*graph, inputs, execution, options.run, of_ranks);
  for (OutputFile& file : DrawPictures(*graph, inputs, execution.outputs,
                                       options.run.verify ? reference.defined.data() : nullptr,
                                       frames, picture, problem)) {
    files.push_back(std::move(file));
  }
  if (!problem.empty()) return Fail(options, problem);
  for (const OutputFile& file : files) {
    if (!SameFile(file.path, options.input)) continue;
    return ReportUsage({fmt::format("cannot write `{}`: it is the input file", file.path), ""});
  }
  report.written = WrittenFiles(options, request, files);
  if (auto error = WriteOutputs(files)) return Fail(options, *error);
  if (of_ranks) problem = of_ranks->TakePlaces();
  if (!problem.empty()) return Fail(options, problem);
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
