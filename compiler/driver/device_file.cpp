#include "driver/device_file.h"

#include <utility>

#include <fmt/format.h>

#include "driver/files.h"
#include "driver/tuning_db.h"
#include "machine/description.h"

namespace stencilgen::driver {

namespace {

constexpr std::string_view kNative = "native";

}  // namespace

std::filesystem::path KeptMachineFile() {
  const std::filesystem::path database = TuningDatabaseFile({});
  return database.empty() ? database : database.parent_path() / "machine.json";
}

std::string DeviceFilePath(const std::string& path) {
  return path == kNative ? KeptMachineFile().string() : path;
}

std::variant<machine::Target, UsageError> ReadDeviceFile(const std::string& path) {
  const std::string file = DeviceFilePath(path);
  std::error_code ignored;
  if (path == kNative && (file.empty() || !std::filesystem::exists(file, ignored))) {
    return UsageError{"--device-file native: this machine has not been measured",
                      "`stencilgen machine` measures it and keeps what it finds"};
  }
  std::string error;
  const auto text = ReadInput(file, error);
  if (!text) {
    return UsageError{fmt::format("--device-file: {}", error), "give a file with a JSON object"};
  }
  auto described = machine::ParseDescription(file, *text);
  if (auto* bad = std::get_if<machine::DescriptionError>(&described)) {
    return UsageError{fmt::format("--device-file: {}", bad->message), std::move(bad->hint),
                      std::move(bad->excerpt)};
  }
  return std::get<machine::Target>(std::move(described));
}

}  // namespace stencilgen::driver
