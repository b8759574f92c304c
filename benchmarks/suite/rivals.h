#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "suite/devito.h"
#include "suite/versions.h"

namespace stencilgen::suite {

/// Programs in other stencil compilers, where those are installed.
class Rivals {
 public:
  /// Builds those that are there, in the folder, once. `asked`: says what is not there.
  Rivals(const std::filesystem::path& directory, bool asked);

  /// Adds the versions there are of the program. They are checked and measured like ours.
  void AddTo(Versions* versions, const Program& program) const;

  /// What was found, or why it is not used.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void BuildHalide(const std::filesystem::path& directory, bool asked);

  std::shared_ptr<driver::HostLibrary> halide_;
  std::shared_ptr<Devito> devito_;
  std::vector<std::string> notes_;
};

}  // namespace stencilgen::suite
