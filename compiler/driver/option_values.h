#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "driver/options.h"

namespace stencilgen::driver {

/// An integer in decimal, the whole text, within the bounds.
std::variant<std::int64_t, UsageError> ReadInteger(std::string_view option, std::string_view what,
                                                   std::string_view text, std::int64_t lowest,
                                                   std::int64_t highest);

/// `name=value,name=value`: in order, names and values not empty, no name twice.
using NamedValues = std::vector<std::pair<std::string, std::string>>;
std::variant<NamedValues, UsageError> ReadNamedValues(std::string_view option,
                                                      const std::string& text,
                                                      std::string_view example);

/// One `name=value` whose value may contain anything.
std::variant<std::pair<std::string, std::string>, UsageError> ReadNamedText(
    std::string_view option, const std::string& text, std::string_view example);

/// The index of the text in the choices.
std::variant<std::size_t, UsageError> ReadChoice(std::string_view option, const std::string& text,
                                                 const std::vector<std::string>& choices);

/// Stores what ReadInteger reads, as a `Number`.
template <typename Number, typename Where>
std::optional<UsageError> SetInteger(Where& where, std::string_view option, std::string_view what,
                                     const std::string& text, std::int64_t lowest,
                                     std::int64_t highest) {
  auto read = ReadInteger(option, what, text, lowest, highest);
  if (auto* error = std::get_if<UsageError>(&read)) return *error;
  where = static_cast<Number>(std::get<0>(read));
  return std::nullopt;
}

/// Stores which of the choices the text is; the enum has them in the same order.
template <typename Enum, typename Where>
std::optional<UsageError> SetChoice(Where& where, std::string_view option, const std::string& text,
                                    const std::vector<std::string>& choices) {
  auto found = ReadChoice(option, text, choices);
  if (auto* error = std::get_if<UsageError>(&found)) return *error;
  where = static_cast<Enum>(std::get<0>(found));
  return std::nullopt;
}

/// True for a C identifier that is no keyword of C or C++ and no function of the C library that
/// generated files see.
bool IsUsableIdentifier(std::string_view text);

/// `a`, `b` and `c`
std::string Enumerate(const std::vector<std::string>& names);

/// The hint for a name that is not among the known ones: the nearest, else all of them.
std::string NameHint(std::string_view name, const std::vector<std::string>& known,
                     std::string_view plural);

}  // namespace stencilgen::driver
