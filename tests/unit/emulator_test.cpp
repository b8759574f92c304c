#include <cmath>
#include <numeric>
#include <vector>

#include "emulator_kernels.h"
#include "support/catch.h"

// Kernels that are right: their results and their counts.
namespace emulator_test {
namespace {

__global__ void Smooth(Global<double> out, Global<const double> in, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < 1 || i >= n - 1) return;
  STENCILGEN_FLOPS(2);
  out[i] = in[i - 1] + 2.0 * in[i + 1];
}

TEST_CASE("a kernel without barriers computes each point") {
  const Session session;
  const int n = 37;
  std::vector<double> in(n);
  std::iota(in.begin(), in.end(), 1.0);
  for (const Order& order : AllOrders()) {
    emulator::SetThreadOrder(order.order, order.seed);
    const DeviceArray<double> source(in);
    const DeviceArray<double> target(in);
    REQUIRE(Launch(Smooth, 5, 8, 0, target.get(), source.get(), n) == cudaSuccess);
    const std::vector<double> out = target.Values();
    CHECK(out[0] == 1.0);
    CHECK(out[36] == 37.0);
    for (int i = 1; i < n - 1; ++i) CHECK(out[i] == in[i - 1] + 2.0 * in[i + 1]);
  }
}

TEST_CASE("counts are exact") {
  const Session session;
  const DeviceArray<double> source(64);
  const DeviceArray<double> target(64);
  REQUIRE(Launch(Smooth, 2, 32, 0, target.get(), source.get(), 64) == cudaSuccess);
  CHECK(emulator::counters.threads == 64);
  CHECK(emulator::counters.launches == 1);
  CHECK(emulator::counters.global_loads == 2 * 62);
  CHECK(emulator::counters.global_load_bytes == 2 * 62 * 8);
  CHECK(emulator::counters.global_stores == 62);
  CHECK(emulator::counters.global_store_bytes == 62 * 8);
  CHECK(emulator::counters.flops == 2 * 62);
  // Four doubles a sector. Warp 0 loads 0..30 (8 sectors), then 2..32 (9), and stores 1..31 (8);
  // warp 1 loads 31..61 (9), then 33..63 (8), and stores 32..62 (8).
  CHECK(emulator::counters.global_load_sectors == 8 + 9 + 9 + 8);
  CHECK(emulator::counters.global_store_sectors == 8 + 8);
  CHECK(emulator::counters.barriers == 0);

  unsigned long long values[12] = {};
  stencilgen_emulator_counters(values);
  CHECK(values[0] == 2 * 62);
  CHECK(values[5] == 16);
  CHECK(values[9] == 2 * 62);
  CHECK(values[11] == 64);
  stencilgen_emulator_reset();
  stencilgen_emulator_counters(values);
  for (unsigned long long value : values) CHECK(value == 0);
}

__global__ void Strided(Global<float> out, int stride) {
  out[static_cast<long long>(threadIdx.x) * stride] = 0.0F;
}

TEST_CASE("sectors tell coalesced from strided access") {
  const Session session;
  const DeviceArray<float> array(32 * 8);
  REQUIRE(Launch(Strided, 1, 32, 0, array.get(), 1) == cudaSuccess);
  CHECK(emulator::counters.global_store_sectors == 4);
  emulator::ResetCounters();
  REQUIRE(Launch(Strided, 1, 32, 0, array.get(), 8) == cudaSuccess);
  CHECK(emulator::counters.global_store_sectors == 32);
}

/// Sums the block's values by halving; `barrier` false leaves out what keeps the halves apart.
template <bool barrier>
__global__ void Sum(Global<int> sums, Global<const int> values) {
  Shared<int> partial = stencilgen::DynamicShared<int>();
  const unsigned x = threadIdx.x;
  partial[x] = values[static_cast<long long>(blockIdx.x) * blockDim.x + x];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (barrier) __syncthreads();
    if (x < half) partial[x] += partial[x + half];
  }
  if (x == 0) sums[blockIdx.x] = partial[0];
}

TEST_CASE("barriers make every order right, and leaving them out shows") {
  const Session session;
  const int block = 64;
  std::vector<int> values(3 * block);
  for (int i = 0; i < 3 * block; ++i) values[i] = i * i;
  std::vector<int> expected(3, 0);
  for (int i = 0; i < 3 * block; ++i) expected[i / block] += values[i];
  const DeviceArray<int> source(values);
  int wrong_without = 0;
  for (const Order& order : AllOrders()) {
    emulator::SetThreadOrder(order.order, order.seed);
    const DeviceArray<int> sums(3);
    REQUIRE(Launch(Sum<true>, 3, block, block * sizeof(int), sums.get(), source.get()) ==
            cudaSuccess);
    CHECK(sums.Values() == expected);
    REQUIRE(Launch(Sum<false>, 3, block, block * sizeof(int), sums.get(), source.get()) ==
            cudaSuccess);
    if (sums.Values() != expected) ++wrong_without;
  }
  CHECK(wrong_without > 0);
}

TEST_CASE("barriers and shared accesses are counted") {
  const Session session;
  const DeviceArray<int> source(std::vector<int>(16, 1));
  const DeviceArray<int> sums(2);
  REQUIRE(Launch(Sum<true>, 2, 8, 8 * sizeof(int), sums.get(), source.get()) == cudaSuccess);
  CHECK(emulator::counters.barriers == 2 * 3);
  // A block: 8 values in, 4 + 2 + 1 additions of two loads and a store, and the sum read.
  CHECK(emulator::counters.shared_stores == 2 * (8 + 7));
  CHECK(emulator::counters.shared_loads == 2 * (2 * 7 + 1));
}

__global__ void Shuffles(Global<double> out, int kind, int argument, int width) {
  const double own = threadIdx.x;
  double got = -1;
  if (kind == 0) got = __shfl_sync(0xffffffffU, own, argument, width);
  if (kind == 1) got = __shfl_up_sync(0xffffffffU, own, static_cast<unsigned>(argument), width);
  if (kind == 2) got = __shfl_down_sync(0xffffffffU, own, static_cast<unsigned>(argument), width);
  if (kind == 3) got = __shfl_xor_sync(0xffffffffU, own, argument, width);
  out[threadIdx.x] = got;
}

TEST_CASE("shuffles follow the lanes of their segments") {
  const Session session;
  const auto run = [](int kind, int argument, int width) {
    const DeviceArray<double> out(64);
    REQUIRE(Launch(Shuffles, 1, 64, 0, out.get(), kind, argument, width) == cudaSuccess);
    return out.Values();
  };
  for (const Order& order : AllOrders()) {
    emulator::SetThreadOrder(order.order, order.seed);
    const std::vector<double> one = run(0, 5, 32);
    CHECK(one[0] == 5);
    CHECK(one[31] == 5);
    CHECK(one[32] == 32 + 5);
    CHECK(run(0, 9, 8)[17] == 17);  // lane 9 modulo 8 of the segment from 16
    const std::vector<double> up = run(1, 3, 32);
    CHECK(up[2] == 2);
    CHECK(up[3] == 0);
    CHECK(up[34] == 34);
    CHECK(up[35] == 32);
    const std::vector<double> down = run(2, 1, 16);
    CHECK(down[14] == 15);
    CHECK(down[15] == 15);
    CHECK(down[16] == 17);
    CHECK(down[63] == 63);
    const std::vector<double> exchanged = run(3, 1, 32);
    for (int i = 0; i < 64; ++i) CHECK(exchanged[i] == (i ^ 1));
  }
}

/// The upper and the lower half of a warp go different ways and meet again.
__global__ void HalfWarps(Global<float> out) {
  const unsigned lane = threadIdx.x;
  float value = static_cast<float>(lane);
  if (lane < 16) {
    value = __shfl_down_sync(0x0000ffffU, value, 1, 16);
  } else {
    value = __shfl_up_sync(0xffff0000U, value, 1, 16);
    value = __shfl_up_sync(0xffff0000U, value, 1, 16);
  }
  __syncwarp();
  out[lane] = __shfl_xor_sync(0xffffffffU, value, 16);
}

TEST_CASE("halves of a warp may shuffle apart") {
  const Session session;
  for (const Order& order : AllOrders()) {
    emulator::SetThreadOrder(order.order, order.seed);
    const DeviceArray<float> out(32);
    REQUIRE(Launch(HalfWarps, 1, 32, 0, out.get()) == cudaSuccess);
    const std::vector<float> values = out.Values();
    CHECK(values[16 + 3] == 4.0F);  // lane 3 got lane 4's
    CHECK(values[16 + 15] == 15.0F);
    CHECK(values[5] == 19.0F);  // lane 21 got lane 19's
    CHECK(values[0] == 16.0F);
  }
}

/// Each thread copies its element asynchronously; `wait` false leaves out the wait.
template <bool wait>
__global__ void CopyAsync(Global<float> out, Global<const float> in) {
  Shared<float> tile = stencilgen::DynamicShared<float>();
  const unsigned x = threadIdx.x;
  __pipeline_memcpy_async(tile + x, in + x, sizeof(float));
  __pipeline_commit();
  __pipeline_memcpy_async(tile + (blockDim.x + x), in + x, sizeof(float), sizeof(float));
  __pipeline_commit();
  if (wait) __pipeline_wait_prior(1);
  __syncthreads();
  out[x] = tile[blockDim.x - 1 - x];
  if (wait) __pipeline_wait_prior(0);
  out[blockDim.x + x] = tile[blockDim.x + x];
}

TEST_CASE("asynchronous copies land when they are waited for") {
  const Session session;
  std::vector<float> in(32);
  std::iota(in.begin(), in.end(), 0.0F);
  const DeviceArray<float> source(in);
  const DeviceArray<float> target(64);
  REQUIRE(Launch(CopyAsync<true>, 1, 32, 256, target.get(), source.get()) == cudaSuccess);
  std::vector<float> out = target.Values();
  for (int i = 0; i < 32; ++i) CHECK(out[i] == static_cast<float>(31 - i));
  for (int i = 32; i < 64; ++i) CHECK(out[i] == 0.0F);
  CHECK(emulator::counters.global_loads == 32);
  REQUIRE(Launch(CopyAsync<false>, 1, 32, 256, target.get(), source.get()) == cudaSuccess);
  out = target.Values();
  CHECK(std::isnan(out[0]));
}

__global__ void Indices(Global<int> out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned at = block * blockDim.x * blockDim.y * blockDim.z + thread;
  out[at] = static_cast<int>(at);
}

TEST_CASE("all blocks and threads of a 3D grid run once") {
  const Session session;
  for (const Order& order : AllOrders()) {
    emulator::SetThreadOrder(order.order, order.seed);
    const DeviceArray<int> out(2 * 3 * 2 * 5 * 2 * 3);
    REQUIRE(Launch(Indices, dim3(2, 3, 2), dim3(5, 2, 3), 0, out.get()) == cudaSuccess);
    const std::vector<int> values = out.Values();
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == static_cast<int>(i));
  }
}

__global__ void StaticShared(Global<float> out) {
  __shared__ float row[32];
  out[blockIdx.x * 64 + threadIdx.x] = row[threadIdx.x];
  row[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  out[blockIdx.x * 64 + 32 + threadIdx.x] = row[31 - threadIdx.x];
}

TEST_CASE("variables declared shared are poisoned for each block") {
  const Session session;
  const DeviceArray<float> out(128);
  REQUIRE(Launch(StaticShared, 2, 32, 0, out.get()) == cudaSuccess);
  const std::vector<float> values = out.Values();
  for (int i : {0, 31, 64, 95}) CHECK(std::isnan(values[i]));
  for (int i : {32, 96}) CHECK(values[i] == 31.0F);
}

}  // namespace
}  // namespace emulator_test
