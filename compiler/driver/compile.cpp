#include "driver/compile.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "driver/depfile.h"
#include "driver/explain.h"
#include "driver/files.h"
#include "driver/report.h"
#include "driver/use_tuned.h"
#include "frontend/read_program.h"
#include "graph/print.h"
#include "plan/print.h"
#include "plan/print_fusion.h"

namespace stencilgen::driver {

LoadedProgram LoadProgram(const Options& options, DiagnosticSink& sink) {
  LoadedProgram loaded;
  if (IsCppFile(options.input)) {
    loaded.exit_status = ReportUsage(
        {fmt::format("`{}` is no stencil program: only those can be run", options.input),
         "`stencilgen FILE` compiles the blocks of a C++ file; compile and run what it writes"});
    return loaded;
  }
  std::string error;
  std::optional<std::string> text = ReadInput(options.input, error);
  if (!text) {
    loaded.exit_status =
        ReportUsage({error, "give the path of an .idsl file, or `-` for standard input"});
    return loaded;
  }
  loaded.source = std::make_unique<SourceFile>(options.input == "-" ? "<stdin>" : options.input,
                                               *std::move(text));
  loaded.program = ReadProgram(*loaded.source, sink);
  if (!loaded.program) {
    PrintDiagnostics(*loaded.source, sink, options);
    loaded.exit_status = kExitProgramError;
    return loaded;
  }
  if (auto wrong = CheckAgainstProgram(options, loaded.program->interface)) {
    loaded.exit_status = ReportUsage(*wrong);
    return loaded;
  }
  loaded.pipeline = MakePipelineOptions(options, loaded.program->interface);
  if (const auto wrong = CheckNvcc(options)) {
    loaded.exit_status = ReportUsage(*wrong);
    return loaded;
  }
  loaded.orders = MeasureOrders(options, loaded.pipeline);
  loaded.recompiler = AskForSpills(options, loaded.pipeline);
  return loaded;
}

int TakeTuned(Options& options, LoadedProgram& loaded, Target target, const std::string& gpu_arch,
              std::string& notes) {
  Options tuned = options;
  std::string note;
  if (auto error = UseTuned(tuned, *loaded.program, target, gpu_arch, loaded.pipeline, note)) {
    PrintError(error->message, error->hint);
    return kExitProgramError;
  }
  options.arch = tuned.arch;
  if (!note.empty()) notes += NotesText({note});
  return kExitDone;
}

std::string ExplanationText(const ChosenPlan& chosen, const Options& options,
                            const Recompiler* recompiler) {
  std::string text = Explain(chosen, ExplainedDevice(options));
  for (const std::string& line : plan::FusionLines(chosen.plan.graph, chosen.fusion)) {
    text += fmt::format("  {}\n", line);
  }
  if (recompiler != nullptr) text += fmt::format("  {}\n", recompiler->Summary());
  return text;
}

namespace {

/// What the command line asks to write, or empty where the program has errors. `explanation` gets
/// notes, and what `--explain` asks for.
std::optional<std::vector<OutputFile>> MakeOutputs(const LoadedProgram& loaded,
                                                   const Options& options, DiagnosticSink& sink,
                                                   std::string& explanation) {
  const std::string printed = options.out_file.empty() ? "-" : options.out_file;
  if (options.stage == Stage::Ast) return {{{printed, loaded.program->print()}}};

  auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
  if (!graph) return std::nullopt;
  if (options.stage == Stage::Graph) return {{{printed, graph::Print(*graph)}}};

  ChosenPlan chosen = CompileToChosenPlan(*std::move(graph), loaded.pipeline);
  explanation += NotesText(chosen.notes);
  if (options.explain) {
    explanation += ExplanationText(chosen, options, loaded.recompiler.get());
  }
  if (options.stage == Stage::Dot) {
    return {{{printed, plan::PrintDot(chosen.plan)}}};
  }
  if (options.stage == Stage::Fused) {
    return {{{printed, plan::PrintFused(chosen.plan, chosen.fusion)}}};
  }
  if (options.stage == Stage::Plan) return {{{printed, plan::Print(chosen.plan)}}};

  const auto explained_orders = [&] {
    return loaded.orders && options.explain ? loaded.orders->Explanation() : std::string();
  };
  if (options.stage == Stage::Kernel) {
    const auto codegen = CodeOptions(chosen.plan, *loaded.source, loaded.pipeline);
    explanation += explained_orders();
    return {{{printed, PrintKernels(chosen.plan, codegen, DeviceOf(loaded.pipeline.target))}}};
  }

  Compiled compiled = EmitCode(std::move(chosen.plan), *loaded.source, loaded.pipeline);
  explanation += explained_orders();
  const std::string usual = loaded.pipeline.target == Target::Cuda ? "out.cu" : "out.cpp";
  const std::string code = options.stage || !options.out_file.empty() ? printed : usual;
  std::vector<OutputFile> outputs = {{code, std::move(compiled.text)}};
  if (!options.header_file.empty()) {
    outputs.push_back({options.header_file, std::move(compiled.header)});
  }
  return outputs;
}

}  // namespace

int WriteCompiled(std::vector<OutputFile> outputs, const std::vector<std::string>& inputs,
                  const Options& options) {
  if (!options.depfile.empty()) {
    outputs.push_back({options.depfile, DepfileText(outputs, inputs)});
  }
  for (const OutputFile& file : outputs) {
    if (!SameFile(file.path, options.input)) continue;
    return ReportUsage({fmt::format("cannot write `{}`: it is the input file", file.path),
                        "name another file with -o"});
  }
  if (auto error = WriteOutputs(outputs)) {
    PrintError(*error);
    return kExitProgramError;
  }
  return kExitDone;
}

int CompileCommand(const Options& typed) {
  Options options = typed;
  DiagnosticSink sink;
  LoadedProgram loaded = LoadProgram(options, sink);
  if (loaded.exit_status != kExitDone) return loaded.exit_status;
  std::string explanation;
  if (!options.stage || *options.stage > Stage::Graph) {
    if (const int status = TakeTuned(options, loaded, loaded.pipeline.target, "", explanation)) {
      return status;
    }
  }
  const auto outputs = MakeOutputs(loaded, options, sink, explanation);
  PrintDiagnostics(*loaded.source, sink, options);
  if (!outputs) return kExitProgramError;
  const int status = WriteCompiled(*outputs, InputFiles(options), options);
  if (status == kExitDone) fmt::print(stderr, "{}", explanation);
  return status;
}

}  // namespace stencilgen::driver
