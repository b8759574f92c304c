#include "driver/compile.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "driver/depfile.h"
#include "driver/emit_distributed.h"
#include "driver/explain.h"
#include "driver/explain_nests.h"
#include "driver/explain_ranks.h"
#include "driver/files.h"
#include "driver/report.h"
#include "driver/use_tuned.h"
#include "frontend/read_program.h"
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
  if (const auto wrong = AskNvcc(options, loaded)) loaded.exit_status = ReportUsage(*wrong);
  return loaded;
}

std::optional<UsageError> AskNvcc(const Options& options, LoadedProgram& loaded) {
  if (auto wrong = CheckNvcc(options)) return wrong;
  loaded.orders = MeasureOrders(options, loaded.pipeline);
  loaded.recompiler = AskForSpills(options, loaded.pipeline);
  return std::nullopt;
}

std::optional<UsageError> TakeTuned(Options& options, LoadedProgram& loaded, Target target,
                                    const std::string& gpu_arch, std::string& notes) {
  Options tuned = options;
  std::string note;
  if (auto error = UseTuned(tuned, *loaded.program, target, gpu_arch, loaded.pipeline, note)) {
    return error;
  }
  options.arch = tuned.arch;
  if (!note.empty()) notes += NotesText({note});
  return std::nullopt;
}

namespace {

/// What `--explain` says of a plan: its kernels, how they were fused, and what ptxas was asked.
/// `recompiler`: that it came from; null for none.
std::string ExplanationText(const ChosenPlan& chosen, const Options& options,
                            const Recompiler* recompiler) {
  if (!chosen.nests.empty()) return ExplainNests(chosen, ExplainedCpu(options));
  std::string text = Explain(chosen, ExplainedDevice(options));
  for (const std::string& line : plan::FusionLines(chosen.plan.graph, chosen.fusion)) {
    text += fmt::format("  {}\n", line);
  }
  if (recompiler != nullptr) text += fmt::format("  {}\n", recompiler->Summary());
  return text;
}

/// The files of a program of its own.
std::vector<OutputFile> OutputsOf(Lowered lowered, Target target, const Options& options) {
  const std::string printed = options.out_file.empty() ? "-" : options.out_file;
  if (lowered.printed) return {{printed, *std::move(lowered.printed)}};
  const std::string usual = UsualFile(target, LanguageOf(options));
  const std::string code = options.stage || !options.out_file.empty() ? printed : usual;
  std::vector<OutputFile> outputs = {{code, codegen::EmitFile(lowered.module, lowered.codegen)}};
  if (!options.header_file.empty()) {
    outputs.push_back({options.header_file, codegen::EmitHeader(lowered.module, lowered.codegen)});
  }
  return outputs;
}

}  // namespace

CompiledProgram CompileProgram(const Options& typed, LoadedProgram& loaded,
                               const SourceFile& source, DiagnosticSink& sink) {
  Options options = typed;
  CompiledProgram compiled;
  if (!options.stage || *options.stage > Stage::Graph) {
    compiled.error = TakeTuned(options, loaded, loaded.pipeline.target, "", compiled.explanation);
    if (compiled.error) return compiled;
  }
  const bool explains = options.explain;
  const auto explain = [&](const ChosenPlan& chosen) {
    compiled.explanation += NotesText(chosen.notes);
    if (explains) compiled.explanation += ExplanationText(chosen, options, loaded.recompiler.get());
  };
  compiled.lowered = Lower(*loaded.program, source, loaded.pipeline, options.stage, sink, explain);
  const bool coded = !options.stage || *options.stage >= Stage::Kernel;
  if (explains && coded && loaded.orders) compiled.explanation += loaded.orders->Explanation();
  return compiled;
}

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

namespace {

/// `stencilgen FILE --mpi`.
int CompileForRanks(const Options& options) {
  DiagnosticSink sink;
  LoadedProgram loaded = LoadProgram(options, sink);
  if (loaded.exit_status != kExitDone) return loaded.exit_status;
  const auto lowered =
      LowerForRanks(*loaded.program, *loaded.source, loaded.pipeline, {options.mpi_steps}, sink);
  PrintDiagnostics(*loaded.source, sink, options);
  if (!lowered) return kExitProgramError;
  const std::string usual = UsualFile(loaded.pipeline.target, LanguageOf(options));
  std::vector<OutputFile> outputs = {
      {options.out_file.empty() ? usual : options.out_file, EmitRanks(*lowered)}};
  if (!options.header_file.empty()) {
    outputs.push_back({options.header_file, EmitRanksHeader(*lowered)});
  }
  const int status = WriteCompiled(std::move(outputs), InputFiles(options), options);
  if (status == kExitDone && options.explain) fmt::print(stderr, "{}", ExplainRanks(*lowered));
  return status;
}

}  // namespace

int CompileCommand(const Options& options) {
  if (options.mpi) return CompileForRanks(options);
  DiagnosticSink sink;
  LoadedProgram loaded = LoadProgram(options, sink);
  if (loaded.exit_status != kExitDone) return loaded.exit_status;
  CompiledProgram compiled = CompileProgram(options, loaded, *loaded.source, sink);
  if (compiled.error) {
    PrintError(compiled.error->message, compiled.error->hint);
    return kExitProgramError;
  }
  PrintDiagnostics(*loaded.source, sink, options);
  if (!compiled.lowered) return kExitProgramError;
  const int status =
      WriteCompiled(OutputsOf(*std::move(compiled.lowered), loaded.pipeline.target, options),
                    InputFiles(options), options);
  if (status == kExitDone) fmt::print(stderr, "{}", compiled.explanation);
  return status;
}

}  // namespace stencilgen::driver
