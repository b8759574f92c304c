#include "tools/explain/explain_command.h"

#include <cstdio>

#include <fmt/format.h>

#include "driver/compile.h"
#include "driver/explain.h"
#include "driver/explain_nests.h"
#include "driver/files.h"
#include "driver/report.h"
#include "tools/explain/explain_page.h"

namespace stencilgen::driver {

int ExplainCommand(const Options& typed) {
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
    return ReportUsage({fmt::format("there is no description of {} to predict with", *options.arch),
                        "name another --arch, or describe the device with --device-file"});
  }
  const auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
  PrintDiagnostics(*loaded.source, sink, options);
  if (!graph) return kExitProgramError;
  const ChosenPlan chosen = CompileToChosenPlan(*graph, loaded.pipeline);
  fmt::print(stderr, "{}{}", note, NotesText(chosen.notes));
  std::string page = target == Target::Cpp ? ExplainNests(chosen, ExplainedCpu(options))
                                           : ExplainPage(*graph, chosen, loaded.pipeline, *device);
  if (loaded.recompiler) page += fmt::format("{}\n", loaded.recompiler->Summary());
  if (auto error = WriteStandardOutput(page)) {
    PrintError(*error);
    return kExitProgramError;
  }
  return kExitDone;
}

}  // namespace stencilgen::driver
