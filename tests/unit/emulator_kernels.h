#pragma once

#include <vector>

#include "stencilgen/emulator.hpp"

/// What the tests of the emulator share: device arrays and launches.
namespace emulator_test {

namespace emulator = stencilgen::emulator;
using stencilgen::Global;
using stencilgen::Shared;

/// A device array that frees itself.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    static_cast<void>(cudaMalloc(&memory_, count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    static_cast<void>(
        cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { static_cast<void>(cudaFree(memory_)); }

  T* get() const { return memory_; }
  std::vector<T> Values() const {
    std::vector<T> values(count_);
    static_cast<void>(
        cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* memory_ = nullptr;
  std::size_t count_;
};

template <typename... Parameters, typename... Arguments>
cudaError_t Launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                   Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

struct Order {
  emulator::ThreadOrder order;
  unsigned seed;
};
/// Forward, backward and a few random orders.
inline std::vector<Order> AllOrders() {
  std::vector<Order> orders = {{emulator::ThreadOrder::Forward, 0},
                               {emulator::ThreadOrder::Backward, 0}};
  for (unsigned seed = 1; seed <= 4; ++seed) {
    orders.push_back({emulator::ThreadOrder::Random, seed});
  }
  return orders;
}

/// Restores the emulator's usual state at the end of a test.
struct Session {
  Session() { Restore(); }
  ~Session() { Restore(); }
  static void Restore() {
    emulator::SetThreadOrder(emulator::ThreadOrder::Forward);
    emulator::FailCall(-1);
    emulator::DropBarrier(0);
    emulator::ResetCounters();
    static_cast<void>(cudaGetLastError());
  }
};

}  // namespace emulator_test
