#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stencilgen::driver {

/// A folder of its own below the system's temporary folder, removed with all it holds at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Empty where it could not be made.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// True for the name of a C, C++ or CUDA file, by its extension.
bool IsCppFile(const std::string& path);

/// True where both paths are one existing file.
bool SameFile(const std::string& a, const std::string& b);

/// The whole file, or standard input for `-`. On failure empty, with the reason in `error`.
std::optional<std::string> ReadInput(const std::string& path, std::string& error);

struct OutputFile {
  std::string path;  ///< `-` for standard output
  std::string text;
};
/// Writes all files or none: each goes to a new file beside its place, then all are renamed.
/// Devices and pipes are written directly. Returns what went wrong, empty on success.
std::optional<std::string> WriteOutputs(const std::vector<OutputFile>& files);

/// Writes to standard output. Empty on success.
std::optional<std::string> WriteStandardOutput(std::string_view text);

}  // namespace stencilgen::driver
