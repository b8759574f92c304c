#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "driver/options.h"
#include "plan/device.h"

namespace stencilgen::driver {

/// A GPU's description from a JSON object: the fields of plan::Device by name, in its units.
/// `"base": "sm_90"` takes what is not said from that architecture; without it every field must be
/// there. `file`: its name, for messages.
std::variant<plan::Device, UsageError> ParseDevice(std::string_view file, std::string_view text);

/// The same from a file.
std::variant<plan::Device, UsageError> ReadDeviceFile(const std::string& path);

/// The description as ParseDevice reads it.
std::string PrintDevice(const plan::Device& device);

}  // namespace stencilgen::driver
