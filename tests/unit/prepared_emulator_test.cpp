// The emulator that is compiled once for many programs: it is used, and never where it is stale.
#include "driver/prepared_emulator.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "support/catch.h"

namespace stencilgen::driver {
namespace {

namespace fs = std::filesystem;

/// A copy of the runtime's headers, old enough to be precompiled.
class Headers {
 public:
  Headers() {
    fs::copy(RuntimeIncludeDirectory(), folder_.path() / "include", fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "include")) {
      if (entry.is_regular_file()) MakeOld(entry.path());
    }
  }
  fs::path cache() const { return folder_.path() / "cache"; }
  fs::path include() const { return folder_.path() / "include"; }

  std::vector<std::string> Compile(const std::string& optimize = "-O0") const {
    std::vector<std::string> command = HostLibrary::CompilerCommand(Backend::CudaEmulated);
    const std::string emulator = (include() / "stencilgen" / "emulator").string();
    for (const std::string& flag :
         {std::string("-std=c++17"), std::string("-fPIC"), optimize,
          std::string("-DSTENCILGEN_EMULATOR"), "-I" + include().string(), "-I" + emulator}) {
      command.push_back(flag);
    }
    return command;
  }

  /// Replaces a text in a header, whose size and time stay as they were.
  void Edit(const std::string& header, const std::string& from, const std::string& to) const {
    REQUIRE(from.size() == to.size());
    const fs::path path = include() / "stencilgen" / header;
    std::string unread;
    std::string text = ReadInput(path.string(), unread).value_or("");
    const std::size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    text.replace(place, from.size(), to);
    const auto time = fs::last_write_time(path);
    std::ofstream(path, std::ios::binary) << text;
    fs::last_write_time(path, time);
  }

  static void MakeOld(const fs::path& path) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  }

 private:
  TemporaryDirectory folder_;
};

/// Compiles and runs a program; what it says, with the compiler's words.
std::string Run(const std::vector<std::string>& compile, const PreparedEmulator& emulator,
                const std::string& text, std::vector<std::string> more = {}) {
  const TemporaryDirectory folder;
  const fs::path source = folder.path() / "program.cu", program = folder.path() / "program";
  std::ofstream(source) << text;
  std::vector<std::string> command = compile;
  for (const auto& part : {emulator.CompileArguments(), more}) {
    command.insert(command.end(), part.begin(), part.end());
  }
  for (const std::string& word :
       {std::string("-o"), program.string(), std::string("-x"), std::string("c++"), source.string(),
        std::string("-x"), std::string("none"), emulator.object.string(),
        std::string("-lboost_context")}) {
    command.push_back(word);
  }
  const ProcessResult compiled = RunProcess(command);
  if (compiled.status != 0) return compiled.output;
  return compiled.output + RunProcess({program.string()}).output;
}

/// Each thread of two blocks adds to its element; also what the device is called.
const char* const kProgram = R"(
#include <cstdio>
#include <cuda_runtime.h>
#include "stencilgen/emulator.hpp"
__global__ void add(stencilgen::Global<int> x) {
  const int i = blockIdx.x * 4 + threadIdx.x;
  x[i] = x[i] + i;
  __syncthreads();
}
int main() {
  int values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  int* x = nullptr;
  cudaMalloc(&x, sizeof values);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  cudaLaunchConfig_t config = {dim3(2), dim3(4), 0, nullptr, nullptr, 0};
  const cudaError_t result = cudaLaunchKernelEx(&config, add, stencilgen::Global<int>(x));
  cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  std::printf("%d %d %d %s", result, values[0], values[7], device.name);
}
)";

std::size_t FoldersIn(const fs::path& cache) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(cache / "emulator")) {
    count += entry.is_directory() ? 1 : 0;
  }
  return count;
}

TEST_CASE("programs take the emulator that is compiled, once for all who ask") {
  const Headers headers;
  const auto ask = [&] { return PrepareEmulator(headers.Compile(), headers.cache()); };
  auto other = std::async(std::launch::async, ask);
  const auto mine = ask();
  const auto theirs = other.get();
  REQUIRE(mine);
  REQUIRE(theirs);
  CHECK(mine->header == theirs->header);
  CHECK(FoldersIn(headers.cache()) == 1);
  const auto made = fs::last_write_time(mine->object);
  const auto again = ask();
  REQUIRE(again);
  CHECK(again->header == mine->header);
  CHECK(fs::last_write_time(again->object) == made);

  CHECK(Run(headers.Compile(), *mine, kProgram) == "0 1 8 CUDA emulator");
  // The compiler lists what it reads: the precompiled header, and none of what is in it.
  const std::string listed = Run(headers.Compile(), *mine, kProgram, {"-H"});
  if (RunProcess({headers.Compile().front(), "--version"}).output.find("Free Software") !=
      std::string::npos) {
    CHECK(listed.find("! " + mine->header.string() + ".gch") != std::string::npos);
    CHECK(listed.find("emulator/scheduler.hpp") == std::string::npos);
  }
}

TEST_CASE("programs that Clang compiles take its emulator") {
  if (FindProgram("clang++").empty()) return;
  const Headers headers;
  std::vector<std::string> compile = headers.Compile();
  const auto of_gcc = PrepareEmulator(compile, headers.cache());
  compile.front() = "clang++";
  const auto emulator = PrepareEmulator(compile, headers.cache());
  REQUIRE(of_gcc);
  REQUIRE(emulator);
  CHECK(emulator->header != of_gcc->header);
  CHECK(Run(compile, *emulator, kProgram) == "0 1 8 CUDA emulator");
}

TEST_CASE("an emulator of other headers or flags is not taken") {
  const Headers headers;
  const auto first = PrepareEmulator(headers.Compile(), headers.cache());
  REQUIRE(first);

  // The same size and time, other contents.
  headers.Edit("emulator/runtime_api.hpp", "CUDA emulator", "Cuda EMULATOR");
  const auto edited = PrepareEmulator(headers.Compile(), headers.cache());
  REQUIRE(edited);
  CHECK(edited->header != first->header);
  CHECK(Run(headers.Compile(), *edited, kProgram) == "0 1 8 Cuda EMULATOR");

  const auto optimized = PrepareEmulator(headers.Compile("-O1"), headers.cache());
  REQUIRE(optimized);
  CHECK(optimized->header != edited->header);
  CHECK(Run(headers.Compile("-O1"), *optimized, kProgram) == "0 1 8 Cuda EMULATOR");

  // A header that is being written may have been read half.
  headers.Edit("emulator/runtime_api.hpp", "Cuda EMULATOR", "CUDA EMULATOR");
  fs::last_write_time(headers.include() / "stencilgen/emulator/runtime_api.hpp",
                      fs::file_time_type::clock::now());
  CHECK_FALSE(PrepareEmulator(headers.Compile(), headers.cache()));
}

TEST_CASE("where the emulator cannot be kept, programs compile it themselves") {
  const Headers headers;
  CHECK_FALSE(PrepareEmulator(headers.Compile(), ""));
  CHECK_FALSE(PrepareEmulator(headers.Compile(), "/dev/null/cache"));
  CHECK_FALSE(PrepareEmulator({"false"}, headers.cache()));
  CHECK(FoldersIn(headers.cache()) == 0);

  const TemporaryDirectory folder;
  setenv("STENCILGEN_CACHE_DIR", "/dev/null/cache", 1);
  BuildOptions options;
  options.backend = Backend::CudaEmulated;
  options.optimize = 0;
  options.directory = folder.path();
  std::string error;
  const auto library = HostLibrary::Build(kProgram, "alone", options, error);
  unsetenv("STENCILGEN_CACHE_DIR");
  INFO(error);
  REQUIRE(library);
  CHECK(library->Symbol("stencilgen_emulator_set_order") != nullptr);
}

TEST_CASE("a library with the compiled emulator has its functions, and tells errors of the text") {
  const TemporaryDirectory folder, cache;
  setenv("STENCILGEN_CACHE_DIR", cache.path().c_str(), 1);
  BuildOptions options;
  options.backend = Backend::CudaEmulated;
  options.optimize = 0;
  options.directory = folder.path();
  std::string error;
  const auto library = HostLibrary::Build(kProgram, "kept", options, error);
  INFO(error);
  REQUIRE(library);
  CHECK(FoldersIn(cache.path()) == 1);
  CHECK(library->Symbol("stencilgen_emulator_set_order") != nullptr);
  CHECK(library->Symbol("stencilgen_emulator_counters") != nullptr);
  CHECK_FALSE(HostLibrary::Build("this is no program", "bad", options, error));
  unsetenv("STENCILGEN_CACHE_DIR");
  CHECK(error.find("error") != std::string::npos);
  CHECK(error.find("bad.cu:1:1: ") != std::string::npos);
}

}  // namespace
}  // namespace stencilgen::driver
