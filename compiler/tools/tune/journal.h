#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stencilgen::driver {

/// Lines of JSON that are on disk when they have been added: what a process knew when it was
/// killed. One process at a time may have it open.
class Journal {
 public:
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Opens or makes the file and reads its lines. A last line without its end was being written
  /// when the process died, and is cut off; any other that is not JSON is an error with file and
  /// line, and the file is left alone.
  static std::variant<std::unique_ptr<Journal>, std::string> Open(
      const std::filesystem::path& file);

  const std::vector<nlohmann::ordered_json>& lines() const;
  /// Adds a line. What went wrong, empty on success; the file then ends with the line before.
  std::optional<std::string> Add(const nlohmann::ordered_json& line);
  /// Deletes the file.
  void Remove();

 private:
  struct Lines;
  Journal(std::filesystem::path file, int descriptor);
  std::optional<std::string> ReadLines();

  std::filesystem::path file_;
  int descriptor_;
  std::unique_ptr<Lines> lines_;
};

}  // namespace stencilgen::driver
