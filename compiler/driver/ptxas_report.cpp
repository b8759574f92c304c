#include "driver/ptxas_report.h"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace stencilgen::driver {

namespace {

/// The number that the expression captures; 0 where it is not there.
int NumberIn(const std::string& text, const std::regex& pattern) {
  std::smatch match;
  return std::regex_search(text, match, pattern) ? std::atoi(match[1].str().c_str()) : 0;
}

CompiledKernel ReadKernel(const std::string& part) {
  static const std::regex kRegisters("Used ([0-9]+) registers");
  static const std::regex kStores("([0-9]+) bytes spill stores");
  static const std::regex kLoads("([0-9]+) bytes spill loads");
  static const std::regex kStack("([0-9]+) bytes stack frame");
  static const std::regex kShared("([0-9]+) bytes smem");
  CompiledKernel kernel;
  kernel.registers = NumberIn(part, kRegisters);
  kernel.spill_stores = NumberIn(part, kStores);
  kernel.spill_loads = NumberIn(part, kLoads);
  kernel.stack = NumberIn(part, kStack);
  kernel.shared = NumberIn(part, kShared);
  return kernel;
}

template <typename Wanted>
CompiledKernel MostOf(const std::vector<ReportedKernel>& report, Wanted wanted,
                      const std::string& otherwise) {
  CompiledKernel most;
  most.error = otherwise;
  for (const auto& [name, kernel] : report) {
    if (!wanted(name)) continue;
    most.error.clear();
    most.registers = std::max(most.registers, kernel.registers);
    most.spill_stores = std::max(most.spill_stores, kernel.spill_stores);
    most.spill_loads = std::max(most.spill_loads, kernel.spill_loads);
    most.stack = std::max(most.stack, kernel.stack);
    most.shared = std::max(most.shared, kernel.shared);
  }
  return most;
}

}  // namespace

std::vector<ReportedKernel> ReadPtxasReport(const std::string& output) {
  static const std::string kMark = "Compiling entry function '";
  std::vector<ReportedKernel> report;
  for (std::size_t at = output.find(kMark); at != std::string::npos;) {
    const std::size_t name = at + kMark.size();
    const std::size_t next = std::min(output.find(kMark, name), output.size());
    const std::string part = output.substr(name, next - name);
    // A report that is cut off says nothing of its last kernel.
    if (part.find("registers") != std::string::npos) {
      report.push_back({part.substr(0, part.find('\'')), ReadKernel(part)});
    }
    at = next == output.size() ? std::string::npos : next;
  }
  return report;
}

bool HasLongPositions(const std::string& mangled) {
  // Names in a nested one: L of what is static, a length, and so many characters.
  std::size_t at = std::string_view("_ZN").size();
  if (mangled.compare(0, at, "_ZN") != 0) return false;
  while (at < mangled.size()) {
    const std::size_t digits = mangled[at] == 'L' ? at + 1 : at;
    const std::size_t name = mangled.find_first_not_of("0123456789", digits);
    if (name == digits || name == std::string::npos) break;
    at = name + std::strtoul(mangled.c_str() + digits, nullptr, 10);
  }
  return at < mangled.size() && mangled.compare(at, 3, "IxE") == 0;
}

CompiledKernel ReadPtxasOutput(const std::string& output) {
  const auto is_usual = [](const std::string& name) { return !HasLongPositions(name); };
  return MostOf(ReadPtxasReport(output), is_usual, "ptxas names no kernel");
}

CompiledKernel FindInReport(const std::vector<ReportedKernel>& report, const std::string& name) {
  const std::string mangled = fmt::format("{}{}", name.size(), name);
  const auto is_it = [&](const std::string& reported) {
    const std::size_t place = reported.find(mangled);
    // Arguments of the function or of its template follow the name.
    return place != std::string::npos && !HasLongPositions(reported) &&
           reported.find_first_of("EI", place) == place + mangled.size();
  };
  return MostOf(report, is_it, fmt::format("ptxas does not name {}", name));
}

}  // namespace stencilgen::driver
