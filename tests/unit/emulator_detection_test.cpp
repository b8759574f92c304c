#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "emulator_kernels.h"
#include "support/catch.h"

// Kernels that are wrong: what the emulator says of them.
namespace emulator_test {
namespace {

using Catch::Matchers::Contains;

std::string Message() {
  return emulator::LastMessage();
}

__global__ void ReadAt(Global<double> out, Global<const double> in, long long at) {
  out[0] = in[at];
}
__global__ void WriteAt(Global<double> out, long long at) {
  out[at] = 1.0;
}

TEST_CASE("global accesses out of bounds are found") {
  const Session session;
  const DeviceArray<double> out(1);
  const DeviceArray<double> in(10);
  CHECK(Launch(ReadAt, 1, 1, 0, out.get(), in.get(), 9) == cudaSuccess);
  CHECK(Launch(ReadAt, 1, 1, 0, out.get(), in.get(), 10) == cudaErrorIllegalAddress);
  CHECK_THAT(Message(), Contains("out of bounds: element 10 of 10"));
  CHECK_THAT(std::string(cudaGetErrorString(cudaErrorIllegalAddress)), Contains("out of bounds"));
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(Launch(ReadAt, 1, 1, 0, out.get(), in.get(), -1) == cudaErrorIllegalAddress);
  CHECK(Launch(WriteAt, 1, 1, 0, in.get(), 10) == cudaErrorIllegalAddress);
  CHECK(Launch(WriteAt, 1, 1, 0, in.get() + 5, 5) == cudaErrorIllegalAddress);
  CHECK(Launch(WriteAt, 1, 1, 0, in.get() + 5, 4) == cudaSuccess);
  CHECK(in.Values()[9] == 1.0);
}

TEST_CASE("memory that is freed, null or the host's is found") {
  const Session session;
  const DeviceArray<double> out(1);
  double* freed = nullptr;
  REQUIRE(cudaMalloc(&freed, 80) == cudaSuccess);
  REQUIRE(cudaFree(freed) == cudaSuccess);
  CHECK(Launch(ReadAt, 1, 1, 0, out.get(), freed, 0) == cudaErrorIllegalAddress);
  CHECK_THAT(Message(), Contains("freed memory"));
  CHECK(cudaFree(freed) == cudaErrorInvalidValue);
  double host = 1;
  CHECK(Launch(ReadAt, 1, 1, 0, out.get(), &host, 0) == cudaErrorIllegalAddress);
  CHECK_THAT(Message(), Contains("not device memory"));
  CHECK(Launch(ReadAt, 1, 1, 0, out.get(), static_cast<double*>(nullptr), 0) ==
        cudaErrorIllegalAddress);
}

TEST_CASE("memory nobody wrote is poison") {
  const Session session;
  const DeviceArray<double> out(1);
  const DeviceArray<double> in(4);
  REQUIRE(Launch(ReadAt, 1, 1, 0, out.get(), in.get(), 2) == cudaSuccess);
  CHECK(std::isnan(out.Values()[0]));
  const DeviceArray<int> integers(3);
  CHECK(integers.Values() == std::vector<int>{-1, -1, -1});
}

__global__ void SharedAt(Global<float> out, long long at) {
  Shared<float> tile = stencilgen::DynamicShared<float>();
  tile[threadIdx.x] = 2.0F;
  __syncthreads();
  out[threadIdx.x] = tile[at];
}

TEST_CASE("shared accesses out of bounds are found") {
  const Session session;
  const DeviceArray<float> out(8);
  CHECK(Launch(SharedAt, 1, 8, 9 * sizeof(float), out.get(), 8) == cudaSuccess);
  CHECK(std::isnan(out.Values()[0]));
  CHECK(Launch(SharedAt, 1, 8, 8 * sizeof(float), out.get(), 8) == cudaErrorIllegalAddress);
  CHECK_THAT(Message(), Contains("shared access out of bounds: element 8 of 8"));
  CHECK(Launch(SharedAt, 1, 8, 8 * sizeof(float), out.get(), 7) == cudaSuccess);
  CHECK(out.Values()[7] == 2.0F);
}

__global__ void SomeLeave(Global<int> out, unsigned first) {
  if (threadIdx.x >= first) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void TwoBarriers(Global<int> out) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    out[threadIdx.x] = 1;
    __syncthreads();
  }
}

TEST_CASE("divergent barriers are found in every order") {
  const Session session;
  const DeviceArray<int> out(64);
  for (const Order& order : AllOrders()) {
    emulator::SetThreadOrder(order.order, order.seed);
    CHECK(Launch(SomeLeave, 2, 32, 0, out.get(), 31U) == cudaErrorLaunchFailure);
    CHECK_THAT(Message(), Contains("barrier divergence") && Contains("1 have ended"));
    CHECK(Launch(TwoBarriers, 1, 32, 0, out.get()) == cudaErrorLaunchFailure);
    CHECK_THAT(Message(), Contains("barrier divergence") && Contains("32 wait at a barrier"));
    CHECK(Launch(SomeLeave, 2, 32, 0, out.get(), 32U) == cudaSuccess);
  }
}

__global__ void ShuffleWithout(Global<int> out, unsigned mask, unsigned lanes) {
  if (threadIdx.x >= lanes) return;
  out[threadIdx.x] = __shfl_sync(mask, static_cast<int>(threadIdx.x), 0);
}

TEST_CASE("shuffles whose lanes never come are found") {
  const Session session;
  const DeviceArray<int> out(32);
  CHECK(Launch(ShuffleWithout, 1, 32, 0, out.get(), 0xffffffffU, 20U) == cudaErrorLaunchFailure);
  CHECK_THAT(Message(), Contains("deadlock") && Contains("20 wait in a warp operation"));
  CHECK(Launch(ShuffleWithout, 1, 32, 0, out.get(), 0x000fffffU, 20U) == cudaSuccess);
  CHECK(Launch(ShuffleWithout, 1, 32, 0, out.get(), 0x0000ffffU, 20U) == cudaErrorLaunchFailure);
  CHECK_THAT(Message(), Contains("lane 16 is not in the mask"));
  CHECK(Launch(ShuffleWithout, 1, 20, 0, out.get(), 0xffffffffU, 20U) == cudaSuccess);
}

/// Reads its neighbour's element of the array it writes: which value depends on the order.
__global__ void InPlace(Global<int> array, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n - 1) array[i] = array[i + 1];
}

TEST_CASE("races between threads and between blocks show in some order") {
  const Session session;
  for (const dim3 block : {dim3(16), dim3(1)}) {
    std::vector<std::vector<int>> results;
    for (const Order& order : AllOrders()) {
      emulator::SetThreadOrder(order.order, order.seed);
      std::vector<int> values(16);
      for (int i = 0; i < 16; ++i) values[i] = i;
      const DeviceArray<int> array(values);
      REQUIRE(Launch(InPlace, 16 / block.x, block, 0, array.get(), 16) == cudaSuccess);
      results.push_back(array.Values());
    }
    CHECK(results[0] != results[1]);
  }
}

}  // namespace
}  // namespace emulator_test
