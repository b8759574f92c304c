#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/execute.h"
#include "kernel/module.h"

/// Runs a whole program of structured code: its kernels, and the host's steps between them.
namespace stencilgen::kernel {

/// What the program is called with, by number of the module's parameters and arrays. A scalar is an
/// array of one element.
struct ModuleArguments {
  std::vector<std::int64_t> parameters;
  std::vector<Memory> arrays;
};

/// Of loops in tiles of several turns on the host: what is else chosen by the machine.
struct TileSizes {
  std::int64_t tiles = 1;    ///< of a wavefront
  std::int64_t strip = 1;    ///< width of strips across tiles
  std::int64_t threads = 1;  ///< that are said to share the tiles
};

struct ModuleOptions {
  ExecuteOptions execution;  ///< of each function; what its launch or the module says is theirs
  /// Empty: tiles do not pay, and turns run one after another wherever the module has both.
  std::optional<TileSizes> tiles = std::nullopt;
};

struct ModuleResult {
  std::string error;           ///< the first fault; empty where all went well
  ExecuteCounters counters;    ///< of all functions together
  std::vector<Memory> arrays;  ///< what is in the application's arrays then
  std::int64_t turns_in_tiles = 0;
};

/// Runs the program's steps. Scratch memory, and arrays whose contents it does not need, begin
/// without values. Requires: Verify(module) is empty; the arrays have the shapes that follow from
/// the parameters.
ModuleResult Execute(const Module& module, ModuleArguments arguments, ModuleOptions options);

}  // namespace stencilgen::kernel
