#include "driver/option_set.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/option_table.h"

namespace stencilgen::driver {

std::string ToString(const OptionSet& set) {
  return fmt::format("{}", fmt::join(ArgumentsOf(set), " "));
}

std::vector<std::string> ArgumentsOf(const OptionSet& set) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : set) {
    arguments.push_back(name);
    if (!value.empty()) arguments.push_back(value);
  }
  return arguments;
}

std::variant<Options, UsageError> WithOptions(Options options, const OptionSet& set,
                                              const graph::ProgramInterface& program) {
  const auto& table = OptionTable();
  for (const auto& each : set) {
    const std::string& name = each.first;
    const std::string& value = each.second;
    const auto spec = std::find_if(table.begin(), table.end(), [&](const OptionSpec& one) {
      return one.name == name && ShapesCode(one);
    });
    if (spec == table.end() || spec->value.empty() != value.empty()) {
      return UsageError{
          fmt::format("`{}{}{}` is no option of a schedule", name, value.empty() ? "" : " ", value),
          ""};
    }
    if (auto error = spec->apply(options, value)) return *error;
  }
  const std::vector<std::string> arguments = ArgumentsOf(set);
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  if (auto error = CheckCombinations(options)) return *error;
  if (auto error = CheckAgainstProgram(options, program)) return *error;
  return options;
}

OptionSet GivenByHand(const Options& options) {
  OptionSet given;
  for (const auto& [name, value] : options.shaping) {
    std::string& values = given[name];
    values += fmt::format("{}{}", values.empty() || value.empty() ? "" : ",", value);
  }
  return given;
}

}  // namespace stencilgen::driver
