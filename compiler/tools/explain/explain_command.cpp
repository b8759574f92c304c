#include "tools/explain/explain_command.h"

#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/compile.h"
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

}  // namespace

int ExplainCommand(const Options& typed) {
  if (IsCppFile(typed.input)) {
    return ReportUsage(
        {fmt::format("`{}` is no stencil program: only those are explained", typed.input),
         "`stencilgen FILE --explain` says what was chosen for each block of a C++ file"});
  }
  Options options = typed;
  DiagnosticSink sink;
  LoadedProgram loaded = LoadProgram(options, sink);
  if (loaded.exit_status != kExitDone) return loaded.exit_status;
  std::string note;
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

}  // namespace stencilgen::driver
