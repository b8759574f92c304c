#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/options.h"

namespace stencilgen::driver {

enum class OptionGroup { Output, Program, Gpu, Cpp, Data, Measurement, Tuning, Machine, Messages };

/// One option of the command line: what parsing, checking and `--help` know about it.
struct OptionSpec {
  std::string_view name;        ///< with its dashes
  std::string_view short_name;  ///< empty where there is none
  std::string_view value;       ///< what to call its value in the help; empty for a flag
  OptionGroup group = OptionGroup::Output;
  bool compile = true;  ///< an option of `stencilgen FILE`
  bool run = true;      ///< an option of `stencilgen run FILE`
  bool repeatable = false;
  std::string_view help;
  /// Stores one occurrence. Flags get an empty value.
  std::optional<UsageError> (*apply)(Options& options, const std::string& value);
  /// The values it takes, with spaces between, where they are few and `value` does not list them.
  std::string_view choices = {};
};

// What the rows of options say of `compile`, `run` and `repeatable`.
inline constexpr bool kYes = true;
inline constexpr bool kNo = false;

/// Every option, in the order of the help.
const std::vector<OptionSpec>& OptionTable();

/// True where it is an option of the command.
bool Belongs(const OptionSpec& spec, Command command);
/// True where it decides how code is made, and not what for or where it goes.
bool ShapesCode(const OptionSpec& spec);

/// The group's title in the help.
std::string_view Title(OptionGroup group);

/// What the help and the manual page end with: command lines, and remarks.
extern const std::string_view kExampleLines;
extern const std::string_view kHelpNotes;

/// Text of `stencilgen --help`, or of a subcommand's: the options that it takes, its own first.
std::string HelpText(Command command = Command::Compile);
/// The few lines shown where there are no arguments.
std::string UsageText();

}  // namespace stencilgen::driver
