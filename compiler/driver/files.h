#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stencilgen::driver {

/// A new folder, removed with all it holds at the end, unless it was renamed.
class TemporaryDirectory {
 public:
  /// Below the system's temporary folder.
  TemporaryDirectory();
  /// In that folder, with such a beginning of its name.
  TemporaryDirectory(const std::filesystem::path& parent, std::string_view prefix);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Empty, and errno was set, where it could not be made.
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

/// True where nothing can be renamed to the path: it is a device or a pipe.
bool IsWrittenInPlace(const std::string& path);

/// New files beside their places, which they take at the end. Those that have not are removed.
class FilesBeside {
 public:
  FilesBeside() = default;
  ~FilesBeside();
  FilesBeside(const FilesBeside&) = delete;
  FilesBeside& operator=(const FilesBeside&) = delete;

  /// Makes an empty file for the path, with the permissions of an output. Its name goes to
  /// `beside`. What went wrong, empty on success.
  std::optional<std::string> Add(const std::string& path, std::string& beside);
  /// Moves all files to their places. What went wrong, empty on success.
  std::optional<std::string> TakePlaces();

 private:
  struct Pending {
    std::filesystem::path target;
    std::string beside;
    bool taken = false;
  };
  std::vector<Pending> files_;
};

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
