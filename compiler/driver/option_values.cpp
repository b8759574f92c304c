#include "driver/option_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "support/diagnostics.h"
#include "support/functions.h"

namespace stencilgen::driver {

std::variant<std::int64_t, UsageError> ReadInteger(std::string_view option, std::string_view what,
                                                   std::string_view text, std::int64_t lowest,
                                                   std::int64_t highest) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  const std::string range = fmt::format("{} is an integer from {} to {}", what, lowest, highest);
  if (status == std::errc::result_out_of_range && stop == end) {
    return UsageError{fmt::format("{}: {} is out of range", option, text), range};
  }
  if (status != std::errc() || stop != end) {
    return UsageError{fmt::format("{}: `{}` is not an integer", option, text), range};
  }
  if (value < lowest || value > highest) {
    return UsageError{fmt::format("{}: {} is out of range", option, text), range};
  }
  return value;
}

std::variant<NamedValues, UsageError> ReadNamedValues(std::string_view option,
                                                      const std::string& text,
                                                      std::string_view example) {
  NamedValues result;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    auto one = ReadNamedText(option, item, example);
    if (auto* error = std::get_if<UsageError>(&one)) return *error;
    auto& pair = std::get<0>(one);
    for (const auto& earlier : result) {
      if (earlier.first == pair.first) {
        return UsageError{fmt::format("{}: `{}` is given twice", option, pair.first),
                          fmt::format("for example {} {}", option, example)};
      }
    }
    result.push_back(std::move(pair));
    begin = end + 1;
  }
  return result;
}

std::variant<std::pair<std::string, std::string>, UsageError> ReadNamedText(
    std::string_view option, const std::string& text, std::string_view example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return UsageError{fmt::format("{}: `{}` is not of the form NAME=VALUE", option, text),
                      fmt::format("for example {} {}", option, example)};
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

std::variant<std::size_t, UsageError> ReadChoice(std::string_view option, const std::string& text,
                                                 const std::vector<std::string>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  return UsageError{fmt::format("{}: unknown value `{}`", option, text),
                    NameHint(text, choices, "values")};
}

bool IsUsableIdentifier(std::string_view text) {
  // Sorted.
  static constexpr std::array kReserved = std::to_array<std::string_view>(
      {"alignas",     "alignof",      "and",        "and_eq",
       "asm",         "auto",         "bitand",     "bitor",
       "bool",        "break",        "case",       "catch",
       "char",        "char16_t",     "char32_t",   "char8_t",
       "class",       "co_await",     "co_return",  "co_yield",
       "compl",       "concept",      "const",      "const_cast",
       "consteval",   "constexpr",    "constinit",  "continue",
       "decltype",    "default",      "delete",     "do",
       "double",      "dynamic_cast", "else",       "enum",
       "explicit",    "export",       "extern",     "false",
       "float",       "for",          "friend",     "goto",
       "if",          "inline",       "int",        "long",
       "main",        "mutable",      "namespace",  "new",
       "noexcept",    "not",          "not_eq",     "nullptr",
       "operator",    "or",           "or_eq",      "private",
       "protected",   "public",       "register",   "reinterpret_cast",
       "requires",    "restrict",     "return",     "short",
       "signed",      "sizeof",       "static",     "static_assert",
       "static_cast", "std",          "stencilgen", "struct",
       "switch",      "template",     "this",       "thread_local",
       "throw",       "true",         "try",        "typedef",
       "typeid",      "typename",     "union",      "unsigned",
       "using",       "virtual",      "void",       "volatile",
       "wchar_t",     "while",        "xor",        "xor_eq"});
  // Functions of the C library that headers of generated files declare.
  static constexpr std::array kLibrary = std::to_array<std::string_view>(
      {"abort",  "atexit", "close",  "daemon", "div",    "dup",    "exit",  "fork",
       "free",   "gamma",  "getenv", "index",  "j0",     "j1",     "jn",    "kill",
       "link",   "malloc", "open",   "pause",  "pipe",   "printf", "rand",  "random",
       "read",   "remove", "rename", "select", "setenv", "signal", "sleep", "sync",
       "system", "time",   "wait",   "write",  "y0",     "y1",     "yn"});
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto word = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), word) &&
         !std::binary_search(kReserved.begin(), kReserved.end(), text) &&
         !std::binary_search(kLibrary.begin(), kLibrary.end(), text) && !FindFunction(text);
}

std::string Enumerate(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += fmt::format("`{}`", names[i]);
  }
  return text;
}

std::string NameHint(std::string_view name, const std::vector<std::string>& known,
                     std::string_view plural) {
  constexpr std::size_t kMostNames = 12;
  const std::string nearest = NearestName(name, known);
  if (!nearest.empty()) return fmt::format("did you mean `{}`?", nearest);
  if (known.empty()) return fmt::format("there are no {}", plural);
  if (known.size() > kMostNames) return "";
  return fmt::format("the {} are {}", plural, Enumerate(known));
}

}  // namespace stencilgen::driver
