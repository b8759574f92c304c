#include "driver/depfile.h"

#include <filesystem>
#include <set>
#include <string_view>

#include "driver/tuning_db.h"

namespace stencilgen::driver {

namespace {

/// What Make takes for one name: blanks and `#` with a backslash, `$` twice.
std::string MakeName(std::string_view path) {
  std::string name;
  for (const char c : path) {
    if (c == ' ' || c == '\t' || c == '#') name.push_back('\\');
    if (c == '$') name.push_back('$');
    name.push_back(c);
  }
  return name;
}

}  // namespace

std::vector<std::string> InputFiles(const Options& options) {
  std::vector<std::string> inputs;
  if (options.input != "-") inputs.push_back(options.input);
  if (!options.device_file.empty()) inputs.push_back(options.device_file);
  const std::filesystem::path tuned = TuningDatabaseFile(options);
  std::error_code ignored;
  if (!tuned.empty() && std::filesystem::exists(tuned, ignored)) inputs.push_back(tuned.string());
  return inputs;
}

std::string DepfileText(const std::vector<OutputFile>& outputs,
                        const std::vector<std::string>& inputs) {
  std::string text;
  for (const OutputFile& output : outputs) {
    if (!text.empty()) text.push_back(' ');
    text.append(MakeName(output.path));
  }
  text.push_back(':');
  std::set<std::string> named;
  for (const std::string& input : inputs) {
    if (named.insert(input).second) text.append(" ").append(MakeName(input));
  }
  text.push_back('\n');
  return text;
}

}  // namespace stencilgen::driver
