#include "driver/compile_commands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/files.h"
#include "machine/description_reader.h"

namespace stencilgen::driver {
namespace {

namespace fs = std::filesystem;
using machine::DescriptionError;
using machine::DescriptionText;
using machine::Json;
using machine::JsonPath;

constexpr std::string_view kHint =
    "what follows `--` is taken instead of it: stencilgen app.c -o app.gen.cpp -- -Iinclude";

/// Options with a value, in the same word or the next one.
constexpr std::array<std::string_view, 10> kWithValue = {
    "-I",         "-D",       "-U",       "-isystem",  "-iquote",
    "-idirafter", "-include", "-imacros", "-isysroot", "-x"};
/// Of those, the ones whose value is a path.
constexpr std::array<std::string_view, 7> kWithPath = {
    "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot"};
/// Options that begin so and say what code means.
constexpr std::array<std::string_view, 8> kAlone = {"-std=",         "-ansi",     "-nostdinc",
                                                    "-m32",          "-m64",      "-funsigned-char",
                                                    "-fsigned-char", "--sysroot="};

/// The words of a command as a shell has them: quotes and backslashes are undone.
std::vector<std::string> WordsOf(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = '\0';
  for (std::size_t k = 0; k < command.size(); ++k) {
    const char c = command[k];
    const bool escapes =
        c == '\\' && k + 1 < command.size() &&
        (quote == '\0' || (quote == '"' && (command[k + 1] == '"' || command[k + 1] == '\\')));
    if (escapes) {
      word += command[++k];
      has_word = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      has_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (has_word) words.push_back(std::exchange(word, {}));
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words.push_back(std::move(word));
  return words;
}

template <std::size_t count>
bool IsOneOf(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Of a compiler's command, what says what the code means: what else there is (the output, how far
/// to optimise, options that clang does not have) has no part in reading it.
std::vector<std::string> MeaningfulOf(const std::vector<std::string>& words,
                                      const fs::path& folder) {
  std::vector<std::string> kept;
  const auto absolute = [&](const std::string& path) {
    return (folder / path).lexically_normal().string();
  };
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string& word = words[k];
    const bool alone = std::any_of(kAlone.begin(), kAlone.end(), [&](std::string_view option) {
      return word.rfind(option, 0) == 0;
    });
    if (alone) {
      kept.push_back(word);
      continue;
    }
    // The longest name that fits: `-isystem` is no `-i`.
    std::string_view name;
    for (const std::string_view option : kWithValue) {
      if (word.rfind(option, 0) == 0 && option.size() > name.size()) name = option;
    }
    if (name.empty()) continue;
    std::string value = word.substr(name.size());
    if (value.empty() && ++k < words.size()) value = words[k];
    if (name == "-x" && value != "c" && value != "c++") continue;
    kept.emplace_back(name);
    kept.push_back(IsOneOf(name, kWithPath) ? absolute(value) : value);
  }
  return kept;
}

/// Reads a database that somebody has found.
class Reader {
 public:
  Reader(std::string path, const std::string& text)
      : path_(std::move(path)), place_(path_, text), text_(text) {}

  std::variant<FileCommand, UsageError> Read(const fs::path& file) {
    Json json;
    try {
      json = Json::parse(text_);
    } catch (const Json::parse_error& error) {
      const auto at =
          static_cast<std::uint32_t>(std::min(error.byte == 0 ? 0 : error.byte - 1, text_.size()));
      return Usage(place_.ErrorAt({at, at}, "this is no JSON", kHint));
    } catch (const Json::exception&) {
      return Usage(place_.ErrorAt({0, 0}, "this is no JSON that can be read", kHint));
    }
    if (!json.is_array()) return Usage(place_.Error({}, "a list of commands is needed", kHint));
    FileCommand command;
    bool found = false;
    for (std::size_t k = 0; k < json.size(); ++k) {
      if (auto error = Check(json[k], {k})) return Usage(*std::move(error));
      if (found) continue;
      const Json& entry = json[k];
      const fs::path folder = fs::path(path_).parent_path() / TextOf(entry, "directory");
      std::error_code ignored;
      if (!fs::equivalent(folder / TextOf(entry, "file"), file, ignored)) continue;
      found = true;
      command = {MeaningfulOf(Words(entry), folder), path_};
    }
    return command;
  }

 private:
  static UsageError Usage(DescriptionError error) {
    return {std::move(error.message), std::move(error.hint), std::move(error.excerpt)};
  }

  static std::string TextOf(const Json& entry, const char* name) {
    return entry.contains(name) ? entry[name].get<std::string>() : std::string();
  }

  static std::vector<std::string> Words(const Json& entry) {
    if (entry.contains("arguments")) return entry["arguments"].get<std::vector<std::string>>();
    return WordsOf(TextOf(entry, "command"));
  }

  std::optional<DescriptionError> Check(const Json& entry, const JsonPath& path) const {
    if (!entry.is_object()) return place_.Error(path, "an object is needed", kHint);
    for (const char* name : {"directory", "file", "command"}) {
      if (entry.contains(name) && !entry[name].is_string()) {
        return place_.Error(machine::Below(path, std::string(name)),
                            fmt::format("`{}` is no text", name), kHint);
      }
    }
    if (!entry.contains("file")) return place_.Error(path, "`file` is missing", kHint);
    if (!entry.contains("arguments")) {
      if (entry.contains("command")) return std::nullopt;
      return place_.Error(path, "neither `command` nor `arguments` is there", kHint);
    }
    const Json& arguments = entry["arguments"];
    const bool texts =
        arguments.is_array() && std::all_of(arguments.begin(), arguments.end(),
                                            [](const Json& word) { return word.is_string(); });
    if (texts) return std::nullopt;
    return place_.Error(machine::Below(path, std::string("arguments")),
                        "`arguments` is no list of texts", kHint);
  }

  std::string path_;
  DescriptionText place_;
  const std::string& text_;
};

}  // namespace

std::variant<FileCommand, UsageError> FindCompileCommand(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return FileCommand{};
  const fs::path whole = fs::absolute(file, error);
  for (fs::path folder = whole.parent_path();; folder = folder.parent_path()) {
    for (const char* inside : {"", "build"}) {
      const fs::path path = folder / inside / "compile_commands.json";
      if (!fs::is_regular_file(path, error)) continue;
      std::string reason;
      const auto text = ReadInput(path.string(), reason);
      if (!text) return UsageError{std::move(reason), std::string(kHint)};
      return Reader(path.string(), *text).Read(whole);
    }
    if (folder == folder.parent_path()) return FileCommand{};
  }
}

}  // namespace stencilgen::driver
