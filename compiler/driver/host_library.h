#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "graph/graph.h"
#include "support/fp_mode.h"

namespace stencilgen::driver {

/// How generated text becomes a shared library.
enum class Backend {
  Cpp,           ///< the C++ target with the host compiler and OpenMP
  CudaEmulated,  ///< the `.cu` with the host compiler and the emulator
  Cuda           ///< the `.cu` with nvcc
};

struct BuildOptions {
  Backend backend = Backend::Cpp;
  FpMode fp = FpMode::Fast;
  /// -O level. Where it is not given 3, and 1 for the emulator, whose checks take the time that
  /// more would save.
  std::optional<int> optimize = std::nullopt;
  std::filesystem::path directory;      ///< where source and library go; must exist
  std::string arch = "sm_90";           ///< for Cuda
  std::vector<std::string> flags = {};  ///< more for the C++ compiler
};

/// A loaded library of generated programs with their trampolines (codegen::EmitTrampoline).
class HostLibrary {
 public:
  /// Writes `text` (one or more emitted files with trampolines, concatenated) to
  /// directory/stem.{cpp,cu}, compiles and loads it. On failure returns null and sets `error` to
  /// the compiler's output or the reason.
  static std::unique_ptr<HostLibrary> Build(const std::string& text, const std::string& stem,
                                            const BuildOptions& options, std::string& error);
  /// The first half of it: writes and compiles. Returns the library's path, empty on failure.
  static std::filesystem::path Compile(const std::string& text, const std::string& stem,
                                       const BuildOptions& options, std::string& error);
  /// The compiler as a command: CXX may hold a launcher or flags besides it. Empty: there is none.
  static std::vector<std::string> CompilerCommand(Backend backend);
  /// How generated code is compiled, whatever is made of it.
  static std::vector<std::string> CodeFlags(const BuildOptions& options);
  /// The file that is compiled and linked, as the last arguments of the compiler.
  static std::vector<std::string> SourceArguments(const BuildOptions& options,
                                                  const std::filesystem::path& source);
  /// The command that makes `library` from `source`.
  static std::vector<std::string> CommandLine(const BuildOptions& options,
                                              const std::filesystem::path& source,
                                              const std::filesystem::path& library);
  /// The second half. Null on failure.
  static std::unique_ptr<HostLibrary> Load(const std::filesystem::path& library, Backend backend,
                                           std::string& error);
  ~HostLibrary();
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;

  /// NAME_call: arrays, scalars, params in declaration order (see EmitTrampoline). Returns the host
  /// function's status.
  int Call(const std::string& name, const std::vector<void*>& arrays,
           const std::vector<const void*>& scalars, const std::vector<int>& params) const;
  /// NAME_time: milliseconds of each repeat; empty on failure.
  std::vector<double> Time(const std::string& name, const std::vector<void*>& arrays,
                           const std::vector<const void*>& scalars, const std::vector<int>& params,
                           int warmups, int repeats) const;
  /// NAME_error().
  std::string Error(const std::string& name) const;
  /// Address of a symbol, null where there is none.
  void* Symbol(const std::string& name) const;

 private:
  explicit HostLibrary(void* handle) : handle_(handle) {}
  void* handle_;
};

/// The C++ compiler found (CXX, g++, c++, clang++), or nvcc for Backend::Cuda; empty where none is.
std::string FindCompiler(Backend backend);
/// Folder with the headers of runtime/include: the source tree's or the installed one.
std::filesystem::path RuntimeIncludeDirectory();

}  // namespace stencilgen::driver
