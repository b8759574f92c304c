#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "suite/versions.h"

namespace stencilgen::suite {

/// Programs in other stencil compilers, where those are installed.
class Rivals {
 public:
  /// Builds those that are there, in the folder, once.
  explicit Rivals(const std::filesystem::path& directory);

  /// Adds the versions there are of the program. They are checked and measured like ours.
  void AddTo(Versions* versions, const Program& program) const;

  /// What was found, or why it is not used; empty where nothing is installed.
  const std::string& note() const { return note_; }

 private:
  std::shared_ptr<driver::HostLibrary> halide_;
  std::string note_;
};

}  // namespace stencilgen::suite
