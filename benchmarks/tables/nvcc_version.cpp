#include "nvcc_version.h"

#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "driver/subprocess.h"

namespace stencilgen::tables {

std::string VersionOf(const std::string& nvcc) {
  const driver::ProcessResult result = driver::RunProcess({nvcc, "--version"});
  std::smatch match;
  const bool found = std::regex_search(result.output, match, std::regex(R"(, V([\d.]+))"));
  return fmt::format("nvcc {}", found ? match[1].str() : "of an unknown version");
}

bool IsMadeBy(const std::string& file, const std::string& version) {
  std::ifstream stream(file);
  const std::string wanted = fmt::format("Compiler: {}.", version);
  for (std::string line; std::getline(stream, line);) {
    if (line == wanted) return true;
  }
  return false;
}

}  // namespace stencilgen::tables
