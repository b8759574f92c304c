#include "tools/machine/machine_command.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "driver/device_file.h"
#include "driver/files.h"
#include "driver/report.h"
#include "machine/description.h"
#include "support/count_text.h"
#include "tools/machine/measure_machine.h"

namespace stencilgen::driver {

namespace {

/// `32 KiB`
std::string Bytes(std::int64_t bytes) {
  constexpr std::int64_t kKi = 1024;
  if (bytes % (kKi * kKi) == 0) return fmt::format("{} MiB", bytes / (kKi * kKi));
  if (bytes % kKi == 0) return fmt::format("{} KiB", bytes / kKi);
  return fmt::format("{} bytes", bytes);
}

std::string RateLine(std::string_view what, double one, double all) {
  constexpr double kGiga = 1e9;
  return fmt::format("  {:<40} {:>8.1f} {:>8.1f}\n", what, one / kGiga, all / kGiga);
}

/// Writes the description where `--device-file native` finds it. Empty on success.
std::optional<std::string> KeepMeasurement(const std::string& text) {
  const std::filesystem::path file = KeptMachineFile();
  if (file.empty()) return std::nullopt;
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  if (auto error = WriteOutputs({{file.string(), text}})) return error;
  fmt::print(stderr, "stencilgen: note: kept in {}: `--device-file native` uses it\n",
             file.string());
  return std::nullopt;
}

}  // namespace

std::string MachineTable(const machine::Cpu& cpu) {
  constexpr double kGiga = 1e9;
  std::string text = fmt::format(
      "{}: {}, {}, {:.2f} GHz\n"
      "  vectors of {} bytes, {} registers, {} a cycle: {:.1f} Gflop/s a core in "
      "double precision\n\n",
      cpu.model, CountText(cpu.cores, "core"), CountText(cpu.threads, "thread"), cpu.clock / kGiga,
      cpu.vector_bytes, cpu.vector_registers, CountText(cpu.multiply_adds, "multiply-add"),
      cpu.PeakOfCore(8) / kGiga);
  text += fmt::format("  {:<40} {:>8} {:>8}\n", "GB/s, read and written", "1 thread",
                      fmt::format("{} threads", cpu.cores));
  for (const machine::Cache& cache : cpu.caches) {
    text += RateLine(fmt::format("level {} cache, {}{}: triad", cache.level, Bytes(cache.bytes),
                                 cache.cores > 1 ? fmt::format(" for {} cores", cache.cores) : ""),
                     cache.one, cache.all);
  }
  text += RateLine("memory: read", cpu.read_one, cpu.read_all);
  text += RateLine("memory: copy", cpu.copy_one, cpu.copy_all);
  text += RateLine("memory: triad", cpu.triad_one, cpu.triad_all);
  text +=
      RateLine("memory: copy, stores past caches", cpu.streaming_copy_one, cpu.streaming_copy_all);
  text += RateLine("memory: triad, stores past caches", cpu.streaming_triad_one,
                   cpu.streaming_triad_all);
  return text;
}

int MachineCommand(const Options& options) {
  const auto measured = MeasureMachine(options.machine.seconds, options.threads);
  if (const auto* error = std::get_if<std::string>(&measured)) {
    PrintError(fmt::format("the machine cannot be measured: {}", *error));
    return kExitProgramError;
  }
  const auto& cpu = std::get<machine::Cpu>(measured);
  const std::string description = machine::PrintDescription(cpu);
  if (options.out_file != "-") {
    if (auto error = WriteStandardOutput(MachineTable(cpu))) {
      PrintError(*error);
      return kExitProgramError;
    }
  }
  const auto failed = options.out_file.empty() ? KeepMeasurement(description)
                                               : WriteOutputs({{options.out_file, description}});
  if (failed) PrintError(*failed);
  return failed ? kExitProgramError : kExitDone;
}

}  // namespace stencilgen::driver
