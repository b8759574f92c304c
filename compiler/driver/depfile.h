#pragma once

#include <string>
#include <vector>

#include "driver/files.h"
#include "driver/options.h"

namespace stencilgen::driver {

/// The files that a compilation with these options reads: the program, the description of the GPU,
/// and the tuning database where there is one. Not standard input.
std::vector<std::string> InputFiles(const Options& options);

/// A rule in the syntax of Make, `out.cu out.h: heat.idsl gpu.json`, which Make includes and CMake
/// and Ninja read. An input is named once.
/// Requires: all outputs are files.
std::string DepfileText(const std::vector<OutputFile>& outputs,
                        const std::vector<std::string>& inputs);

}  // namespace stencilgen::driver
