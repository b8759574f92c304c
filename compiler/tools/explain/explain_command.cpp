#include "tools/explain/explain_command.h"

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/compile.h"
#include "driver/embed.h"
#include "driver/explain.h"
#include "driver/explain_nests.h"
#include "driver/files.h"
#include "driver/report.h"
#include "tools/explain/explain_page.h"
#include "tools/explain/html_page.h"
#include "tools/explain/report.h"
#include "tools/explain/scaling_report.h"

namespace stencilgen::driver {
namespace {

/// The command line without what only says where its output goes.
std::string CommandText(const Options& options) {
  Options shown = options;
  shown.arguments.clear();
  bool is_page = false;
  for (const std::string& argument : options.arguments) {
    const bool skipped = is_page || argument == "--json" || argument.rfind("--page=", 0) == 0;
    is_page = !is_page && argument == "--page";
    if (!skipped && !is_page) shown.arguments.push_back(argument);
  }
  return CommandLineText(shown);
}

/// What has been found out, as text or JSON and as a page.
class Explanation {
 public:
  Explanation(const Options& options, const LoadedProgram& loaded, const graph::Graph& graph,
              const ChosenPlan& chosen, const machine::Gpu& gpu)
      : options_(options), loaded_(loaded), graph_(graph), chosen_(chosen), gpu_(gpu) {}

  /// `note`: about what tuning has found. Returns the exit status.
  int Write(const std::string& note) const {
    const std::string& page = options_.explanation_page;
    if (page.empty() && !options_.run.json) return WriteCompiled({{"-", Text()}}, {}, options_);
    std::vector<std::string> notes = chosen_.notes;
    if (!note.empty()) notes.push_back(note.substr(0, note.find_last_not_of('\n') + 1));
    const nlohmann::ordered_json report =
        MakeReport({*loaded_.source, graph_, chosen_, loaded_.pipeline, gpu_,
                    ExplainedCpu(options_), CommandText(options_), std::move(notes)});
    std::vector<OutputFile> outputs;
    if (!page.empty()) outputs.push_back({page, HtmlPage(report)});
    if (options_.run.json) outputs.push_back({"-", ReportText(report)});
    const int status = WriteCompiled(std::move(outputs), {}, options_);
    const bool says = status == kExitDone && !page.empty() && page != "-" && !options_.run.json;
    if (says) fmt::print("wrote {}\n", page);
    return status;
  }

 private:
  std::string Text() const {
    std::string text = loaded_.pipeline.target == Target::Cpp
                           ? ExplainNests(chosen_, ExplainedCpu(options_))
                           : ExplainPage(graph_, chosen_, loaded_.pipeline, gpu_);
    if (loaded_.recompiler) text += fmt::format("{}\n", loaded_.recompiler->Summary());
    return text;
  }

  const Options& options_;
  const LoadedProgram& loaded_;
  const graph::Graph& graph_;
  const ChosenPlan& chosen_;
  const machine::Gpu& gpu_;
};

/// Says what becomes of a program. `note`: lines about it; `sink`: what has been found when it was
/// read.
int ExplainProgram(Options options, LoadedProgram& loaded, std::string note, DiagnosticSink& sink) {
  const Target target = loaded.pipeline.target;
  if (const auto error = TakeTuned(options, loaded, target, "", note)) {
    PrintError(error->message, error->hint);
    return kExitProgramError;
  }
  const machine::Gpu* device = ExplainedDevice(options);
  if (target == Target::Cuda && device == nullptr) {
    return ReportUsage(
        {fmt::format("there is no description of {} to predict with", ArchOf(options)),
         "name another --arch, or describe the device with --device-file"});
  }
  const auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
  PrintDiagnostics(*loaded.source, sink, options);
  if (!graph) return kExitProgramError;
  loaded.pipeline.priced = std::make_shared<PricedCandidates>();
  const ChosenPlan chosen = CompileToChosenPlan(*graph, loaded.pipeline);
  fmt::print(stderr, "{}{}", note, NotesText(chosen.notes));
  if (!options.scaling.ranks.empty()) {
    DiagnosticSink found;
    const auto text = ScalingText(*graph, chosen, options, found);
    PrintDiagnostics(*loaded.source, found, options);
    return text ? WriteCompiled({{"-", *text}}, {}, options) : kExitProgramError;
  }
  const machine::Gpu& gpu = device != nullptr ? *device : machine::DefaultGpu();
  return Explanation(options, loaded, *graph, chosen, gpu).Write(note);
}

/// Each block and region of a C or C++ file.
int ExplainFile(const Options& options) {
  std::string error;
  std::optional<std::string> text = ReadInput(options.input, error);
  if (!text) return ReportUsage({error, "give the path of a stencil program or a C++ file"});
  const SourceFile source(options.input, *std::move(text));
  DiagnosticSink sink;
  auto file = LoadBlocks(source, options, sink);
  PrintDiagnostics(source, sink, options);
  if (!file) return kExitProgramError;
  if (file->usage_error) return ReportUsage(*file->usage_error);
  const std::size_t count = file->blocks.size();
  if (count == 0) {
    return ReportUsage({fmt::format("`{}` has no `#pragma dsl` block and no `#pragma scop` region "
                                    "to explain",
                                    options.input),
                        "a stencil program's file ends in .idsl"});
  }
  if (count > 1 && (options.run.json || !options.explanation_page.empty())) {
    return ReportUsage({fmt::format("{} explains one program, but `{}` has {}",
                                    options.run.json ? "--json" : "--page", options.input, count),
                        "`stencilgen explain FILE` explains all of them, as text"});
  }
  for (LoadedBlock& block : file->blocks) {
    if (count > 1) fmt::print("{}:\n", block.place);
    std::fflush(stdout);
    DiagnosticSink found;
    const int status = ExplainProgram(block.options, block.loaded, block.notes, found);
    if (status != kExitDone) return status;
  }
  return kExitDone;
}

}  // namespace

int ExplainCommand(const Options& options) {
  if (IsCppFile(options.input)) return ExplainFile(options);
  DiagnosticSink sink;
  LoadedProgram loaded = LoadProgram(options, sink);
  if (loaded.exit_status != kExitDone) return loaded.exit_status;
  return ExplainProgram(options, loaded, "", sink);
}

}  // namespace stencilgen::driver
