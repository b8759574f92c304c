#include "driver/options.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "driver/files.h"
#include "driver/option_table.h"
#include "driver/option_values.h"
#include "support/diagnostics.h"

namespace stencilgen::driver {

namespace {

/// Lower case without dashes: how `-blockDim` and `--block-dim` find `--blockdim`.
std::string Squeeze(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != '-' && c != '_') {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

/// How the command is written.
std::string_view CommandText(Command command) {
  if (command == Command::Build) return "stencilgen build FILE";
  if (command == Command::Run) return "stencilgen run FILE";
  if (command == Command::Tune) return "stencilgen tune FILE";
  if (command == Command::Machine) return "stencilgen machine";
  return command == Command::Explain ? "stencilgen explain FILE" : "stencilgen FILE";
}

UsageError UnknownOption(const std::string& argument, Command command) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::string squeezed = Squeeze(name);
  UsageError error{fmt::format("unknown option `{}`", name), "`stencilgen --help` lists them"};
  std::vector<std::string> candidates;
  for (const OptionSpec& spec : OptionTable()) {
    const bool here = Belongs(spec, command);
    const bool named = spec.name == name || (!spec.short_name.empty() && spec.short_name == name);
    if (named && !here) {
      const Command other = spec.compile                         ? Command::Compile
                            : spec.name == "--page"              ? Command::Explain
                            : spec.run                           ? Command::Run
                            : spec.group == OptionGroup::Machine ? Command::Machine
                                                                 : Command::Tune;
      error.message = fmt::format("`{}` is no option of `{}`", name, CommandText(command));
      error.hint = fmt::format("it belongs to `{}`", CommandText(other));
      return error;
    }
    if (!here) continue;
    if (Squeeze(spec.name) == squeezed) {
      error.hint = fmt::format("did you mean `{}`?", spec.name);
      return error;
    }
    candidates.push_back(Squeeze(spec.name));
  }
  const std::string nearest = NearestName(squeezed, candidates);
  for (const OptionSpec& spec : OptionTable()) {
    if (!nearest.empty() && Squeeze(spec.name) == nearest) {
      error.hint = fmt::format("did you mean `{}`?", spec.name);
    }
  }
  return error;
}

/// `-stream k`: a long option with one dash, which would otherwise be read as `-s tream`.
bool IsLongWithOneDash(const std::string& argument) {
  if (argument.size() < 3 || argument[0] != '-' || argument[1] == '-') return false;
  const std::string squeezed = Squeeze(argument.substr(0, argument.find('=')));
  const auto& table = OptionTable();
  return std::any_of(table.begin(), table.end(),
                     [&](const OptionSpec& spec) { return Squeeze(spec.name) == squeezed; });
}

/// `--verify=yes`: a flag is given or not.
std::optional<UsageError> CheckFlagValue(const std::string& argument) {
  for (const OptionSpec& spec : OptionTable()) {
    if (!spec.value.empty() || argument.rfind(fmt::format("{}=", spec.name), 0) != 0) continue;
    return UsageError{fmt::format("{} takes no value", spec.name),
                      fmt::format("write {} alone, or leave it out", spec.name)};
  }
  return std::nullopt;
}

/// The occurrences of the options in the command line, and the file.
struct Tokens {
  std::vector<std::vector<std::string>> values;  ///< by option of the table
  std::string input;
  bool input_given = false;
};

std::variant<Tokens, UsageError> Tokenize(const std::vector<std::string>& arguments,
                                          Command command) {
  const auto& table = OptionTable();
  Tokens tokens;
  tokens.values.resize(table.size());
  std::vector<std::size_t> flags(table.size(), 0);
  std::vector<std::string> files;

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const OptionSpec& spec = table[i];
    if (!Belongs(spec, command)) continue;
    const std::string names = spec.short_name.empty()
                                  ? std::string(spec.name)
                                  : fmt::format("{},{}", spec.short_name, spec.name);
    if (spec.value.empty()) {
      app.add_flag(names, flags[i]);
    } else {
      app.add_option(names, tokens.values[i])->allow_extra_args(false);
    }
  }
  app.add_option("FILE", files)->expected(0, -1);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    // The text starts with the option's name.
    const std::string text = error.what();
    return UsageError{fmt::format("{} needs a value", text.substr(0, text.find(':'))),
                      "`stencilgen --help` shows how options are written"};
  } catch (const CLI::ParseError& error) {
    return UsageError{error.what(), "`stencilgen --help` shows how options are written"};
  }

  for (const std::string& extra : app.remaining()) {
    if (extra == "--") continue;
    if (extra.size() > 1 && extra[0] == '-') return UnknownOption(extra, command);
    files.push_back(extra);
  }
  if (files.size() > 1) {
    return UsageError{fmt::format("more than one input file: `{}` and `{}`", files[0], files[1]),
                      "compile one file a run"};
  }
  if (!files.empty()) tokens.input = files.front();
  tokens.input_given = !files.empty();
  for (std::size_t i = 0; i < table.size(); ++i)
    tokens.values[i].resize(tokens.values[i].size() + flags[i]);
  return tokens;
}

}  // namespace

Options::Options() = default;
Options::Options(const Options&) = default;
Options::Options(Options&&) noexcept = default;
Options& Options::operator=(const Options&) = default;
Options& Options::operator=(Options&&) noexcept = default;
Options::~Options() = default;

std::variant<Options, UsageError> ParseCommandLine(const std::vector<std::string>& arguments) {
  const auto& table = OptionTable();
  Options options;
  options.arguments = arguments;
  const std::string first = arguments.empty() ? std::string() : arguments.front();
  const Command command = first == "build"     ? Command::Build
                          : first == "run"     ? Command::Run
                          : first == "explain" ? Command::Explain
                          : first == "tune"    ? Command::Tune
                          : first == "machine" ? Command::Machine
                                               : Command::Compile;
  options.command = command;
  const bool named = command != Command::Compile;
  const std::vector<std::string> rest(arguments.begin() + (named ? 1 : 0), arguments.end());
  for (const std::string& argument : rest) {
    if (argument == "--") break;
    if (IsLongWithOneDash(argument)) return UnknownOption(argument, command);
    if (auto error = CheckFlagValue(argument)) return *error;
    if (argument == "--help" || argument == "-h") {
      options.command = Command::Help;
      options.help_for = command;
      return options;
    }
    if (argument == "--version") {
      options.command = Command::Version;
      return options;
    }
  }
  // After the file, `--` begins the compiler's own options.
  const auto dashes = std::find(rest.begin(), rest.end(), "--");
  std::variant<Tokens, UsageError> tokenized = Tokenize({rest.begin(), dashes}, command);
  const auto* before = std::get_if<Tokens>(&tokenized);
  if (dashes != rest.end() && before != nullptr && before->input_given) {
    options.compiler_arguments.assign(dashes + 1, rest.end());
    options.compiler_options_given = true;
  } else if (dashes != rest.end()) {
    tokenized = Tokenize(rest, command);
  }
  if (auto* error = std::get_if<UsageError>(&tokenized)) return *error;
  const Tokens& tokens = std::get<Tokens>(tokenized);
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (tokens.values[i].size() > 1 && !table[i].repeatable && !table[i].value.empty()) {
      return UsageError{fmt::format("{} is given more than once", table[i].name),
                        "keep one of them"};
    }
    for (const std::string& value : tokens.values[i]) {
      if (auto error = table[i].apply(options, value)) return *error;
      if (ShapesCode(table[i])) options.shaping.emplace_back(table[i].name, value);
    }
  }
  if (options.command == Command::Manual || options.command == Command::Completion) return options;
  if (command == Command::Machine) {
    if (!tokens.input_given) return options;
    return UsageError{
        fmt::format("`stencilgen machine` measures this machine, not `{}`", tokens.input),
        "leave the file out"};
  }
  if (!tokens.input_given || tokens.input.empty()) {
    return UsageError{"no input file", fmt::format("{} [options]", CommandText(command))};
  }
  options.input = tokens.input;
  if (!options.compiler_arguments.empty() &&
      (!IsCppFile(options.input) || command != Command::Compile)) {
    return UsageError{fmt::format("`{}` stands after `--`", options.compiler_arguments.front()),
                      "there stand a C or C++ compiler's options: stencilgen app.c -- -Iinclude"};
  }
  if (auto error = CheckCombinations(options)) return *error;
  return options;
}

std::string CommandLineText(const Options& options) {
  std::string text = "stencilgen";
  for (const std::string& argument : options.arguments) {
    const std::size_t equals =
        argument.rfind("--", 0) == 0 ? argument.find('=') : std::string::npos;
    const std::size_t value = equals == std::string::npos ? 0 : equals + 1;
    const std::size_t slash = argument.rfind('/');
    std::string shown = argument;
    if (slash != std::string::npos && slash >= value) {
      shown = argument.substr(0, value) + argument.substr(slash + 1);
    }
    bool quote = shown.empty();
    for (char& c : shown) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) ||
                         std::string_view("-_=.,:+@%").find(c) != std::string_view::npos;
      quote = quote || !plain;
      const bool harmful = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
                           std::string_view("\\*'?/").find(c) != std::string_view::npos;
      if (harmful) c = '_';
    }
    text += quote ? fmt::format(" '{}'", shown) : fmt::format(" {}", shown);
  }
  return text;
}

std::string ProgramNameOf(const std::string& path) {
  if (path == "-") return "program";
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name) {
    const bool word = c == '_' || (static_cast<unsigned char>(c) < 0x80 &&
                                   std::isalnum(static_cast<unsigned char>(c)));
    if (!word) c = '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) {
    name.insert(0, "program_");
  }
  return IsUsableIdentifier(name) ? name : fmt::format("{}_program", name);
}

}  // namespace stencilgen::driver
