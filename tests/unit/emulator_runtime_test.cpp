#include <cstring>
#include <string>
#include <vector>

#include "emulator_kernels.h"
#include "stencilgen/cuda.hpp"
#include "support/catch.h"

// The runtime's functions: launches that are refused, memory, streams, events, arithmetic.
namespace emulator_test {
namespace {

__global__ void Nothing() {}

TEST_CASE("launches that no device takes are refused") {
  const Session session;
  CHECK(Launch(Nothing, 1, 1024, 0) == cudaSuccess);
  CHECK(Launch(Nothing, 1, 1025, 0) == cudaErrorInvalidConfiguration);
  CHECK(Launch(Nothing, 1, dim3(1, 1, 65), 0) == cudaErrorInvalidConfiguration);
  CHECK(Launch(Nothing, 1, dim3(32, 33), 0) == cudaErrorInvalidConfiguration);
  CHECK(Launch(Nothing, 0, 32, 0) == cudaErrorInvalidConfiguration);
  CHECK(Launch(Nothing, dim3(1, 65536), 32, 0) == cudaErrorInvalidConfiguration);
  CHECK(Launch(Nothing, 1, 32, 48 * 1024) == cudaSuccess);
  CHECK(Launch(Nothing, 1, 32, 48 * 1024 + 1) == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(Nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024) ==
        cudaSuccess);
  CHECK(Launch(Nothing, 1, 32, 227 * 1024) == cudaSuccess);
  CHECK(cudaFuncSetAttribute(Nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024) ==
        cudaErrorInvalidValue);
}

TEST_CASE("int holds positions in small arrays") {
  using stencilgen::FitInt;
  using stencilgen::Shape;
  constexpr long long kMost = 1LL << 29;
  CHECK(FitInt({{1, 1022}, {1, 1022}, {1, 1022}}, {Shape(1024, 1024, 1024)}));
  CHECK(FitInt({{0, 9}}, {Shape(1290, 1290, 1290)}));
  CHECK_FALSE(FitInt({{0, 9}}, {Shape(1291, 1291, 1291)}));
  CHECK(FitInt({{0, 9}}, {Shape(3, 2147483647 / 7 / 3, 7)}));
  CHECK_FALSE(FitInt({{0, 9}}, {Shape(1LL << 16, 1LL << 15)}));
  CHECK_FALSE(FitInt({{0, 9}}, {Shape(8), Shape(1LL << 40, 1LL << 40)}));
  CHECK(FitInt({{-kMost, kMost}}, {Shape(kMost)}));
  CHECK_FALSE(FitInt({{0, kMost + 1}}, {Shape(8)}));
  CHECK_FALSE(FitInt({{0, 9}, {-kMost - 1, 0}}, {Shape(8)}));
  CHECK_FALSE(FitInt({{0, 9}}, {Shape(kMost + 1)}));
}

TEST_CASE("memory is accounted for") {
  const Session session;
  const std::size_t before = emulator::LiveBytes();
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 100) == cudaSuccess);
  CHECK(emulator::LiveBytes() == before + 100);
  std::vector<char> host(200, 1);
  CHECK(cudaMemcpy(memory, host.data(), 100, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(memory, host.data(), 101, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host.data(), memory, 100, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemset(static_cast<char*>(memory) + 50, 7, 50) == cudaSuccess);
  CHECK(cudaMemcpyAsync(host.data(), memory, 100, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host[49] == 1);
  CHECK(host[50] == 7);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(emulator::LiveBytes() == before);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaMalloc(&memory, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

TEST_CASE("a call fails where a test asks for it") {
  const Session session;
  void* memory = nullptr;
  emulator::FailCall(1);
  CHECK(cudaMalloc(&memory, 8) == cudaSuccess);
  CHECK(cudaMemset(memory, 0, 8) == cudaErrorInvalidValue);
  CHECK(cudaMemset(memory, 0, 8) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
}

__constant__ double weights[3];

__global__ void Weigh(Global<double> out) {
  out[threadIdx.x] = 2.0 * weights[threadIdx.x];
}

TEST_CASE("constant memory is written through its symbol") {
  const Session session;
  const double values[3] = {1, 2, 3};
  REQUIRE(cudaMemcpyToSymbolAsync(weights, values, sizeof values) == cudaSuccess);
  CHECK(cudaMemcpyToSymbol(weights, values, sizeof values, 8) == cudaErrorInvalidValue);
  const DeviceArray<double> out(3);
  REQUIRE(Launch(Weigh, 1, 3, 0, out.get()) == cudaSuccess);
  CHECK(out.Values() == std::vector<double>{2, 4, 6});
}

TEST_CASE("streams and events work") {
  const Session session;
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreate(&end) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(start, stream) == cudaSuccess);
  CHECK(cudaEventRecord(end, stream) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(cudaEventDestroy(start) == cudaSuccess);
  CHECK(cudaEventDestroy(end) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("the device describes itself") {
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == 132);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.sharedMemPerBlockOptin == 227 * 1024);
  CHECK(properties.major == 9);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
}

TEST_CASE("kernels have the occupancy that threads and shared memory allow, or that is asked for") {
  const auto blocks = [](int threads, std::size_t shared_bytes) {
    int found = -1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, Nothing, threads, shared_bytes) ==
          cudaSuccess);
    return found;
  };
  CHECK(blocks(32, 0) == 32);
  CHECK(blocks(256, 0) == 8);
  CHECK(blocks(256, 100 << 10) == 2);
  emulator::SetOccupancy(20, 3);
  CHECK(blocks(256, 0) == 3);
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == 20);
  emulator::SetOccupancy(132, 0);
  CHECK(blocks(256, 0) == 8);
}

__global__ void Products(Global<double> out, Global<const double> in) {
  out[0] = __dadd_rn(__dmul_rn(in[0], in[0]), -1.0);
  out[1] = __fma_rn(in[0], in[0], -1.0);
  out[2] = __ldg(in + 1);
}

TEST_CASE("rounding intrinsics round, fused ones once") {
  const Session session;
  const double x = 1.0 + 0x1p-30;
  const DeviceArray<double> in(std::vector<double>{x, 3.0});
  const DeviceArray<double> out(3);
  REQUIRE(Launch(Products, 1, 1, 0, out.get(), in.get()) == cudaSuccess);
  CHECK(out.Values()[0] == 0x1p-29);
  CHECK(out.Values()[1] == 0x1p-29 + 0x1p-60);
  CHECK(out.Values()[2] == 3.0);
}

}  // namespace
}  // namespace emulator_test
