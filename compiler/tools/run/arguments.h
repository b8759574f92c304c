#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/run/run_inputs.h"

namespace stencilgen::driver {

/// The arguments of a host function, and the arrays it works on, in memory as AllocateArray of the
/// runtime gives it. Requires: the inputs outlive it.
class HostArguments {
 public:
  explicit HostArguments(const RunInputs& inputs);

  /// Gives the arrays their contents of the start again.
  void Restore();
  /// What an array holds now.
  graph::Values Contents(const std::string& name) const;

  std::vector<void*> arrays;
  std::vector<const void*> scalars;
  std::vector<int> params;

 private:
  struct Free {
    void operator()(void* memory) const;
  };

  const RunInputs& inputs_;
  std::vector<std::unique_ptr<void, Free>> memory_;
};

}  // namespace stencilgen::driver
