#include "tools/run/run.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "driver/compile.h"
#include "driver/files.h"
#include "driver/progress.h"
#include "driver/report.h"
#include "tools/measure/gpu.h"
#include "tools/run/execute.h"
#include "tools/run/npy.h"
#include "tools/run/plot.h"
#include "tools/run/run_inputs.h"
#include "tools/run/run_report.h"
#include "tools/run/verify_run.h"

namespace stencilgen::driver {

namespace {

/// The output that `--plot` draws: the one it names, the one its file is named after, or the first.
std::size_t PlottedOutput(const std::vector<std::string>& outputs, const RunOptions& run) {
  const std::string wanted = run.plot_array.empty()
                                 ? std::filesystem::path(run.plot_file).stem().string()
                                 : run.plot_array;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == wanted) return i;
  }
  return 0;
}

/// The `.npy` files and the picture that the command line asks for.
std::vector<OutputFile> MakeFiles(const graph::Graph& graph, const RunInputs& inputs,
                                  const Execution& execution,
                                  const std::vector<std::uint8_t>* defined, const RunOptions& run) {
  std::vector<OutputFile> files;
  const std::vector<std::string> outputs = OutputNames(graph);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto wanted = run.out.find(outputs[i]);
    if (wanted == run.out.end()) continue;
    files.push_back(
        {wanted->second, EncodeNpy(execution.outputs[i], inputs.Array(outputs[i]).shape)});
  }
  if (!run.plot_file.empty() && !outputs.empty()) {
    const std::size_t i = PlottedOutput(outputs, run);
    const std::vector<std::uint8_t> everywhere;
    files.push_back(
        {run.plot_file,
         EncodePng(DrawField(execution.outputs[i], defined == nullptr ? everywhere : defined[i],
                             inputs.Array(outputs[i]).shape))});
  }
  return files;
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
  const auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
  PrintDiagnostics(*loaded.source, sink, options);
  if (!graph) return kExitProgramError;

  const auto prepared = PrepareInputs(*graph, options);
  if (const auto* error = std::get_if<UsageError>(&prepared)) return ReportUsage(*error);
  const auto& inputs = std::get<RunInputs>(prepared);
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

  const Execution execution =
      Execute(executor, *graph, *loaded.source, loaded.pipeline, inputs, options);
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

  const std::vector<OutputFile> files =
      MakeFiles(*graph, inputs, execution, options.run.verify ? reference.defined.data() : nullptr,
                options.run);
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
