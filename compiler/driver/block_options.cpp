#include "driver/block_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "driver/option_table.h"
#include "driver/option_values.h"
#include "support/count_text.h"

namespace stencilgen::driver {

namespace {

constexpr DiagnosticKind<std::string> kUnknownArgument{"unknown-argument", Severity::Error,
                                                       "`{}` is no argument of a block"};
constexpr DiagnosticKind<std::string> kMisplacedArgument{
    "misplaced-argument", Severity::Error, "`{}` belongs to the command line, not to a block"};
constexpr DiagnosticKind<std::string> kMissingValue{"missing-value", Severity::Error,
                                                    "`{}` needs a value"};
constexpr DiagnosticKind<std::string> kFlagValue{"argument-value", Severity::Error,
                                                 "`{}` is given or not: it takes no value"};
constexpr DiagnosticKind<std::string, std::string, std::size_t> kArgumentCount{
    "argument-count", Severity::Error, "`{}` needs {}, one for each iterator, but has {}"};
constexpr DiagnosticKind<std::string> kArgumentValue{"argument-value", Severity::Error, "{}"};

/// The short names of a block's arguments.
struct ShortName {
  std::string_view argument, option;
};
constexpr ShortName kShortNames[] = {{"block", "--blockdim"},     {"unroll", "--unroll"},
                                     {"stream", "--stream"},      {"shmem", "--shmem"},
                                     {"name", "--host-function"}, {"D", "--ndim"}};

std::string OptionOf(const BlockArgument& argument) {
  for (const ShortName& name : kShortNames) {
    if (name.argument == argument.name) return std::string(name.option);
  }
  return fmt::format("--{}", argument.name);
}

const OptionSpec* FindOption(std::string_view name) {
  const auto& table = OptionTable();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const OptionSpec& spec) { return spec.name == name; });
  return found == table.end() ? nullptr : &*found;
}

bool IsBlockOption(const OptionSpec& spec) {
  return spec.name == "--host-function" || spec.name == "--mpi" || spec.name == "--mpi-steps" ||
         (spec.compile && (spec.group == OptionGroup::Program || spec.group == OptionGroup::Gpu));
}

bool IsStream(std::string_view option) {
  return option == "--stream" || option == "--serial-stream" || option == "--concurrent-stream" ||
         option == "--no-stream";
}

/// The command line has the option.
bool IsGiven(const Options& command_line, const OptionSpec& spec) {
  if (IsStream(spec.name)) return !command_line.stream_option.empty();
  const std::string with_value = fmt::format("{}=", spec.name);
  return std::any_of(command_line.arguments.begin(), command_line.arguments.end(),
                     [&](const std::string& argument) {
                       return argument == spec.name || argument.rfind(with_value, 0) == 0;
                     });
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> items;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

/// What an option is called in a block.
std::string ArgumentOf(std::string_view option) {
  if (option == "-D") return "ndim";
  for (const ShortName& name : kShortNames) {
    if (name.option == option) return std::string(name.argument);
  }
  return std::string(option.substr(2));
}

/// True where an option and the word behind it are `option:word` in a block.
bool HasValue(std::string_view before, std::string_view word) {
  const auto ends_with = [&](std::string_view end) {
    return before.size() >= end.size() && before.substr(before.size() - end.size()) == end;
  };
  static constexpr std::array kValues = std::to_array<std::string_view>(
      {"strict", "fast", "async", "register", "none", "max", "true", "false"});
  return !word.empty() && word != "too" &&
         (ends_with("example ") || ends_with("say ") || ends_with("as in ") ||
          std::find(kValues.begin(), kValues.end(), word) != kValues.end());
}

/// A message about options in the words of blocks: `--fp strict` is `fp:strict`.
std::string InWordsOfBlocks(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool option = (text.compare(at, 2, "--") == 0 || text.compare(at, 2, "-D") == 0) &&
                        (at == 0 || text[at - 1] == ' ');
    if (!option) {
      out.push_back(text[at++]);
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of(kLetters, at + 2), text.size());
    out.append("`").append(ArgumentOf(std::string_view(text).substr(at, end - at)));
    const std::size_t word_end = std::min(text.find_first_of(" ,;:", end + 1), text.size());
    const std::size_t word = std::min(end + 1, word_end);
    if (end < text.size() && text[end] == ' ' &&
        HasValue(std::string_view(text).substr(0, at),
                 std::string_view(text).substr(word, word_end - word))) {
      // A value may hold commas, as in x=32,y=4.
      const std::size_t value_end = std::min(text.find_first_of(" ;", word), text.size());
      std::string_view value = std::string_view(text).substr(word, value_end - word);
      if (value.back() == ',') value.remove_suffix(1);
      out.append(":").append(value);
      at = word + value.size();
    } else {
      at = end;
    }
    out.append("`");
  }
  return out;
}

/// One option for ParseCommandLine.
struct Occurrence {
  const OptionSpec* spec;
  std::string value;
  const BlockArgument* argument;
};

class BlockOptions {
 public:
  BlockOptions(const Options& command_line, const EmbeddedBlock& block,
               const graph::ProgramInterface& program, DiagnosticSink& sink)
      : command_line_(command_line), block_(block), program_(program), sink_(sink) {}

  std::optional<Options> Run() {
    const std::size_t errors_before = sink_.ErrorCount();
    for (const BlockArgument& argument : block_.arguments) Translate(argument);
    if (sink_.ErrorCount() > errors_before) return std::nullopt;
    // By themselves first: what the command line overrides and what the C++ target has no use for
    // must be right too.
    Options alone;
    if (!Parse({}, false, alone)) return std::nullopt;
    Options options;
    if (!Parse(command_line_.arguments, true, options)) return std::nullopt;
    options.communicator = communicator_;
    return options;
  }

 private:
  void Translate(const BlockArgument& argument) {
    const OptionSpec* spec = FindOption(OptionOf(argument));
    if (spec == nullptr || !IsBlockOption(*spec)) return;  // reported by CheckArgumentNames
    if (spec->name == "--mpi") return TranslateMpi(argument, *spec);
    if (spec->value.empty()) return TranslateFlag(argument, *spec);
    if (!argument.value) {
      sink_.Report(argument.span, kMissingValue, argument.name)
          .Hint(fmt::format("write {}:{}", argument.name, ExampleOf(argument, *spec)));
      return;
    }
    const bool list = argument.name == "block" || argument.name == "unroll";
    if (list && argument.value->find('=') == std::string::npos)
      return TranslateList(argument, *spec);
    if (spec->name == "--ndim") {
      for (const std::string& item : SplitAtCommas(*argument.value)) Add(*spec, item, argument);
      return;
    }
    if (spec->name == "--device-file") return Add(*spec, BesideFile(*argument.value), argument);
    Add(*spec, *argument.value, argument);
  }

  /// A file that the block names is looked for where `#include "..."` would be.
  std::string BesideFile(const std::string& path) const {
    if (path.empty() || command_line_.input == "-") return path;
    return (std::filesystem::path(command_line_.input).parent_path() / path).string();
  }

  /// With the name of a communicator, which is in scope where the block is.
  void TranslateMpi(const BlockArgument& argument, const OptionSpec& spec) {
    const auto is_part = [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '.' || c == ':';
    };
    const std::string name = argument.value.value_or("true");
    if (name == "false") return;
    const bool begins = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    if (!begins || !std::all_of(name.begin(), name.end(), is_part)) {
      sink_.Report(argument.value_span, kArgumentValue, "`mpi` takes the name of a communicator")
          .Hint("for example mpi:MPI_COMM_WORLD, or a variable: mpi:comm");
      return;
    }
    if (name != "true") communicator_ = name;
    Add(spec, "", argument);
  }

  void TranslateFlag(const BlockArgument& argument, const OptionSpec& spec) {
    if (argument.value && *argument.value != "true" && *argument.value != "false") {
      sink_.Report(argument.value_span, kFlagValue, argument.name)
          .Hint(fmt::format("write `{}` alone, or leave it out", argument.name));
    } else if (argument.value != "false") {
      Add(spec, "", argument);
    }
  }

  /// One integer a dimension, x first: the last iterator comes first.
  void TranslateList(const BlockArgument& argument, const OptionSpec& spec) {
    const std::vector<std::string> items = SplitAtCommas(*argument.value);
    const std::vector<std::string> iterators = graph::KernelIterators(program_);
    const std::size_t dimensions = iterators.size();
    if (dimensions == 0) return;  // the program's own error
    if (items.size() != dimensions) {
      sink_
          .Report(argument.value_span, kArgumentCount, argument.name,
                  CountText(dimensions, "integer"), items.size())
          .Hint("the integer of the last iterator comes first");
      return;
    }
    if (std::find(items.begin(), items.end(), "") != items.end()) {
      sink_.Report(argument.value_span, kArgumentValue,
                   fmt::format("`{}`: an integer is missing", argument.name));
      return;
    }
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      const std::string& iterator = iterators[dimensions - 1 - axis];
      const bool block = spec.name == "--blockdim";
      const std::string name = block ? std::string(1, "xyz"[axis]) : iterator;
      const std::string value = fmt::format("{}={}", name, items[axis]);
      Add(spec, value, argument, !block || iterator != StreamIterator());
    }
  }

  /// The iterator that the block, or else the command line, streams along; a block of threads is
  /// one thread thick there, whatever `block` says.
  std::string StreamIterator() const {
    if (!command_line_.stream.empty()) return command_line_.stream;
    for (const BlockArgument& argument : block_.arguments) {
      if (IsStream(OptionOf(argument)) && argument.value) {
        return argument.value->substr(0, argument.value->find(':'));
      }
    }
    return "";
  }

  static std::string ExampleOf(const BlockArgument& argument, const OptionSpec& spec) {
    if (argument.name == "block" || argument.name == "unroll") return "INTEGER,INTEGER";
    return std::string(spec.value);
  }

  /// Checks one occurrence by itself, and keeps it.
  void Add(const OptionSpec& spec, const std::string& value, const BlockArgument& argument,
           bool keep = true) {
    Options scratch;
    if (const auto error = spec.apply(scratch, value)) return Report(*error, argument.value_span);
    if (keep) occurrences_.push_back({&spec, value, &argument});
  }

  void Report(const UsageError& error, Span span) {
    auto report = sink_.Report(span, kArgumentValue, InWordsOfBlocks(error.message));
    if (!error.hint.empty()) report.Hint(InWordsOfBlocks(error.hint));
  }

  /// The argument that an error of the options as a whole is about; else the whole directive.
  Span PlaceOf(const UsageError& error) const {
    for (const Occurrence& occurrence : occurrences_) {
      const std::string_view name = occurrence.spec->name;
      const std::size_t at = error.message.find(name);
      const std::size_t end = at + name.size();
      if (at == std::string::npos) continue;
      const bool whole = end == error.message.size() ||
                         std::string_view(": ,").find(error.message[end]) != std::string_view::npos;
      if (whole) return occurrence.argument->value_span;
    }
    for (const Occurrence& occurrence : occurrences_) {
      if (occurrence.spec->name == "--ndim" && error.message.rfind("-D:", 0) == 0) {
        return occurrence.argument->value_span;
      }
    }
    return block_.begin;
  }

  bool ForCpp() const {
    return command_line_.target == Target::Cpp || command_line_.stage == Stage::Cpp;
  }

  /// Where the command line does not say otherwise.
  bool Applies(const Occurrence& occurrence) const {
    const OptionSpec& spec = *occurrence.spec;
    if (ForCpp() && spec.group == OptionGroup::Gpu) return false;
    if (!Belongs(spec, command_line_.command)) return false;  // another command's
    if (spec.name == "--ndim") {
      return command_line_.defines.count(occurrence.value.substr(0, occurrence.value.find('='))) ==
             0;
    }
    return !IsGiven(command_line_, spec);
  }

  bool Parse(const std::vector<std::string>& command_line, bool with_command_line,
             Options& options) {
    std::vector<std::string> arguments;
    // `explain` stands first.
    const bool named = with_command_line && command_line_.command != Command::Compile;
    if (named) arguments.push_back(command_line.front());
    for (const Occurrence& occurrence : occurrences_) {
      if (with_command_line && !Applies(occurrence)) continue;
      arguments.push_back(occurrence.spec->value.empty()
                              ? std::string(occurrence.spec->name)
                              : fmt::format("{}={}", occurrence.spec->name, occurrence.value));
    }
    if (with_command_line) {
      arguments.insert(arguments.end(), command_line.begin() + (named ? 1 : 0), command_line.end());
    } else {
      arguments.insert(arguments.end(), {"--", command_line_.input});
    }
    auto parsed = ParseCommandLine(arguments);
    if (const auto* error = std::get_if<UsageError>(&parsed)) {
      Report(*error, PlaceOf(*error));
      return false;
    }
    options = std::get<Options>(std::move(parsed));
    options.arguments = command_line_.arguments;
    if (with_command_line) DropForeignSizes(options);
    if (const auto error = with_command_line ? CheckLanguage(options) : std::nullopt) {
      Report(*error, PlaceOf(*error));
      return false;
    }
    if (const auto error = CheckAgainstProgram(options, program_)) {
      Report(*error, PlaceOf(*error));
      return false;
    }
    return true;
  }

  /// All blocks of a file are in its language, which the command line says.
  std::optional<UsageError> CheckLanguage(const Options& options) const {
    const GpuLanguage language = LanguageOf(options);
    const GpuLanguage of_file = LanguageOf(command_line_);
    if (ForCpp() || language == of_file) return std::nullopt;
    return UsageError{fmt::format("--arch: {} is programmed in {}, but this file becomes {}",
                                  ArchOf(options), ToString(language), ToString(of_file)),
                      fmt::format("say `--target {}` on the command line", TargetName(language))};
  }

  /// What the command line fixes or gives a type may be another block's.
  void DropForeignSizes(Options& options) const {
    for (const auto& [name, value] : command_line_.defines) {
      const bool known = std::any_of(
          program_.parameters.begin(), program_.parameters.end(),
          [&, &wanted = name](const auto& parameter) { return parameter.text == wanted; });
      if (!known) options.defines.erase(name);
    }
    const std::vector<std::string> typed = TypedNames(program_);
    for (const auto& [name, type] : command_line_.types) {
      if (std::find(typed.begin(), typed.end(), name) == typed.end()) options.types.erase(name);
    }
  }

  const Options& command_line_;
  const EmbeddedBlock& block_;
  const graph::ProgramInterface& program_;
  DiagnosticSink& sink_;
  std::vector<Occurrence> occurrences_;
  std::string communicator_ = "MPI_COMM_WORLD";
};

/// Names of all arguments, for hints.
std::vector<std::string> ArgumentNames() {
  std::vector<std::string> names;
  for (const ShortName& name : kShortNames) names.emplace_back(name.argument);
  for (const OptionSpec& spec : OptionTable()) {
    if (IsBlockOption(spec)) names.emplace_back(spec.name.substr(2));
  }
  return names;
}

}  // namespace

void CheckArgumentNames(const EmbeddedBlock& block, DiagnosticSink& sink) {
  for (const BlockArgument& argument : block.arguments) {
    const OptionSpec* spec = FindOption(OptionOf(argument));
    if (spec != nullptr && IsBlockOption(*spec)) continue;
    const Span name{argument.span.begin,
                    argument.span.begin + static_cast<std::uint32_t>(argument.name.size())};
    if (spec != nullptr) {
      sink.Report(name, kMisplacedArgument, argument.name)
          .Hint(spec->compile ? fmt::format("stencilgen FILE {}", spec->name)
                              : "it is an option of `stencilgen run`");
      continue;
    }
    auto report = sink.Report(name, kUnknownArgument, argument.name);
    if (!report.HintNearest(argument.name, ArgumentNames())) {
      report.Hint(
          "arguments are block, unroll, stream, shmem, name, mpi, and the options of programs "
          "and GPU code that `stencilgen --help` lists");
    }
  }
}

std::optional<Options> OptionsOfBlock(const Options& command_line, const EmbeddedBlock& block,
                                      const graph::ProgramInterface& program,
                                      DiagnosticSink& sink) {
  return BlockOptions(command_line, block, program, sink).Run();
}

}  // namespace stencilgen::driver
