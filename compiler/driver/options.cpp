#include "driver/options.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "driver/embed.h"
#include "driver/option_table.h"
#include "driver/option_values.h"
#include "support/diagnostics.h"

namespace stencilgen::driver {

std::string GpuOption(const Options& options) {
  if (!options.stream_option.empty()) return options.stream_option;
  if (options.registers > 0) return "--cregs";
  if (options.time_tile) return "--time-tile";
  if (options.objective) return "--fusion-objective";
  if (options.fusion_limit) return "--fusion-limit";
  if (options.split) return "--split";
  if (options.fusion_recompile) return "--fusion-recompile";
  if (options.reorder_score) return "--reorder-score";
  if (options.recompile_bypass) return "--recompile-bypass";
  if (options.max_spill) return "--max-spill";
  if (options.shared_memory) return "--shared-mem";
  if (options.shared_kib) return "--shmem";
  if (options.shuffle) return *options.shuffle ? "--shuffle" : "--no-shuffle";
  if (options.prefetch) return "--prefetch";
  if (options.barriers) return "--barriers";
  if (options.halo) return "--halo";
  if (options.form) return *options.form == plan::Form::Scatter ? "--retime" : "--no-retime";
  if (options.device) return "--device-file";
  if (options.explain) return "--explain";
  const bool block = std::any_of(options.block.begin(), options.block.end(),
                                 [](const auto& size) { return size.has_value(); });
  return block ? "--blockdim" : "";
}

std::string CppOption(const Options& options) {
  if (!options.tile.empty()) return "--tile";
  return options.threads > 0 ? "--threads" : "";
}

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
  if (command == Command::Run) return "stencilgen run FILE";
  if (command == Command::Tune) return "stencilgen tune FILE";
  return command == Command::Explain ? "stencilgen explain FILE" : "stencilgen FILE";
}

UsageError UnknownOption(const std::string& argument, Command command) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::string squeezed = Squeeze(name);
  UsageError error{fmt::format("unknown option `{}`", name), "`stencilgen --help` lists them"};
  std::vector<std::string> candidates;
  for (const OptionSpec& spec : OptionTable()) {
    const bool here = Belongs(spec, command);
    if (spec.name == name && !here) {
      const Command other = spec.compile ? Command::Compile
                            : spec.run   ? Command::Run
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

/// What concerns the fusion of statements.
std::optional<UsageError> CheckFusion(const Options& options) {
  const bool other_fusion = options.fusion && *options.fusion != plan::Fusion::Greedy;
  if (other_fusion && (options.objective || options.fusion_recompile)) {
    return UsageError{fmt::format("{} is about greedy fusion, but --fusion asks for another",
                                  options.objective ? "--fusion-objective" : "--fusion-recompile"),
                      "leave one of them out, or say --fusion greedy"};
  }
  if (options.fusion_limit && (options.split || options.fusion == plan::Fusion::None)) {
    return UsageError{
        fmt::format("--fusion-limit is about fusion, but {}",
                    options.split ? "--split asks for parts" : "--fusion none asks for none"),
        "leave one of them out"};
  }
  if (options.split && (options.fusion || options.objective || options.fusion_recompile)) {
    return UsageError{fmt::format("--split cuts what {} puts together", options.fusion ? "--fusion"
                                                                        : options.objective
                                                                            ? "--fusion-objective"
                                                                            : "--fusion-recompile"),
                      "leave one of them out; --split 1 is one kernel, as far as that goes"};
  }
  if (options.split && options.shared_memory == false && options.shuffle != true) {
    return UsageError{
        "--split makes kernels of several statements, which are tiles, but "
        "--shared-mem is false",
        "leave one of them out, or say --shuffle"};
  }
  if (!options.fusion_recompile && (options.recompile_bypass || options.max_spill)) {
    return UsageError{fmt::format("{} is about --fusion-recompile, which is not there",
                                  options.recompile_bypass ? "--recompile-bypass" : "--max-spill"),
                      "say --fusion-recompile too, or leave it out"};
  }
  return std::nullopt;
}

/// What concerns the order of sums.
std::optional<UsageError> CheckOrders(const Options& options) {
  if (options.form == plan::Form::Scatter && options.fp == codegen::FpMode::Strict) {
    return UsageError{"--retime reorders sums, which --fp strict forbids",
                      "leave --retime out, or say --fp fast"};
  }
  if (options.stage == Stage::Kernel && options.fp == codegen::FpMode::Strict) {
    return UsageError{"--emit kernel shows sums in any order, which --fp strict forbids",
                      "leave one of them out"};
  }
  const bool reorders = options.reorder && passes::Reorders(*options.reorder);
  if (!reorders && (options.max_permutations || options.distribute)) {
    return UsageError{fmt::format("{} is about reordering, but --reorder does not ask for it",
                                  options.distribute ? "--distribute" : "--max-permutations"),
                      "say --reorder auto as well"};
  }
  if (options.reorder_score && options.reorder != passes::Reorder::Auto) {
    return UsageError{"--reorder-score is about --reorder auto, which is not there",
                      "say --reorder auto, or leave it out"};
  }
  if (options.reorder_score == ReorderScore::Ptxas && options.command == Command::Tune) {
    return UsageError{"--reorder-score ptxas is not for tune, which measures each order",
                      "leave it out"};
  }
  if (options.reorder == passes::Reorder::Lars && options.max_permutations) {
    return UsageError{"--max-permutations is about trees, but --reorder says lars",
                      "say --reorder trees or auto"};
  }
  if (reorders && options.fp == codegen::FpMode::Strict) {
    return UsageError{"--reorder changes the order of sums, which --fp strict forbids",
                      "say --reorder none, or --fp fast"};
  }
  return std::nullopt;
}

/// What concerns code of one target alone, and tuning.
std::optional<UsageError> CheckTargetAndTuning(const Options& options) {
  const bool cpp = options.target == Target::Cpp || options.stage == Stage::Cpp;
  if (const std::string gpu = GpuOption(options); cpp && !gpu.empty()) {
    return UsageError{fmt::format("{} is about CUDA code, but the target is cpp", gpu),
                      "leave one of them out"};
  }
  const bool to_cuda = options.target
                           ? *options.target == Target::Cuda
                           : options.command == Command::Explain ||
                                 (options.command == Command::Compile && !IsCppFile(options.input));
  if (const std::string own = CppOption(options); to_cuda && !cpp && !own.empty()) {
    return UsageError{fmt::format("{} is about C++ code, but the target is cuda", own),
                      options.command == Command::Explain ? "leave it out" : "say --target cpp"};
  }
  if (!options.tune.offline.empty() && !options.tune.offline_results.empty()) {
    return UsageError{"--offline writes a folder, --offline-results reads what it has measured",
                      "keep one of them"};
  }
  if (!options.tune.offline.empty() && options.run.target == RunTarget::Cpp) {
    return UsageError{"--offline measures CUDA code, but --target is cpp", "leave one of them out"};
  }
  return std::nullopt;
}

std::optional<UsageError> CheckDepfile(const Options& options) {
  if (options.depfile.empty()) return std::nullopt;
  if (options.out_file == "-" || (options.stage && options.out_file.empty())) {
    return UsageError{"--depfile names what a file was made from, but the output is no file",
                      "name one with -o"};
  }
  if (options.depfile == options.out_file || options.depfile == options.header_file) {
    return UsageError{"--depfile names a file of the code", "give it another name"};
  }
  if (options.depfile == "-") {
    return UsageError{"--depfile: `-` is no file", "give a file's name"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<UsageError> CheckCombinations(const Options& options) {
  if (auto error = CheckTargetAndTuning(options)) return error;
  if (options.stage && options.target) {
    const bool cuda = *options.target == Target::Cuda;
    if ((*options.stage == Stage::Cuda && !cuda) || (*options.stage == Stage::Cpp && cuda)) {
      return UsageError{"--emit and --target ask for different languages", "leave one of them out"};
    }
  }
  if (options.stage && !options.header_file.empty() && *options.stage != Stage::Cuda &&
      *options.stage != Stage::Cpp) {
    return UsageError{"--header needs code, but --emit stops before it is made",
                      "leave one of them out"};
  }
  if (!options.header_file.empty() && options.header_file == options.out_file) {
    return UsageError{"--header and --out-file name the same file", "give them different names"};
  }
  if (auto error = CheckDepfile(options)) return error;
  if (options.stage && options.explain && *options.stage < Stage::Dot) {
    return UsageError{"--explain needs a plan, but --emit stops before it is made",
                      "leave one of them out"};
  }
  if (options.device && options.arch && options.device->arch != *options.arch) {
    return UsageError{
        fmt::format("--arch says {}, but the device file {}", *options.arch, options.device->arch),
        "leave one of them out"};
  }
  if (auto error = CheckFusion(options)) return error;
  if (auto error = CheckOrders(options)) return error;
  if (options.prefetch == plan::Prefetch::Async && options.shared_memory == false) {
    return UsageError{"--prefetch async loads into shared memory, but --shared-mem is false",
                      "leave one of them out, or say --prefetch register"};
  }
  if (options.shared_kib == 0 && options.shared_memory == true) {
    return UsageError{"--shared-mem is true, but --shmem leaves no shared memory",
                      "leave one of them out"};
  }
  if (options.shared_kib == 0 && options.prefetch == plan::Prefetch::Async) {
    return UsageError{"--prefetch async loads into shared memory, but --shmem leaves none",
                      "leave one of them out, or say --prefetch register"};
  }
  if (options.run.emulate && options.run.target == RunTarget::Cpp) {
    return UsageError{"--emulate executes CUDA code, but --target is cpp",
                      "leave --target out, or say --target cuda"};
  }
  if (options.run.emulate && options.run.repeat) {
    return UsageError{"--repeat measures, but --emulate runs once and counts",
                      "leave one of them out"};
  }
  const auto given = [&](const char* name) {
    return std::count(options.arguments.begin(), options.arguments.end(), name) > 0;
  };
  if (given("--standalone") && given("--no-standalone")) {
    return UsageError{"--standalone and --no-standalone contradict each other", "keep one of them"};
  }
  const auto is_stdout = [](const auto& named) { return named.second == "-"; };
  if (options.run.plot_file == "-" ||
      std::any_of(options.run.out.begin(), options.run.out.end(), is_stdout)) {
    return UsageError{"--out and --plot write files, not standard output", "give a file's name"};
  }
  return std::nullopt;
}

std::variant<Options, UsageError> ParseCommandLine(const std::vector<std::string>& arguments) {
  const auto& table = OptionTable();
  Options options;
  options.arguments = arguments;
  const std::string first = arguments.empty() ? std::string() : arguments.front();
  const Command command = first == "run"       ? Command::Run
                          : first == "explain" ? Command::Explain
                          : first == "tune"    ? Command::Tune
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
      return options;
    }
    if (argument == "--version") {
      options.command = Command::Version;
      return options;
    }
  }
  auto tokenized = Tokenize(rest, command);
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
  if (!tokens.input_given || tokens.input.empty()) {
    return UsageError{"no input file", fmt::format("{} [options]", CommandText(command))};
  }
  options.input = tokens.input;
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
