#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stencilgen::driver {

/// The emulator of CUDA devices, compiled once for many programs.
struct PreparedEmulator {
  std::filesystem::path
      header;  ///< what programs include first; beside it, of GCC, its precompiled form
  std::filesystem::path object;  ///< what they link

  /// The options of a program's compilation.
  std::vector<std::string> CompileArguments() const;
};

/// Finds the emulator in `cache`, or compiles it and keeps it there, for programs that `compile`
/// compiles: a compiler and all flags that matter. It is kept by these, by the compiler's file, and
/// by the contents of all headers; what another process is compiling is waited for. Empty where
/// that does not succeed, or `cache` is empty: then programs compile all of the emulator
/// themselves.
std::optional<PreparedEmulator> PrepareEmulator(const std::vector<std::string>& compile,
                                                const std::filesystem::path& cache);

}  // namespace stencilgen::driver
