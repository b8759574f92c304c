#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace stencilgen::testing {

struct IdslText {
  std::string name;
  std::string text;
};

/// The `.idsl` files of a folder, by name. Requires: STENCILGEN_SOURCE_DIR is defined.
inline std::vector<IdslText> IdslFilesIn(const std::string& folder) {
  std::vector<IdslText> files;
  const std::filesystem::path path = std::filesystem::path(STENCILGEN_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() != ".idsl") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files.push_back({entry.path().filename().string(),
                     std::string(std::istreambuf_iterator<char>(stream), {})});
  }
  std::sort(files.begin(), files.end(),
            [](const IdslText& a, const IdslText& b) { return a.name < b.name; });
  return files;
}

/// Programs without an error in their syntax that between them use all of it.
inline std::vector<IdslText> GoodPrograms() {
  return IdslFilesIn("tests/good");
}

}  // namespace stencilgen::testing
