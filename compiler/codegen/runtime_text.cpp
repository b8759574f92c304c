#include "codegen/runtime_text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "codegen/embedded_text.h"
#include "codegen/gpu_names.h"

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

std::string RuntimeText(std::string_view header, bool standalone, GpuLanguage language) {
  return RuntimeTexts({header}, standalone, language);
}

std::string RuntimeTexts(const std::vector<std::string_view>& headers, bool standalone,
                         GpuLanguage language) {
  std::string out;
  std::set<std::string> included;
  for (const std::string_view header : headers) {
    if (standalone) {
      if (included.count(std::string(header)) != 0) continue;
      if (!out.empty()) out.push_back('\n');
      AppendHeader(out, header, included);
    } else {
      out.append(fmt::format("#include \"{}\"\n", header));
    }
  }
  return InLanguage(out, language);
}

std::string HalfTypes(bool standalone, GpuLanguage language) {
  return fmt::format(
      "\n\n#ifdef __cplusplus\n{}#else\n"
      "typedef struct {{ unsigned short bits; }} stencilgen_half;\n"
      "typedef struct {{ unsigned short bits; }} stencilgen_bfloat16;\n#endif",
      RuntimeText("stencilgen/half.hpp", standalone, language));
}

std::vector<std::string_view> RuntimeHeaders(const kernel::Module& module,
                                             const FileOptions& options) {
  std::vector<std::string_view> headers;
  if (module.target == kernel::Target::Host) {
    headers.emplace_back("stencilgen/cpp.hpp");
    if (module.has_halves) headers.emplace_back("stencilgen/simd_half.hpp");
    if (module.has_bands) headers.emplace_back("stencilgen/band.hpp");
    if (options.resident) headers.emplace_back("stencilgen/resident_cpp.hpp");
    return headers;
  }
  headers.emplace_back(module.has_tiles ? "stencilgen/tile.hpp" : "stencilgen/cuda.hpp");
  if (std::any_of(module.launches.begin(), module.launches.end(), kernel::HasFittedChunks)) {
    headers.emplace_back("stencilgen/occupancy.hpp");
  }
  if (module.has_halves) headers.emplace_back("stencilgen/half.hpp");
  if (module.graphs > 0) headers.emplace_back("stencilgen/turn_graph.hpp");
  if (module.HasConstants()) headers.emplace_back("stencilgen/run_order.hpp");
  if (options.resident) {
    headers.emplace_back("stencilgen/memory.hpp");
    headers.emplace_back("stencilgen/resident_cuda.hpp");
  }
  return headers;
}

}  // namespace stencilgen::codegen
