#include "plan/occupancy.h"

#include <array>
#include <limits>

#include "support/check.h"

namespace stencilgen::plan {

namespace {

template <typename Integer>
constexpr Integer DivideUp(Integer value, Integer unit) {
  return (value + unit - 1) / unit;
}
template <typename Integer>
constexpr Integer RoundUp(Integer value, Integer unit) {
  return DivideUp(value, unit) * unit;
}

constexpr int kUnlimited = std::numeric_limits<int>::max();

int BlocksByWarps(const machine::Gpu& device, int threads) {
  return device.warps_per_sm() / DivideUp(threads, device.warp);
}

int BlocksByRegisters(const machine::Gpu& device, int threads, int registers) {
  if (registers == 0) return kUnlimited;
  if (registers > device.registers_per_thread) return 0;
  const int warps = DivideUp(threads, device.warp);
  const int partitions = device.register_file_partitions;
  const int per_warp = RoundUp(registers * device.warp, device.register_unit);
  // A launch is refused unless the block fits with its warps filling four partitions evenly, also
  // where there are two.
  constexpr int kChecked = 4;
  if (per_warp * RoundUp(warps, kChecked) > device.registers_per_sm) return 0;
  // What is left over in one partition does not add up with what is left over in another.
  const int warps_per_partition = device.registers_per_sm / partitions / per_warp;
  return warps_per_partition * partitions / warps;
}

int BlocksBySharedMemory(const machine::Gpu& device, std::int64_t bytes) {
  if (bytes > device.shared_per_block_most) return 0;
  const std::int64_t allocated = RoundUp(bytes + device.shared_reserved, device.shared_unit);
  return allocated == 0 ? kUnlimited : static_cast<int>(device.shared_per_sm / allocated);
}

}  // namespace

Occupancy FindOccupancy(const machine::Gpu& device, const BlockNeeds& needs) {
  STENCILGEN_CHECK(needs.threads >= 1 && needs.registers >= 0 && needs.shared_bytes >= 0);
  if (needs.threads > device.threads_per_block) return {0, 0, OccupancyLimit::Warps};
  const std::array<int, 4> most = {device.blocks_per_sm, BlocksByWarps(device, needs.threads),
                                   BlocksByRegisters(device, needs.threads, needs.registers),
                                   BlocksBySharedMemory(device, needs.shared_bytes)};
  Occupancy occupancy;
  occupancy.blocks = most[0];
  for (std::size_t i = 1; i < most.size(); ++i) {
    if (most[i] >= occupancy.blocks) continue;
    occupancy.blocks = most[i];
    occupancy.limit = static_cast<OccupancyLimit>(i);
  }
  occupancy.warps = occupancy.blocks * DivideUp(needs.threads, device.warp);
  return occupancy;
}

}  // namespace stencilgen::plan
