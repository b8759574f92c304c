#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "suite/versions.h"
#include "suite/worker.h"

namespace stencilgen::suite {

/// Devito, in a Python that has it.
class Devito {
 public:
  /// The Python of $DEVITO_PYTHON, or the python3 in PATH where that has Devito. Null where there
  /// is none. `note`: what was found, and what is wrong where one was asked for.
  static std::shared_ptr<Devito> Find(bool asked, std::string& note);

  /// Adds a version of the program where it has one: suite/devito_code.h.
  void AddTo(Versions* versions, const Program& program);

 private:
  explicit Devito(std::string python) : python_(std::move(python)) {}

  std::string python_;
  std::shared_ptr<Worker> worker_;  ///< of all programs, until one ends it
};

}  // namespace stencilgen::suite
