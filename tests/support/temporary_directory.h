#pragma once

#include <filesystem>
#include <string>

// POSIX, for mkdtemp.
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers)

namespace stencilgen::testing {

/// A new folder under the system's folder for such things, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "stencilgen-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stencilgen::testing
