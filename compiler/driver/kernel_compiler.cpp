#include "driver/kernel_compiler.h"

#include <cstdlib>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "driver/text_hash.h"
#include "support/parallel.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;

KernelCompiler::KernelCompiler(std::string arch, fs::path cache)
    : arch_(std::move(arch)), nvcc_(FindCompiler(Backend::Cuda)), cache_(std::move(cache)) {
  if (Available()) version_ = RunProcess({nvcc_, "--version"}).output;
}

std::string KernelCompiler::Key(const std::string& text) const {
  return TextHash(fmt::format("1\n{}\n{}\n{}", version_, arch_, text));
}

fs::path KernelCompiler::FileOf(const std::string& key) const {
  return cache_ / "ptxas" / fmt::format("{}.json", key);
}

bool KernelCompiler::Remembers(const std::string& key, CompiledKernel& kernel) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = known_.find(key); at != known_.end()) {
      kernel = at->second;
      return true;
    }
  }
  if (cache_.empty()) return false;
  std::string ignored;
  const auto text = ReadInput(FileOf(key).string(), ignored);
  if (!text) return false;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  const auto number = [&](const char* name, int& value) {
    const auto at = json.find(name);
    if (at == json.end() || !at->is_number_integer()) return false;
    value = at->get<int>();
    return true;
  };
  if (!json.is_object() || !number("registers", kernel.registers) ||
      !number("spill_stores", kernel.spill_stores) || !number("spill_loads", kernel.spill_loads) ||
      !number("stack", kernel.stack) || !number("shared", kernel.shared)) {
    kernel = {};
    return false;
  }
  ++remembered_;
  const std::lock_guard lock(mutex_);
  known_[key] = kernel;
  return true;
}

void KernelCompiler::Remember(const std::string& key, const CompiledKernel& kernel) {
  {
    const std::lock_guard lock(mutex_);
    known_[key] = kernel;
  }
  if (cache_.empty()) return;
  const fs::path path = FileOf(key);
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const nlohmann::json json = {{"registers", kernel.registers},
                               {"spill_stores", kernel.spill_stores},
                               {"spill_loads", kernel.spill_loads},
                               {"stack", kernel.stack},
                               {"shared", kernel.shared}};
  WriteOutputs({{path.string(), json.dump() + "\n"}});
}

CompiledKernel KernelCompiler::RunCompiler(const std::string& text) const {
  CompiledKernel kernel;
  const TemporaryDirectory directory;
  const fs::path source = directory.path() / "kernel.cu";
  std::ofstream file(source, std::ios::binary);
  file << text;
  file.close();
  if (directory.path().empty() || !file) {
    kernel.error = fmt::format("cannot write `{}`", source.string());
    return kernel;
  }
  const ProcessResult result =
      RunProcess({nvcc_, "-cubin", "-std=c++17", fmt::format("-arch={}", arch_), "-Xptxas", "-v",
                  fmt::format("-I{}", RuntimeIncludeDirectory().string()), "-o",
                  (directory.path() / "kernel.cubin").string(), source.string()});
  if (result.status == 0) return ReadPtxasOutput(result.output);
  kernel.error = fmt::format("nvcc ended with status {}: {}", result.status,
                             result.output.substr(0, result.output.find('\n')));
  return kernel;
}

CompiledKernel KernelCompiler::Compile(const std::string& text) {
  CompiledKernel kernel;
  if (!Available()) {
    kernel.error = "nvcc is not in PATH";
    return kernel;
  }
  const std::string key = Key(text);
  if (Remembers(key, kernel)) return kernel;
  kernel = RunCompiler(text);
  ++compiled_;
  if (kernel.error.empty()) Remember(key, kernel);
  return kernel;
}

std::vector<CompiledKernel> KernelCompiler::CompileAll(const std::vector<std::string>& texts) {
  std::vector<CompiledKernel> kernels(texts.size());
  ForEachInParallel(texts.size(), Cores(), [&](std::size_t k) { kernels[k] = Compile(texts[k]); });
  return kernels;
}

std::optional<UsageError> CheckNvcc(const Options& options) {
  const bool scores = options.reorder_score == ReorderScore::Ptxas;
  if ((!scores && !options.fusion_recompile) || !FindCompiler(Backend::Cuda).empty()) {
    return std::nullopt;
  }
  if (scores) {
    return UsageError{"--reorder-score ptxas needs nvcc, which is not in PATH",
                      "say --reorder-score static, or leave it out"};
  }
  return UsageError{"--fusion-recompile needs nvcc, which is not in PATH",
                    "leave it out: registers are estimated then"};
}

fs::path CacheDirectory() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (fs::path given = variable("STENCILGEN_CACHE_DIR"); !given.empty()) return given;
  if (fs::path cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "stencilgen";
  if (fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "stencilgen";
  return {};
}

}  // namespace stencilgen::driver
