#include "suite/tuned.h"

#include <fmt/format.h>

#include "driver/use_tuned.h"
#include "frontend/read_program.h"

namespace stencilgen::suite {
namespace {

std::variant<driver::TuningDatabase, std::string> ReadDatabase() {
  const std::filesystem::path file = driver::TuningDatabaseFile({});
  if (file.empty()) return driver::TuningDatabase();
  return driver::ReadTuningDatabase(file);
}

}  // namespace

std::string CheckTuningDatabase() {
  const auto read = ReadDatabase();
  const auto* error = std::get_if<std::string>(&read);
  return error == nullptr ? "" : fmt::format("the tuning database cannot be used: {}", *error);
}

std::optional<driver::OptionSet> FindTunedOptions(const Program& program, driver::Target target,
                                                  const std::string& arch) {
  const auto read = ReadDatabase();
  const auto* database = std::get_if<driver::TuningDatabase>(&read);
  if (database == nullptr || database->entries.empty()) return std::nullopt;
  const SourceFile source(program.benchmark.name, program.text);
  DiagnosticSink unheard;
  const auto parsed = ReadProgram(source, unheard);
  if (!parsed) return std::nullopt;
  const driver::TuningEntry* entry = driver::FindTuned(*database, {}, driver::IdentityOf(*parsed),
                                                       target, arch, driver::CpuName());
  return entry == nullptr ? std::nullopt : std::optional(entry->options);
}

}  // namespace stencilgen::suite
