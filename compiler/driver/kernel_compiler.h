#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "driver/ptxas_report.h"

namespace stencilgen::driver {

/// Asks nvcc for registers and spills, and remembers the answers on disk: a file for each text,
/// named after a hash of all that the answer depends on. A file that cannot be read or written is
/// no error, it only costs time. Safe for several threads and processes.
class KernelCompiler {
 public:
  /// `arch`: `sm_90`. `cache`: empty for none.
  KernelCompiler(std::string arch, std::filesystem::path cache);

  /// False where there is no nvcc.
  bool Available() const { return !nvcc_.empty(); }
  /// Compiles a CUDA file to device code alone.
  CompiledKernel Compile(const std::string& text);
  /// Compiles several at once, as many as the machine has cores.
  std::vector<CompiledKernel> CompileAll(const std::vector<std::string>& texts);

  int compiled() const { return compiled_; }      ///< by nvcc
  int remembered() const { return remembered_; }  ///< read from disk

 private:
  std::string Key(const std::string& text) const;
  std::filesystem::path FileOf(const std::string& key) const;
  bool Remembers(const std::string& key, CompiledKernel& kernel);
  void Remember(const std::string& key, const CompiledKernel& kernel);
  CompiledKernel RunCompiler(const std::string& text) const;

  std::string arch_, nvcc_, version_;
  std::filesystem::path cache_;
  std::atomic<int> compiled_ = 0, remembered_ = 0;
  std::mutex mutex_;
  std::map<std::string, CompiledKernel> known_;  ///< by key
};

/// An error where the options ask for what nvcc is to say (`--reorder-score ptxas`,
/// `--fusion-recompile`), and there is none.
std::optional<UsageError> CheckNvcc(const Options& options);

/// `$STENCILGEN_CACHE_DIR`, else `stencilgen` in `$XDG_CACHE_HOME` or `~/.cache`; empty where none
/// of them is set.
std::filesystem::path CacheDirectory();

}  // namespace stencilgen::driver
