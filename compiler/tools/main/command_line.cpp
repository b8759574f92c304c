#include "tools/main/command_line.h"

#include <cstdio>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "driver/compile.h"
#include "driver/embed.h"
#include "driver/files.h"
#include "driver/option_table.h"
#include "driver/report.h"
#include "tools/explain/explain_command.h"
#include "tools/machine/machine_command.h"
#include "tools/main/manual.h"
#include "tools/run/build_command.h"
#include "tools/run/run.h"
#include "tools/tune/tune.h"

namespace stencilgen::driver {

int Main(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", UsageText());
    return kExitUsage;
  }
  const auto parsed = ParseCommandLine(arguments);
  if (const auto* error = std::get_if<UsageError>(&parsed)) return ReportUsage(*error);
  const auto& options = std::get<Options>(parsed);
  std::optional<std::string> unwritten;
  switch (options.command) {
    case Command::Help:
      unwritten = WriteStandardOutput(HelpText(options.help_for));
      break;
    case Command::Version:
      unwritten = WriteStandardOutput(fmt::format("stencilgen {}\n", STENCILGEN_VERSION));
      break;
    case Command::Manual:
      unwritten = WriteStandardOutput(ManualPage(STENCILGEN_VERSION));
      break;
    case Command::Completion:
      unwritten = WriteStandardOutput(CompletionScript(options.shell));
      break;
    case Command::Compile:
      return IsCppFile(options.input) ? EmbedCommand(options) : CompileCommand(options);
    case Command::Build:
      return BuildCommand(options);
    case Command::Run:
      return RunCommand(options);
    case Command::Explain:
      return ExplainCommand(options);
    case Command::Tune:
      return TuneCommand(options);
    case Command::Machine:
      return MachineCommand(options);
  }
  if (unwritten) PrintError(*unwritten);
  return unwritten ? kExitProgramError : kExitDone;
}

}  // namespace stencilgen::driver
