#include "tools/run/emulator_control.h"

#include <array>

#include "support/check.h"

namespace stencilgen::driver {

namespace {

template <typename Function>
Function* Find(const HostLibrary& library, const char* name) {
  void* symbol = library.Symbol(name);
  STENCILGEN_CHECK(symbol != nullptr);
  return reinterpret_cast<Function*>(symbol);
}

}  // namespace

void EmulatorControl::Reset() const {
  Find<void()>(library_, "stencilgen_emulator_reset")();
}

Counters EmulatorControl::Read() const {
  std::array<unsigned long long, 12> raw{};
  Find<void(unsigned long long*)>(library_, "stencilgen_emulator_counters")(raw.data());
  Counters counters;
  counters.global_load_bytes = raw[2];
  counters.global_store_bytes = raw[3];
  counters.global_load_sectors = raw[4];
  counters.global_store_sectors = raw[5];
  counters.shared_loads = raw[6];
  counters.shared_stores = raw[7];
  counters.barriers = raw[8];
  counters.flops = raw[9];
  counters.launches = raw[10];
  return counters;
}

void EmulatorControl::SetOrder(ThreadOrder order, unsigned seed) const {
  Find<void(int, unsigned)>(library_, "stencilgen_emulator_set_order")(static_cast<int>(order),
                                                                       seed);
}

void EmulatorControl::SetOccupancy(int multiprocessors, int blocks) const {
  Find<void(int, int)>(library_, "stencilgen_emulator_set_occupancy")(multiprocessors, blocks);
}

std::vector<int> EmulatorControl::BarrierLines() const {
  auto* const barriers = Find<int(int*, int)>(library_, "stencilgen_emulator_barriers");
  std::vector<int> lines(static_cast<std::size_t>(barriers(nullptr, 0)));
  barriers(lines.data(), static_cast<int>(lines.size()));
  return lines;
}

void EmulatorControl::DropBarrier(int line) const {
  Find<void(int)>(library_, "stencilgen_emulator_drop_barrier")(line);
}

std::string EmulatorControl::Message() const {
  const char* message = Find<const char*()>(library_, "stencilgen_emulator_message")();
  return message == nullptr ? "" : message;
}

}  // namespace stencilgen::driver
