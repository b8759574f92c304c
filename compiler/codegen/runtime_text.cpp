#include "codegen/runtime_text.h"

#include <algorithm>
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
  return RuntimeTexts({header}, standalone);
}

std::string RuntimeTexts(const std::vector<std::string_view>& headers, bool standalone) {
  std::string out;
  std::set<std::string> included;
  for (const std::string_view header : headers) {
    if (standalone) {
      if (!out.empty()) out.push_back('\n');
      AppendHeader(out, header, included);
    } else {
      out.append(fmt::format("#include \"{}\"\n", header));
    }
  }
  return out;
}

std::string_view RuntimeHeader(const plan::Plan& plan, bool cuda) {
  if (!cuda) return "stencilgen/cpp.hpp";
  const bool tiled =
      std::any_of(plan.kernels.begin(), plan.kernels.end(),
                  [](const plan::Kernel& kernel) { return kernel.tile.has_value(); });
  return tiled ? "stencilgen/tile.hpp" : "stencilgen/cuda.hpp";
}

}  // namespace stencilgen::codegen
