#include "tools/run/build_command.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/compile.h"
#include "driver/files.h"
#include "driver/interface_json.h"
#include "driver/kernel_compiler.h"
#include "driver/progress.h"
#include "driver/report.h"
#include "tools/measure/gpu.h"
#include "tools/run/execute.h"
#include "tools/run/library_cache.h"
#include "tools/run/visits.h"

namespace stencilgen::driver {

namespace {

/// What the program is built for, or why it cannot be.
std::variant<Executor, UsageError> ChooseBackend(const Options& options) {
  auto chosen = ChooseExecutor(options);
  const auto* executor = std::get_if<Executor>(&chosen);
  if (executor != nullptr && *executor == Executor::Interpreter) {
    return UsageError{"no C++ compiler is in PATH", "install g++, or set CXX"};
  }
  return chosen;
}

/// Names of the arrays, no outputs, whose memory a run uses for other things, where it works on the
/// caller's own: by NAME_device, or after NAME_arrays_bind.
std::vector<std::string> UsedUp(const kernel::Module& module) {
  std::vector<std::string> names;
  for (const kernel::Array& array : module.arrays) {
    if (!module.Uses(array) || array.copy_out) continue;
    if (module.Writes(array) || !array.copy_in) names.push_back(array.source_name);
  }
  return names;
}

std::string BuildJson(const KeptLibrary& kept, const graph::Graph& graph,
                      const kernel::Module& module, Executor executor) {
  const nlohmann::ordered_json json = {
      {"library", kept.library.string()},
      {"source", kept.source.string()},
      {"target", std::string(ToString(executor))},
      {"found", kept.found},
      {"used_up", UsedUp(module)},
      {"interface", nlohmann::ordered_json::parse(InterfaceJson(graph))}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int Fail(const UsageError& error) {
  PrintError(error.message, error.hint);
  return kExitProgramError;
}

}  // namespace

int BuildCommand(const Options& typed) {
  Options options = typed;
  DiagnosticSink sink;
  LoadedProgram loaded = LoadProgram(options, sink);
  if (loaded.exit_status != kExitDone) return loaded.exit_status;
  const auto graph = CompileToGraph(*loaded.program, loaded.pipeline, sink);
  PrintDiagnostics(*loaded.source, sink, options);
  if (!graph) return kExitProgramError;
  const auto chosen = ChooseBackend(options);
  if (const auto* error = std::get_if<UsageError>(&chosen)) return Fail(*error);
  const Executor executor = std::get<Executor>(chosen);
  const bool cuda = executor != Executor::Cpp;
  if (const std::string other = cuda ? CppOption(options) : GpuOption(options); !other.empty()) {
    fmt::print(stderr, "stencilgen: note: {} is about {} code, and means nothing here\n", other,
               cuda ? "C++" : "CUDA");
  }

  const auto gpu = executor == Executor::Cuda ? measure::AskGpu() : measure::GpuName{};
  std::string note;
  loaded.pipeline.target = cuda ? Target::Cuda : Target::Cpp;
  if (const auto error = TakeTuned(options, loaded, loaded.pipeline.target, gpu.arch, note)) {
    return Fail(*error);
  }
  loaded.pipeline.codegen.resident = true;
  // The same code is the same library, however its options were typed.
  loaded.pipeline.codegen.command_line.clear();
  ChosenPlan planned = CompileToChosenPlan(*graph, loaded.pipeline);
  fmt::print(stderr, "{}{}", note, NotesText(planned.notes));
  const Compiled compiled = EmitCode(std::move(planned.plan), *loaded.source, loaded.pipeline);

  BuildOptions build;
  build.backend = BackendOf(executor);
  build.fp = loaded.pipeline.codegen.fp;
  build.arch = options.arch.value_or("native");
  const Progress progress(fmt::format("compiling for {}", ToString(executor)));
  const KeptLibrary kept = KeepLibrary(compiled.text, loaded.pipeline.program_name, build,
                                       CacheDirectory(), gpu.model + gpu.arch);
  if (!kept.error.empty()) return Fail({kept.error, kept.hint});
  const std::string text = options.run.json ? BuildJson(kept, *graph, compiled.module, executor)
                                            : fmt::format("{}\n", kept.library.string());
  if (auto error = WriteStandardOutput(text)) {
    PrintError(*error);
    return kExitProgramError;
  }
  return kExitDone;
}

}  // namespace stencilgen::driver
