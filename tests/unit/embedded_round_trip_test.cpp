// What is outside of the blocks comes out as it went in.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/embed.h"
#include "frontend/cpp_scanner.h"
#include "frontend/embedded_blocks.h"
#include "support/catch.h"
#include "support/prng.h"

namespace stencilgen {
namespace {

namespace fs = std::filesystem;

driver::Options SomeOptions() {
  const auto options =
      driver::ParseCommandLine({"file.cpp", "-o", "out.cpp", "--target", "cpp", "--no-standalone"});
  return std::get<driver::Options>(options);
}

std::string Transformed(const SourceFile& source) {
  DiagnosticSink sink;
  const auto result = driver::EmbedBlocks(source, SomeOptions(), sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(result);
  REQUIRE_FALSE(result->usage_error);
  return result->outputs.at(0).text;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The headers of the C and C++ libraries of this machine.
std::vector<fs::path> SystemHeaders() {
  std::vector<fs::path> headers;
  for (const char* folder : {"/usr/include", "/usr/include/c++", "/usr/lib/gcc"}) {
    std::error_code none;
    const auto options = fs::directory_options::skip_permission_denied;
    for (auto at = fs::recursive_directory_iterator(folder, options, none);
         !none && at != fs::recursive_directory_iterator(); at.increment(none)) {
      if (at.depth() > 4) at.disable_recursion_pending();
      const std::string extension = at->path().extension().string();
      const bool header =
          extension.empty() || extension == ".h" || extension == ".hpp" || extension == ".tcc";
      if (header && at->is_regular_file(none) && at->file_size(none) < 500000) {
        headers.push_back(at->path());
      }
    }
  }
  std::sort(headers.begin(), headers.end());
  headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
  return headers;
}

constexpr const char* kBlock =
    "  #pragma dsl begin block:64,1 stream:{0}\n"
    "  parameter N; iterator k, i;\n"
    "  double u[N]; copyin u; /*\n#pragma dsl end\n */\n"
    "  stencil s (A) {{ A[i] = 0.5*A[i]; }}\n  s (u);\n  copyout u; // \"\n"
    "# pragma dsl end {1}\n";

/// The lines up to the place.
std::size_t LineOf(const std::string& text, std::size_t at) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  return static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
}

/// Checks that `written` is `source` with something in the place of each block and somewhere before
/// the first one, and that each piece of the source is numbered as it was.
void CheckPieces(const SourceFile& source, const std::string& written) {
  DiagnosticSink sink;
  const auto file = FindEmbeddedBlocks(source, sink);
  REQUIRE(file);
  const std::string& text = source.text();
  std::vector<std::size_t> cuts = {file->definitions, file->definitions};
  for (const EmbeddedBlock& block : file->blocks) {
    cuts.push_back(block.whole.begin);
    cuts.push_back(block.whole.end);
  }
  for (const std::size_t mark : file->renumbered) cuts.insert(cuts.end(), {mark, mark});
  std::stable_sort(cuts.begin(), cuts.end());
  cuts.push_back(text.size());
  const std::size_t mark = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  CHECK(written.substr(0, mark) == text.substr(0, mark));
  std::size_t at = mark;
  std::size_t begin = mark;
  for (std::size_t k = 0; k + 1 <= cuts.size(); k += 2) {
    const std::string piece = text.substr(begin, cuts[k] - begin);
    const std::size_t line = LineOf(text, begin);
    const std::string directive = fmt::format("#line {} \"{}\"", line, source.name());
    const bool crlf = text.find("\r\n") < text.find('\n');
    if (!piece.empty() && begin < text.size()) {
      const std::string numbered = fmt::format("{}{}{}", directive, crlf ? "\r\n" : "\n", piece);
      at = written.find(numbered, at);
      INFO("piece " << k / 2 << " from line " << line);
      REQUIRE(at != std::string::npos);
      at += numbered.size();
    }
    if (k + 1 < cuts.size()) begin = cuts[k + 1];
  }
  // The call of a block may be the last thing in the file.
  if (begin < text.size()) CHECK(at == written.size());
  CHECK(at <= written.size());
}

TEST_CASE("files without blocks come out as they are") {
  for (const std::string text : {"", "\n", "\r\n", "int a;", "\xEF\xBB\xBF", "#", "\\\n", "\"",
                                 "// #pragma dsl begin", "R\"(", "\xFF\xFE\x00"}) {
    CHECK(Transformed({"file.cpp", text}) == text);
  }
  std::size_t bytes = 0;
  for (const fs::path& path : SystemHeaders()) {
    const std::string text = ReadFile(path);
    INFO(path);
    REQUIRE(Transformed({path.string(), text}) == text);
    bytes += text.size();
  }
  CHECK(bytes > 1000000);
}

TEST_CASE("large files keep everything that is outside of their blocks") {
  testing::Prng prng(12);
  int files = 0;
  for (const fs::path& path : SystemHeaders()) {
    std::string text = ReadFile(path);
    if (text.size() < 60000 || text.find('\0') != std::string::npos) continue;
    // After directives there is a line of its own for certain.
    std::vector<std::size_t> places;
    frontend::CppScanner scanner(text);
    while (const auto directive = scanner.NextDirective()) places.push_back(directive->after);
    if (places.size() < 4 || ++files > 12) continue;
    const std::size_t third = places.size() / 3;
    for (std::size_t k = 3; k-- > 0;) {
      const std::size_t place =
          places[k * third + static_cast<std::size_t>(prng.Below(static_cast<int>(third)))];
      if (text[place - 1] != '\n') continue;
      text.insert(place, fmt::format(fmt::runtime(kBlock), "k", k == 1 ? "// x" : ""));
    }
    const SourceFile source(path.filename().string(), text);
    INFO(path);
    CheckPieces(source, Transformed(source));
  }
  CHECK(files > 5);
}

TEST_CASE("line ends, encodings and the ends of files stay") {
  const std::string block = fmt::format(fmt::runtime(kBlock), "k", "");
  const std::string latin = "// caf\xE9 \xFF\nint a;\n";
  for (const std::string& before :
       {std::string(), latin, std::string("\xEF\xBB\xBF") + latin, "#pragma once\n" + latin,
        std::string("#define _GNU_SOURCE\n"), std::string("int a;\n/* b */ ")}) {
    for (const std::string after : {"", "\n", "}", "int c;\n", "\n\n\t"}) {
      std::string text = before + block + after + block + after;
      // A directive stands on a line of its own.
      if (!after.empty() && after.back() != '\n' && after != "\n\n\t") continue;
      const SourceFile source("file.cpp", text);
      CheckPieces(source, Transformed(source));
      std::string crlf;
      for (const char c : text) crlf.append(c == '\n' ? "\r\n" : std::string(1, c));
      const SourceFile windows("file.cpp", crlf);
      const std::string written = Transformed(windows);
      CheckPieces(windows, written);
      CHECK(std::count(written.begin(), written.end(), '\n') ==
            std::count(written.begin(), written.end(), '\r'));
    }
  }
}

}  // namespace
}  // namespace stencilgen
