#include "driver/device_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "driver/files.h"
#include "support/diagnostics.h"

namespace stencilgen::driver {
namespace {

using Json = nlohmann::ordered_json;
using plan::Device;
using Member =
    std::variant<std::string Device::*, int Device::*, std::int64_t Device::*, double Device::*>;

struct Field {
  const char* name;
  Member member;
  double least, most;  ///< of a number
};

constexpr double kMostBytes = 1e15;
constexpr double kMostRate = 1e18;

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = {
      {"arch", &Device::arch, 0, 0},
      {"model", &Device::model, 0, 0},
      {"sms", &Device::sms, 1, 1e6},
      {"threads_per_sm", &Device::threads_per_sm, Device::kWarp, 1e6},
      {"threads_per_block", &Device::threads_per_block, Device::kWarp, 1024},
      {"blocks_per_sm", &Device::blocks_per_sm, 1, 1e6},
      {"registers_per_sm", &Device::registers_per_sm, 1, 1e9},
      {"registers_per_thread", &Device::registers_per_thread, 16, 255},
      {"register_unit", &Device::register_unit, 1, 1e6},
      {"register_file_partitions", &Device::register_file_partitions, 1, 64},
      {"shared_per_sm", &Device::shared_per_sm, 0, kMostBytes},
      {"shared_per_block", &Device::shared_per_block, 0, kMostBytes},
      {"shared_per_block_most", &Device::shared_per_block_most, 0, kMostBytes},
      {"shared_reserved", &Device::shared_reserved, 0, kMostBytes},
      {"shared_unit", &Device::shared_unit, 1, kMostBytes},
      {"l2_bytes", &Device::l2_bytes, 0, kMostBytes},
      {"memory_peak", &Device::memory_peak, 1, kMostRate},
      {"memory_achieved", &Device::memory_achieved, 1, kMostRate},
      {"fp32_peak", &Device::fp32_peak, 1, kMostRate},
      {"fp64_peak", &Device::fp64_peak, 1, kMostRate},
      {"fp32_stencil", &Device::fp32_stencil, 1, kMostRate},
      {"fp64_stencil", &Device::fp64_stencil, 1, kMostRate},
      {"clock", &Device::clock, 1, kMostRate},
      {"shared_per_clock", &Device::shared_per_clock, 1, kMostRate}};
  return fields;
}

/// `3:14` of a byte in the text.
std::string PlaceOf(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = before.size() - (begin == std::string_view::npos ? 0 : begin + 1);
  return fmt::format("{}:{}", line, std::max<std::size_t>(column, 1));
}

class DeviceReader {
 public:
  explicit DeviceReader(std::string_view file) : file_(file) {}

  std::variant<Device, UsageError> Read(std::string_view text) {
    Json json;
    try {
      json = Json::parse(text);
    } catch (const Json::parse_error& error) {
      return UsageError{
          fmt::format("--device-file: {}:{}: this is not JSON", file_, PlaceOf(text, error.byte)),
          R"(an object of names and numbers, as {"base": "sm_90", "sms": 66})"};
    } catch (const Json::out_of_range&) {
      return Error("a number is beyond what a double holds", "");
    }
    if (!json.is_object()) {
      return Error("the description is no object", R"(it is one as {"base": "sm_90", "sms": 66})");
    }
    if (auto error = CheckNames(json)) return *error;
    if (auto error = SetBase(json)) return *error;
    for (const Field& field : Fields()) {
      if (!json.contains(field.name)) continue;
      if (auto error = Set(field, json[field.name])) return *error;
    }
    if (auto error = CheckTogether()) return *error;
    return device_;
  }

 private:
  using Result = std::optional<UsageError>;

  UsageError Error(std::string_view message, std::string_view hint) const {
    return {fmt::format("--device-file: {}: {}", file_, message), std::string(hint)};
  }

  Result CheckNames(const Json& json) const {
    std::vector<std::string> names = {"base"};
    for (const Field& field : Fields()) names.emplace_back(field.name);
    for (const auto& [name, value] : json.items()) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      const std::string nearest = NearestName(name, names);
      return Error(fmt::format("a device has no `{}`", name),
                   nearest.empty() ? fmt::format("it has {}", fmt::join(names, ", "))
                                   : fmt::format("did you mean `{}`?", nearest));
    }
    return std::nullopt;
  }

  Result SetBase(const Json& json) {
    if (json.contains("base")) {
      const Json& base = json["base"];
      const Device* found = base.is_string() ? plan::FindDevice(base.get<std::string>()) : nullptr;
      if (found == nullptr) {
        return Error(fmt::format("`base` is {}, of which there is no description", base.dump()),
                     R"(for example "base": "sm_90")");
      }
      device_ = *found;
      return std::nullopt;
    }
    std::vector<std::string> missing;
    for (const Field& field : Fields()) {
      if (!json.contains(field.name)) missing.emplace_back(field.name);
    }
    if (missing.empty()) return std::nullopt;
    return Error(fmt::format("without a `base` it must say everything, but does not say {}",
                             fmt::join(missing, ", ")),
                 R"(with "base": "sm_90" what is not said is that device's)");
  }

  Result Set(const Field& field, const Json& value) {
    if (const auto* text = std::get_if<std::string Device::*>(&field.member)) {
      if (!value.is_string() || value.get<std::string>().empty()) {
        return Error(fmt::format("`{}` is {}, but a text is needed", field.name, value.dump()), "");
      }
      device_.** text = value.get<std::string>();
      return std::nullopt;
    }
    const bool fraction = std::holds_alternative<double Device::*>(field.member);
    if (!value.is_number()) {
      return Error(fmt::format("`{}` is {}, but a number is needed", field.name, value.dump()), "");
    }
    const auto number = value.get<double>();
    if (!fraction && number != std::floor(number)) {
      return Error(fmt::format("`{}` is {}, but must be an integer", field.name, value.dump()), "");
    }
    if (!(number >= field.least && number <= field.most)) {
      return Error(fmt::format("`{}` is {}, out of range", field.name, value.dump()),
                   fmt::format("it is from {} to {}", field.least, field.most));
    }
    if (const auto* small = std::get_if<int Device::*>(&field.member)) {
      device_.** small = static_cast<int>(number);
    } else if (const auto* large = std::get_if<std::int64_t Device::*>(&field.member)) {
      device_.** large = static_cast<std::int64_t>(number);
    } else {
      device_.*std::get<double Device::*>(field.member) = number;
    }
    return std::nullopt;
  }

  /// What the model divides by, and what could not run.
  Result CheckTogether() const {
    const auto at_most = [&](const char* small_name, std::int64_t small, const char* large_name,
                             std::int64_t large) -> Result {
      if (small <= large) return std::nullopt;
      return Error(
          fmt::format("`{}` is {}, more than `{}`, {}", small_name, small, large_name, large), "");
    };
    for (const Result& error :
         {at_most("threads_per_block", device_.threads_per_block, "threads_per_sm",
                  device_.threads_per_sm),
          at_most("shared_per_block", device_.shared_per_block, "shared_per_block_most",
                  device_.shared_per_block_most),
          at_most("shared_per_block_most", device_.shared_per_block_most, "shared_per_sm",
                  device_.shared_per_sm),
          at_most("register_unit", device_.register_unit, "registers_per_sm",
                  device_.registers_per_sm),
          at_most("register_file_partitions", device_.register_file_partitions, "registers_per_sm",
                  device_.registers_per_sm)}) {
      if (error) return error;
    }
    if (device_.memory_achieved > device_.memory_peak) {
      return Error(fmt::format("`memory_achieved` is {:g}, more than `memory_peak`, {:g}",
                               device_.memory_achieved, device_.memory_peak),
                   "");
    }
    return std::nullopt;
  }

  const std::string file_;
  Device device_;
};

}  // namespace

std::variant<Device, UsageError> ParseDevice(std::string_view file, std::string_view text) {
  return DeviceReader(file).Read(text);
}

std::variant<Device, UsageError> ReadDeviceFile(const std::string& path) {
  std::string error;
  const auto text = ReadInput(path, error);
  if (!text) {
    return UsageError{fmt::format("--device-file: {}", error), "give a file with a JSON object"};
  }
  return ParseDevice(path, *text);
}

std::string PrintDevice(const Device& device) {
  Json json;
  for (const Field& field : Fields()) {
    std::visit([&](auto member) { json[field.name] = device.*member; }, field.member);
  }
  return json.dump(2) + "\n";
}

}  // namespace stencilgen::driver
