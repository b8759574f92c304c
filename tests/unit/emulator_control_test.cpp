#include "tools/run/emulator_control.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/runtime_text.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

// The emulator inside a library, as tests of generated code use it.
namespace stencilgen {
namespace {

constexpr std::string_view kProgram = R"(
namespace program {
using namespace stencilgen;
// Adds to each row its mirror image.
__global__ void Rows(Global<int> out, Global<const int> in, const int rows) {
  const Shared<int> row = DynamicShared<int>();
  const int x = static_cast<int>(threadIdx.x);
  for (int y = 0; y < rows; ++y) {
    row[31 - x] = in[y * 32 + x];
    __syncthreads();  // written
    out[y * 32 + x] = row[31 - x] + row[x];
    __syncthreads();  // read
  }
}
}  // namespace program
extern "C" int run_rows(int* values, int rows) {
  using namespace stencilgen;
  const std::size_t bytes = sizeof(int) * 32 * rows;
  int* device[2] = {};
  for (int*& array : device) {
    if (cudaMalloc(&array, bytes) != cudaSuccess) return 1;
  }
  cudaMemcpy(device[0], values, bytes, cudaMemcpyHostToDevice);
  const cudaError_t result =
      Launch(program::Rows, dim3(1), dim3(32), 128, nullptr, device[1], device[0], rows);
  cudaMemcpy(values, device[1], bytes, cudaMemcpyDeviceToHost);
  for (int* array : device) cudaFree(array);
  return result;
}
)";

/// The number of the line that has this text.
int LineOf(const std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

TEST_CASE("barriers of a library are listed and dropped by line", "[emulator]") {
  const testing::TemporaryDirectory directory;
  driver::BuildOptions options;
  options.backend = driver::Backend::CudaEmulated;
  options.optimize = 0;
  options.directory = directory.path();
  std::string text = codegen::RuntimeText("stencilgen/tile.hpp", true);
  text.append(kProgram);
  std::string error;
  const auto library = driver::HostLibrary::Build(text, "rows", options, error);
  INFO(error);
  REQUIRE(library != nullptr);
  auto* const run = reinterpret_cast<int (*)(int*, int)>(library->Symbol("run_rows"));
  REQUIRE(run != nullptr);

  constexpr int kRows = 3;
  std::vector<int> input(32 * kRows);
  std::vector<int> expected(input.size());
  for (int n = 0; n < 32 * kRows; ++n) input[static_cast<std::size_t>(n)] = n * n;
  for (int n = 0; n < 32 * kRows; ++n) {
    const int other = n / 32 * 32 + 31 - n % 32;
    expected[static_cast<std::size_t>(n)] = n * n + other * other;
  }
  const auto right = [&](driver::ThreadOrder order) {
    std::vector<int> values = input;
    driver::EmulatorControl(*library).SetOrder(order, 1);
    REQUIRE(run(values.data(), kRows) == 0);
    return values == expected;
  };
  const driver::EmulatorControl control(*library);
  CHECK(control.BarrierLines().empty());
  CHECK(right(driver::ThreadOrder::Forward));
  CHECK(right(driver::ThreadOrder::Backward));
  CHECK(right(driver::ThreadOrder::Random));
  const std::vector<int> lines = control.BarrierLines();
  CHECK(lines == std::vector<int>{LineOf(text, "// written"), LineOf(text, "// read")});
  for (const int line : lines) {
    control.DropBarrier(line);
    CHECK(!right(driver::ThreadOrder::Random));
  }
  control.DropBarrier(0);
  CHECK(right(driver::ThreadOrder::Random));
  control.Reset();
  CHECK(control.BarrierLines().empty());
}

}  // namespace
}  // namespace stencilgen
