#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "driver/options.h"
#include "machine/target.h"

namespace stencilgen::driver {

/// The machine that a file describes (machine/description.h). `native`: what `stencilgen machine`
/// has kept of this one.
std::variant<machine::Target, UsageError> ReadDeviceFile(const std::string& path);

/// The file that `--device-file` names: its path, for `native` that of the kept measurement.
std::string DeviceFilePath(const std::string& path);

/// Where `stencilgen machine` keeps what it measures: machine.json in the folder of the tuning
/// database that is used where no option names one. Empty where there is none.
std::filesystem::path KeptMachineFile();

}  // namespace stencilgen::driver
