#include "codegen/runtime_text.h"

#include <set>

#include <fmt/format.h>

#include "codegen/embedded_text.h"

namespace stencilgen::codegen {
namespace {

constexpr std::string_view kInclude = "#include \"stencilgen/";
/// Only who builds for the emulator has it; never part of a standalone file.
constexpr std::string_view kEmulator = "stencilgen/emulator.hpp";

void AppendHeader(std::string& out, std::string_view header, std::set<std::string>& included) {
  if (!included.emplace(header).second) return;
  std::string_view text = EmbeddedText(header);
  bool blank = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.substr(0, kInclude.size()) == kInclude) {
      const std::size_t begin = kInclude.find('"') + 1;
      const std::string_view name = line.substr(begin, line.rfind('"') - begin);
      if (name != kEmulator) {
        const std::size_t before = out.size();
        AppendHeader(out, name, included);
        if (out.size() > before) out.push_back('\n');
        blank = true;
        continue;
      }
    }
    // Headers taken out leave blank lines behind.
    if (line.empty() && blank) continue;
    blank = line.empty();
    out.append(line).push_back('\n');
  }
}

}  // namespace

std::string RuntimeText(std::string_view header, bool standalone) {
  if (!standalone) return fmt::format("#include \"{}\"\n", header);
  std::string out;
  std::set<std::string> included;
  AppendHeader(out, header, included);
  return out;
}

}  // namespace stencilgen::codegen
