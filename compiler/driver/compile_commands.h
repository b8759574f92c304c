#pragma once

#include <string>
#include <variant>
#include <vector>

#include "driver/options.h"

namespace stencilgen::driver {

/// What a build says about how one of its files is compiled.
struct FileCommand {
  std::vector<std::string> arguments;  ///< those that say what the code means: -I, -D, -std, ...
  std::string database;                ///< the file that says so; empty where none does
};

/// The command for the file in the nearest `compile_commands.json`
/// (clang.llvm.org/docs/JSONCompilationDatabase.html): of its folder, of a `build` folder there, or
/// of the folders above; of several for one file the first. Paths in it are made absolute. No
/// arguments where nothing is said of the file. Errors: a database that cannot be read, with the
/// place in it.
std::variant<FileCommand, UsageError> FindCompileCommand(const std::string& file);

}  // namespace stencilgen::driver
