#include "tools/run/run_scalars.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "driver/option_values.h"
#include "support/match.h"

namespace stencilgen::driver {

namespace {

/// The value that the text is in the scalar's type; none where it is no such value.
std::optional<graph::Values> ValueOf(const HostData& scalar, std::string_view text) {
  graph::Values values = graph::MakeValues(scalar.type, 1);
  const auto read = [&](auto& value) {
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return status == std::errc() && stop == end;
  };
  const bool good = Match(
      values,
      [&](std::vector<std::uint8_t>& flag) {
        flag[0] = text == "1" || text == "true" ? 1 : 0;
        return flag[0] == 1 || text == "0" || text == "false";
      },
      [&](std::vector<std::int32_t>& number) { return read(number[0]); },
      [&](auto& number) { return read(number[0]) && std::isfinite(number[0]); });
  if (!good) return std::nullopt;
  return values;
}

/// The real and the imaginary part of `0.5`, `2i` or `0.5-2i`.
std::array<std::string_view, 2> PartsOf(std::string_view text) {
  if (text.empty() || text.back() != 'i') return {text, "0"};
  text.remove_suffix(1);
  std::size_t sign = text.find_last_of("+-");
  while (sign != std::string_view::npos && sign > 0 &&
         (text[sign - 1] == 'e' || text[sign - 1] == 'E')) {
    sign = text.find_last_of("+-", sign - 1);
  }
  if (sign == std::string_view::npos || sign == 0) return {"0", text};
  return {text.substr(0, sign), text.substr(text[sign] == '+' ? sign + 1 : sign)};
}

/// A scalar of the program, also one that takes a reduction; null where there is none.
HostData* FindScalar(RunInputs& inputs, const std::string& name) {
  if (HostData* scalar = FindData(inputs.scalars, name)) return scalar;
  HostData* array = FindData(inputs.arrays, name);
  return array != nullptr && array->shape == std::vector<std::int64_t>{1} ? array : nullptr;
}

/// One scalar, or the two parts of a complex one; none where there is none.
std::vector<HostData*> FindParts(RunInputs& inputs, const std::string& name) {
  if (HostData* scalar = FindScalar(inputs, name)) return {scalar};
  HostData* re = FindScalar(inputs, name + "_re");
  HostData* im = FindScalar(inputs, name + "_im");
  if (re == nullptr || im == nullptr) return {};
  return {re, im};
}

UsageError NoScalar(const RunInputs& inputs, const std::string& name) {
  if (FindData(inputs.arrays, name) != nullptr || FindComplex(inputs, name)) {
    return {fmt::format("--scalar: `{}` is an array", name),
            fmt::format("give it with --in {}=FILE.npy", name)};
  }
  return {fmt::format("--scalar: the program has no scalar `{}`", name),
          NameHint(name, NamesOf(inputs.scalars), "scalars")};
}

UsageError NoValue(const std::vector<HostData*>& parts, const std::string& name,
                   const std::string& text) {
  std::string hint =
      parts.size() > 1
          ? fmt::format("`{}` is complex, as 0.5, 2i or 0.5-2i", name)
          : fmt::format("`{}` is {} {}", name, parts.front()->type == ScalarType::Int ? "an" : "a",
                        ToString(parts.front()->type));
  return {fmt::format("--scalar: `{}` is no value for `{}`", text, name), std::move(hint)};
}

std::optional<UsageError> ReadScalar(RunInputs& inputs, const std::string& name,
                                     const std::string& text) {
  const std::vector<HostData*> parts = FindParts(inputs, name);
  if (parts.empty()) return NoScalar(inputs, name);
  const auto texts =
      parts.size() > 1 ? PartsOf(text) : std::array<std::string_view, 2>{text, std::string_view()};
  for (std::size_t n = 0; n < parts.size(); ++n) {
    HostData& scalar = *parts[n];
    if (!scalar.has_value) {
      return UsageError{
          fmt::format("--scalar: the program computes `{}` and takes no value for it", name),
          fmt::format("add `copyin {};` to the program to begin with one", name)};
    }
    if (graph::SizeOf(scalar.values) > 0) {
      return UsageError{fmt::format("--scalar: `{}` is given twice", scalar.name),
                        "keep one of them"};
    }
    auto value = ValueOf(scalar, texts[n]);
    if (!value) return NoValue(parts, name, text);
    scalar.values = std::move(*value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<UsageError> ReadScalars(RunInputs& inputs, const Options& options) {
  for (const auto& [name, text] : options.run.scalar) {
    if (auto error = ReadScalar(inputs, name, text)) return error;
  }
  return std::nullopt;
}

}  // namespace stencilgen::driver
