#include "driver/host_library.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include <dlfcn.h>
#include <fmt/format.h>

#include "driver/kernel_compiler.h"
#include "driver/prepared_emulator.h"
#include "driver/subprocess.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void Append(std::vector<std::string>& to, const std::vector<std::string>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

std::vector<std::string> FloatingPointFlags(FpMode fp) {
  // Folding a call at compile time may round another way than the library does at run time.
  if (fp == FpMode::Strict) return {"-ffp-contract=off", "-frounding-math"};
  return {"-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-fassociative-math",
          "-fno-signed-zeros"};
}

/// The start of a compiler's output: its first errors, not pages of what follows from them.
std::string FirstLines(const std::string& text) {
  constexpr int kMostLines = 30;
  std::size_t end = 0;
  for (int line = 0; line < kMostLines && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return end < text.size() ? fmt::format("{}...\n", text.substr(0, end)) : text;
}

/// GNU OpenMP's threads spin for a long time while they wait for each other. On a busy machine that
/// costs whole time slices, so unless the user has a say in it they spin for some microseconds,
/// which is enough from one loop nest to the next. Read when the runtime is loaded.
void LimitSpinning() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "20000", 0);
}

/// How the emulator takes the place of CUDA.
std::vector<std::string> EmulatorFlags() {
  const fs::path emulator = RuntimeIncludeDirectory() / "stencilgen" / "emulator";
  return {"-DSTENCILGEN_EMULATOR", fmt::format("-I{}", emulator.string())};
}

/// With the emulator that was compiled before. False where there is none, or the text has errors.
bool CompileWithPrepared(const BuildOptions& options, const fs::path& source,
                         const fs::path& library) {
  if (options.backend != Backend::CudaEmulated) return false;
  std::vector<std::string> compile = HostLibrary::CompilerCommand(options.backend);
  Append(compile, {"-fPIC"});
  Append(compile, HostLibrary::CodeFlags(options));
  Append(compile, EmulatorFlags());
  const auto emulator = PrepareEmulator(compile, CacheDirectory());
  if (!emulator) return false;
  Append(compile, emulator->CompileArguments());
  Append(compile, {"-shared", "-o", library.string()});
  Append(compile, {"-x", "c++", source.string(), "-x", "none", emulator->object.string(),
                   "-lboost_context"});
  return RunProcess(compile).status == 0;
}

using CallFunction = int (*)(void* const*, const void* const*, const int*);
using TimeFunction = int (*)(void* const*, const void* const*, const int*, int, int, double*);
using ErrorFunction = const char* (*)();

}  // namespace

std::vector<std::string> HostLibrary::CompilerCommand(Backend backend) {
  return Words(FindCompiler(backend));
}

std::vector<std::string> HostLibrary::CodeFlags(const BuildOptions& options) {
  const int optimize = options.optimize.value_or(options.backend == Backend::CudaEmulated ? 1 : 3);
  std::vector<std::string> flags = {"-std=c++17", fmt::format("-O{}", optimize),
                                    fmt::format("-I{}", RuntimeIncludeDirectory().string())};
  if (options.backend == Backend::Cuda) {
    flags.push_back(fmt::format("-arch={}", options.arch));
    if (options.fp == FpMode::Strict) {
      Append(flags, {"--fmad=false", "-Xcompiler", "-ffp-contract=off"});
    }
    return flags;
  }
  flags.emplace_back("-fwrapv");
  Append(flags, FloatingPointFlags(options.fp));
  Append(flags, options.flags);
  if (options.backend == Backend::Cpp) Append(flags, {"-march=native", "-fopenmp"});
  return flags;
}

std::vector<std::string> HostLibrary::SourceArguments(const BuildOptions& options,
                                                      const fs::path& source) {
  if (options.backend != Backend::CudaEmulated) return {source.string()};
  std::vector<std::string> arguments = EmulatorFlags();
  Append(arguments, {"-x", "c++", source.string(), "-x", "none", "-lboost_context"});
  return arguments;
}

std::vector<std::string> HostLibrary::CommandLine(const BuildOptions& options,
                                                  const fs::path& source, const fs::path& library) {
  const bool cuda = options.backend == Backend::Cuda;
  std::vector<std::string> command =
      cuda ? std::vector<std::string>{FindCompiler(options.backend), "-Xcompiler"}
           : CompilerCommand(options.backend);
  Append(command, {"-fPIC", "-shared"});
  Append(command, CodeFlags(options));
  Append(command, {"-o", library.string()});
  Append(command, SourceArguments(options, source));
  return command;
}

std::unique_ptr<HostLibrary> HostLibrary::Build(const std::string& text, const std::string& stem,
                                                const BuildOptions& options, std::string& error) {
  const fs::path library = Compile(text, stem, options, error);
  return library.empty() ? nullptr : Load(library, options.backend, error);
}

fs::path HostLibrary::Compile(const std::string& text, const std::string& stem,
                              const BuildOptions& options, std::string& error) {
  if (FindCompiler(options.backend).empty()) {
    error = options.backend == Backend::Cuda ? "nvcc is not in PATH" : "no C++ compiler is in PATH";
    return {};
  }
  const bool cpp = options.backend == Backend::Cpp;
  const fs::path source = options.directory / fmt::format("{}.{}", stem, cpp ? "cpp" : "cu");
  fs::path library = options.directory / fmt::format("lib{}.so", stem);
  std::ofstream file(source, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    error = fmt::format("cannot write `{}`: {}", source.string(), std::strerror(errno));
    return {};
  }
  if (CompileWithPrepared(options, source, library)) return library;
  const ProcessResult result = RunProcess(CommandLine(options, source, library));
  if (result.status != 0) {
    // Errors of the text end it with status 1, and speak for themselves.
    if (result.status != 1 || result.output.empty()) {
      error = fmt::format("the compiler ended with {}{}", HowItEnded(result),
                          result.output.empty() ? "" : "\n");
    }
    error += FirstLines(result.output);
    return {};
  }
  return library;
}

std::unique_ptr<HostLibrary> HostLibrary::Load(const fs::path& library, Backend backend,
                                               std::string& error) {
  LimitSpinning();
  // The CUDA runtime inside the library registers exit handlers: it must stay.
  const int keep = backend == Backend::Cuda ? RTLD_NODELETE : 0;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | keep);
  if (handle == nullptr) {
    error = dlerror();
    return nullptr;
  }
  // OpenMP's threads outlive the library that started them, so its runtime must stay too.
  for (const char* runtime : {"libgomp.so.1", "libomp.so", "libomp.so.5"}) {
    dlopen(runtime, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
  return std::unique_ptr<HostLibrary>(new HostLibrary(handle));
}

HostLibrary::~HostLibrary() {
  // A library that keeps memory for its thread stays loaded as long as that lives.
  if (void* release = Symbol("stencilgen_release")) reinterpret_cast<void (*)()>(release)();
  dlclose(handle_);
}

void* HostLibrary::Symbol(const std::string& name) const {
  return dlsym(handle_, name.c_str());
}

int HostLibrary::Call(const std::string& name, const std::vector<void*>& arrays,
                      const std::vector<const void*>& scalars,
                      const std::vector<int>& params) const {
  void* symbol = Symbol(fmt::format("{}_call", name));
  if (symbol == nullptr) return -1;
  return reinterpret_cast<CallFunction>(symbol)(arrays.data(), scalars.data(), params.data());
}

std::vector<double> HostLibrary::Time(const std::string& name, const std::vector<void*>& arrays,
                                      const std::vector<const void*>& scalars,
                                      const std::vector<int>& params, int warmups,
                                      int repeats) const {
  void* symbol = Symbol(fmt::format("{}_time", name));
  std::vector<double> milliseconds(static_cast<std::size_t>(repeats), 0.0);
  if (symbol == nullptr ||
      reinterpret_cast<TimeFunction>(symbol)(arrays.data(), scalars.data(), params.data(), warmups,
                                             repeats, milliseconds.data()) != 0) {
    return {};
  }
  return milliseconds;
}

std::string HostLibrary::Error(const std::string& name) const {
  void* symbol = Symbol(fmt::format("{}_error", name));
  if (symbol == nullptr) return fmt::format("the library has no function `{}`", name);
  const char* message = reinterpret_cast<ErrorFunction>(symbol)();
  return message == nullptr ? "" : message;
}

std::string FindCompiler(Backend backend) {
  if (backend == Backend::Cuda) {
    for (const char* name : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
      if (std::string found = FindProgram(name); !found.empty()) return found;
    }
    return "";
  }
  if (const char* wanted = std::getenv("CXX"); wanted != nullptr) {
    const std::vector<std::string> words = Words(wanted);
    if (!words.empty() && !FindProgram(words.front()).empty()) return wanted;
  }
  for (const char* name : {"g++", "c++", "clang++"}) {
    if (std::string found = FindProgram(name); !found.empty()) return found;
  }
  return "";
}

std::filesystem::path RuntimeIncludeDirectory() {
  const auto holds_headers = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path / "stencilgen", ignored);
  };
  if (const char* given = std::getenv("STENCILGEN_RUNTIME_DIR"); given != nullptr && *given) {
    return given;
  }
  // An installed tool must not meet the headers of another version.
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  fs::path installed = executable.parent_path().parent_path() / "include";
  if (holds_headers(installed)) return installed;
  fs::path source_tree = STENCILGEN_RUNTIME_INCLUDE;
  return holds_headers(source_tree) ? source_tree : installed;
}

}  // namespace stencilgen::driver
