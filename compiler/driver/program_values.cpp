#include "driver/program_values.h"

#include <fmt/format.h>

#include "driver/option_values.h"

namespace stencilgen::driver {

namespace {

/// Adds one NAME=FILE to a list that may not name anything twice.
std::optional<UsageError> AddNamed(std::map<std::string, std::string>& list,
                                   std::string_view option, const std::string& value,
                                   std::string_view example) {
  auto pair = ReadNamedText(option, value, example);
  if (auto* error = std::get_if<UsageError>(&pair)) return *error;
  const auto& [name, text] = std::get<0>(pair);
  if (!list.emplace(name, text).second) {
    return UsageError{fmt::format("{}: `{}` is given twice", option, name), "keep one of them"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<UsageError> ApplyDefine(Options& options, const std::string& value) {
  auto values = ReadNamedValues("-D", value, "N=512");
  if (auto* error = std::get_if<UsageError>(&values)) return *error;
  for (const auto& [name, text] : std::get<0>(values)) {
    // A parameter is an `int` argument of the host function.
    auto number = ReadInteger("-D", fmt::format("the value of `{}`", name), text, 1, 2147483647);
    if (auto* error = std::get_if<UsageError>(&number)) return *error;
    if (!options.defines.emplace(name, std::get<0>(number)).second) {
      return UsageError{fmt::format("-D: `{}` is given twice", name), "keep one of them"};
    }
  }
  return std::nullopt;
}

std::optional<UsageError> ApplyPrecision(Options& options, const std::string& value) {
  auto values = ReadNamedValues("--precision", value, "u=half");
  if (auto* error = std::get_if<UsageError>(&values)) return *error;
  for (const auto& [name, text] : std::get<0>(values)) {
    const std::optional<ElementType> type = FindElementType(text);
    if (!type) {
      return UsageError{fmt::format("--precision: `{}` is no type", text),
                        "the types are double, float, int, bool, half, bfloat16, int8, uint8, "
                        "int16 and uint16"};
    }
    if (!options.types.emplace(name, *type).second) {
      return UsageError{fmt::format("--precision: `{}` is given twice", name), "keep one of them"};
    }
  }
  return std::nullopt;
}

std::optional<UsageError> ApplyIn(Options& options, const std::string& value) {
  return AddNamed(options.run.in, "--in", value, "u=u.npy");
}
std::optional<UsageError> ApplyOut(Options& options, const std::string& value) {
  return AddNamed(options.run.out, "--out", value, "u=u.npy");
}
std::optional<UsageError> ApplyScalar(Options& options, const std::string& value) {
  return AddNamed(options.run.scalar, "--scalar", value, "a=0.5");
}

std::optional<UsageError> ApplySeed(Options& options, const std::string& value) {
  return SetInteger<std::uint64_t>(options.run.seed, "--seed", "the seed", value, 0, INT64_MAX);
}

}  // namespace stencilgen::driver
