#ifndef STENCILGEN_EMULATOR_CONTROL_HPP
#define STENCILGEN_EMULATOR_CONTROL_HPP

#include <vector>

#include "counters.hpp"
#include "device_size.hpp"
#include "errors.hpp"
#include "memory.hpp"
#include "scheduler.hpp"
#include "thread_order.hpp"
#include "turn.hpp"

/// What tests say to the emulator: in C++ for tests that include it, as C functions for programs
/// that load a generated library.

#define STENCILGEN_EMULATOR_EXPORT extern "C" inline __attribute__((visibility("default"), used))

#if !defined(STENCILGEN_EMULATOR_COMPILED)

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

inline void SetThreadOrder(ThreadOrder order, unsigned seed = 0) {
  const Turn turn;
  orderer.Set(order, seed);
}
inline void ResetCounters() {
  const Turn turn;
  counters = {};
  scheduler.barrier_lines().clear();
}
/// The source lines of the `__syncthreads` that blocks passed since the last reset, ascending.
/// Those on one line are taken for one.
inline std::vector<int> BarrierLines() {
  const Turn turn;
  return {scheduler.barrier_lines().begin(), scheduler.barrier_lines().end()};
}
/// Makes every `__syncthreads` on this line do nothing; 0: all wait again.
inline void DropBarrier(int line) {
  const Turn turn;
  scheduler.DropBarrier(line);
}
/// Makes the runtime call after `calls` more that may fail do so; negative for none.
inline void FailCall(long long calls) {
  const Turn turn;
  calls_until_failure = calls;
}
/// What the device says of itself and of kernels' occupancy (DeviceSize::Set), for kernels that
/// have not asked yet.
inline void SetOccupancy(int multiprocessors, int blocks) {
  const Turn turn;
  device_size.Set(multiprocessors, blocks);
}
/// Bytes of device memory that are allocated.
inline std::size_t LiveBytes() {
  const Turn turn;
  return heap.live_bytes();
}

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

/// Sets all counters to zero.
STENCILGEN_EMULATOR_EXPORT void stencilgen_emulator_reset() {
  stencilgen::emulator::ResetCounters();
}
/// Gives, in this order: global loads, global stores (elements), global load bytes, global store
/// bytes, global load sectors, global store sectors, shared loads, shared stores, barriers, flops,
/// launches, threads.
STENCILGEN_EMULATOR_EXPORT void stencilgen_emulator_counters(unsigned long long out[12]) {
  const stencilgen::emulator::Turn turn;
  const stencilgen::emulator::Counters& c = stencilgen::emulator::counters;
  const unsigned long long values[] = {c.global_loads,
                                       c.global_stores,
                                       c.global_load_bytes,
                                       c.global_store_bytes,
                                       c.global_load_sectors,
                                       c.global_store_sectors,
                                       c.shared_loads,
                                       c.shared_stores,
                                       c.barriers,
                                       c.flops,
                                       c.launches,
                                       c.threads};
  for (int i = 0; i < 12; ++i) out[i] = values[i];
}
/// 0 forward, 1 backward, 2 random from the seed.
STENCILGEN_EMULATOR_EXPORT void stencilgen_emulator_set_order(int mode, unsigned seed) {
  stencilgen::emulator::SetThreadOrder(static_cast<stencilgen::emulator::ThreadOrder>(mode), seed);
}
/// The device has so many multiprocessors, of so many blocks each, for kernels that have not asked
/// yet; 0 blocks: as many as have threads and shared memory.
STENCILGEN_EMULATOR_EXPORT void stencilgen_emulator_set_occupancy(int multiprocessors, int blocks) {
  stencilgen::emulator::SetOccupancy(multiprocessors, blocks);
}
/// Gives the source lines of the `__syncthreads` that blocks passed since the last reset,
/// ascending, at most `capacity` of them. Returns how many there are.
STENCILGEN_EMULATOR_EXPORT int stencilgen_emulator_barriers(int* lines, int capacity) {
  const std::vector<int> all = stencilgen::emulator::BarrierLines();
  const int count = static_cast<int>(all.size());
  for (int k = 0; k < count && k < capacity; ++k) lines[k] = all[static_cast<std::size_t>(k)];
  return count;
}
/// Every `__syncthreads` on this line does nothing; 0: all wait again.
STENCILGEN_EMULATOR_EXPORT void stencilgen_emulator_drop_barrier(int line) {
  stencilgen::emulator::DropBarrier(line);
}
/// The runtime call after `calls` more that may fail does; negative for none.
STENCILGEN_EMULATOR_EXPORT void stencilgen_emulator_fail_call(long long calls) {
  stencilgen::emulator::FailCall(calls);
}
/// Graphs that were launched since the last reset.
STENCILGEN_EMULATOR_EXPORT unsigned long long stencilgen_emulator_graph_launches() {
  const stencilgen::emulator::Turn turn;
  return stencilgen::emulator::counters.graph_launches;
}
/// Bytes of device memory that are allocated.
STENCILGEN_EMULATOR_EXPORT unsigned long long stencilgen_emulator_live_bytes() {
  return stencilgen::emulator::LiveBytes();
}
/// Why the last failing call failed.
STENCILGEN_EMULATOR_EXPORT const char* stencilgen_emulator_message() {
  return stencilgen::emulator::LastMessage();
}

#endif  // STENCILGEN_EMULATOR_COMPILED

#endif  // STENCILGEN_EMULATOR_CONTROL_HPP
