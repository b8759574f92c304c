#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/runtime_text.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

// The kernels of tile_kernels.h are CUDA as they are, and use the instructions they ask for.
namespace stencilgen {
namespace {

using testing::TemporaryDirectory;

constexpr std::string_view kProgram = R"(
#include "unit/tile_kernels.h"

namespace tile_test {

template <typename T>
bool LaunchAll(T* out, const T* in, cudaStream_t stream) {
  constexpr int kVector = 16 / sizeof(T);
  constexpr std::size_t kBytes = 64 * sizeof(T);
  return IsAligned(in, 16) &&
         Launch(ThreePoint<T>, 2, kRow, kBytes, stream, out, in, 64) == cudaSuccess &&
         Launch(MarchOneRow<T>, 1, kRow, kBytes, stream, out, in, 4) == cudaSuccess &&
         Launch(MarchTwoRows<T>, 1, kRow, kBytes, stream, out, in, 4) == cudaSuccess &&
         Launch(MarchAhead<T>, 1, kRow, kBytes, stream, out, in, 4) == cudaSuccess &&
         Launch(Twice<T, kVector>, 1, kRow, kBytes, stream, out, in, 64) == cudaSuccess &&
         Launch(CopyVectors<T, kVector>, 1, kRow, kBytes, stream, out, in) == cudaSuccess &&
         Launch(CountThreads<T>, 1, kRow, kBytes, stream, out) == cudaSuccess &&
         Launch(LastShared<T>, 1, 1, std::size_t{100} << 10, stream, out, 3) == cudaSuccess;
}
template bool LaunchAll(double*, const double*, cudaStream_t);
template bool LaunchAll(float*, const float*, cudaStream_t);
template bool LaunchAll(int*, const int*, cudaStream_t);
template __global__ void Twice<float, 2>(Global<float>, Global<const float>, long long);
template __global__ void Twice<int, 2>(Global<int>, Global<const int>, long long);
template __global__ void CopyVectors<float, 2>(Global<float>, Global<const float>);

}  // namespace tile_test
)";

/// Compiles silently; false where there is no nvcc.
bool Compile(const TemporaryDirectory& directory, std::string_view program,
             const std::vector<std::string>& flags, const std::string& result) {
  const std::string nvcc = driver::FindCompiler(driver::Backend::Cuda);
  if (nvcc.empty()) return false;
  const std::string source = (directory.path() / "tile.cu").string();
  std::ofstream(source) << program;
  std::vector<std::string> command = {nvcc,           "-std=c++17", "-arch=sm_90",  "-Werror",
                                      "all-warnings", "-Xcompiler", "-Wall,-Wextra"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", (directory.path() / result).string(), source});
  const driver::ProcessResult outcome = driver::RunProcess(command);
  INFO(outcome.output);
  CHECK(outcome.output.empty());
  REQUIRE(outcome.status == 0);
  return true;
}

std::vector<std::string> WithIncludes(std::vector<std::string> flags) {
  flags.push_back(fmt::format("-I{}", driver::RuntimeIncludeDirectory().string()));
  flags.push_back(fmt::format("-I{}/tests", STENCILGEN_SOURCE_DIR));
  return flags;
}

TEST_CASE("nvcc has nothing to say about tiled kernels", "[nvcc]") {
  const TemporaryDirectory directory;
  Compile(directory, kProgram, WithIncludes({"-O1", "-c"}), "tile.o");
}

TEST_CASE("a standalone runtime for tiles needs nothing else", "[nvcc]") {
  const TemporaryDirectory directory;
  // Files joined into one: only the second has tiles.
  std::string program = codegen::RuntimeText("stencilgen/cuda.hpp", true);
  program.append(codegen::RuntimeText("stencilgen/tile.hpp", true));
  program.append(R"(
namespace program {
using namespace stencilgen;
__global__ void First(Global<float> out, Global<const float> in) {
  const Shared<float> tile = DynamicShared<float>();
  CopyAsync(tile + threadIdx.x, in + threadIdx.x);
  CommitCopies();
  WaitForCopies<0>();
  __syncthreads();
  if (threadIdx.x == 0) out[0] = tile[1];
}
}  // namespace program
)");
  Compile(directory, program, {"-O1", "-c"}, "tile.o");
}

TEST_CASE("vectors and asynchronous copies are single instructions", "[nvcc]") {
  const TemporaryDirectory directory;
  if (!Compile(directory, kProgram, WithIncludes({"-O3", "-ptx"}), "tile.ptx")) return;
  std::ifstream file(directory.path() / "tile.ptx");
  std::stringstream ptx;
  ptx << file.rdbuf();
  const std::string text = ptx.str();
  for (const char* pattern :
       {R"(ld\.global(\.nc)?\.v2\.[a-z]64)", R"(ld\.global(\.nc)?\.v4\.[a-z]32)",
        R"(ld\.global(\.nc)?\.v2\.[a-z]32)", R"(st\.global\.v2\.[a-z]64)",
        R"(st\.global\.v4\.[a-z]32)", R"(st\.global\.v2\.[a-z]32)", R"(ld\.shared\.v2\.[a-z]64)",
        R"(st\.shared\.v4\.[a-z]32)", R"(cp\.async\.cg\.shared\.global[^;]* 16)",
        R"(cp\.async\.ca\.shared\.global[^;]* 8)", R"(cp\.async\.ca\.shared\.global[^;]* 4)",
        R"(cp\.async\.wait_group\s+1)"}) {
    INFO(pattern);
    CHECK(std::regex_search(text, std::regex(pattern)));
  }
}

TEST_CASE("what is loaded in order is no constant", "[nvcc]") {
  const TemporaryDirectory directory;
  std::string program(codegen::RuntimeText("stencilgen/cuda.hpp", true));
  for (const char* pointer : {"Global", "GlobalInOrder"}) {
    program += fmt::format(
        "extern \"C\" __global__ void March{0}(stencilgen::{0}<double> out,\n"
        "    stencilgen::{0}<const double> in, int rows) {{\n"
        "  double next = in[threadIdx.x];\n"
        "  for (int row = 1; row < rows; ++row) {{\n"
        "    const double now = next;\n"
        "    next = in[row * 32 + threadIdx.x];\n"
        "    __syncthreads();\n"
        "    out[row * 32 + threadIdx.x] = now;\n  }}\n}}\n",
        pointer);
  }
  if (!Compile(directory, program, {"-O3", "-ptx"}, "tile.ptx")) return;
  std::ifstream file(directory.path() / "tile.ptx");
  std::stringstream ptx;
  ptx << file.rdbuf();
  const auto count = [](const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
  };
  const std::string text = ptx.str();
  const std::size_t global = text.find(".entry MarchGlobal(");
  const std::size_t ordered = text.find(".entry MarchGlobalInOrder(");
  REQUIRE(global != std::string::npos);
  REQUIRE(ordered != std::string::npos);
  const auto entry = [&](std::size_t from, std::size_t other) {
    return other > from ? text.substr(from, other - from) : text.substr(from);
  };
  CHECK(count(entry(global, ordered), R"(ld\.global\.nc\.f64)") >= 2);
  CHECK(count(entry(ordered, global), R"(ld\.global\.nc)") == 0);
  CHECK(count(entry(ordered, global), R"(ld\.global\.f64)") >= 2);
}

}  // namespace
}  // namespace stencilgen
