#pragma once

#include <filesystem>
#include <string>

#include "driver/host_library.h"

namespace stencilgen::driver {

/// A library of generated code that stays.
struct KeptLibrary {
  std::filesystem::path library, source;
  bool found = false;       ///< it had been made before
  std::string error, hint;  ///< where it could not be made; then the paths are empty
};

/// The shared library of `text`, an emitted file, out of a folder of `cache`, where it is compiled
/// first unless it is there: the same text for the same compiler with the same options on the same
/// kind of processor. Folders appear as a whole or not at all, so any number of processes may ask
/// at a time. `stem` is what files are called; `build.directory` means nothing. `device`: the GPU
/// that nvcc's `native` is.
KeptLibrary KeepLibrary(const std::string& text, const std::string& stem, BuildOptions build,
                        const std::filesystem::path& cache, const std::string& device);

}  // namespace stencilgen::driver
