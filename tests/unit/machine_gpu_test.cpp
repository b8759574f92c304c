#include <string>
#include <utility>
#include <vector>

#include "machine/gpu.h"
#include "plan/occupancy.h"
#include "plan/schedule.h"
#include "support/catch.h"

using namespace stencilgen::plan;
using namespace stencilgen::machine;

namespace {

const char* const kArchitectures[] = {"sm_35",  "sm_60",  "sm_61",  "sm_70",   "sm_75",
                                      "sm_80",  "sm_86",  "sm_89",  "sm_90",   "sm_100",
                                      "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100"};

const Gpu& Find(const std::string& arch) {
  const Gpu* device = FindGpu(arch);
  INFO(arch);
  REQUIRE(device != nullptr);
  return *device;
}

Occupancy Of(const std::string& arch, const BlockNeeds& needs) {
  return FindOccupancy(Find(arch), needs);
}
int Blocks(const std::string& arch, int threads, int registers, std::int64_t shared_bytes) {
  return Of(arch, {threads, registers, shared_bytes}).blocks;
}

/// Within 3 %: data sheets round.
bool Near(double value, double expected) {
  return value > 0.97 * expected && value < 1.03 * expected;
}

constexpr std::int64_t kKi = 1024;

}  // namespace

TEST_CASE("architectures are found by name, with or without a suffix") {
  for (const char* arch : kArchitectures) CHECK(Find(arch).arch == arch);
  CHECK(FindGpu("sm_90a") == FindGpu("sm_90"));
  CHECK(FindGpu("sm_100f") == FindGpu("sm_100"));
  for (const char* unknown : {"", "a", "sm_", "sm_9", "sm_900", "sm_90aa", "90", "SM_90"}) {
    INFO(unknown);
    CHECK(FindGpu(unknown) == nullptr);
  }
  CHECK(DefaultGpu().arch == "sm_90");
  CHECK(DefaultGpu(stencilgen::GpuLanguage::Hip).arch == "gfx90a");
  CHECK(FindGpu("gfx90") == nullptr);
}

TEST_CASE("an architecture says its language and its warps") {
  using stencilgen::GpuLanguage;
  CHECK(LanguageOf("sm_90") == GpuLanguage::Cuda);
  CHECK(LanguageOf("gfx90a") == GpuLanguage::Hip);
  CHECK(LanguageOf("") == GpuLanguage::Cuda);
  CHECK(WarpOf("sm_90") == 32);
  CHECK(WarpOf("sm_120") == 32);
  CHECK(WarpOf("gfx90a") == 64);
  CHECK(WarpOf("gfx1030") == 32);
  // Not described: of the generations.
  CHECK(WarpOf("gfx906") == 64);
  CHECK(WarpOf("gfx1201") == 32);
}

TEST_CASE("the numbers of a device fit together") {
  for (const char* arch : kArchitectures) {
    INFO(arch);
    const Gpu& device = Find(arch);
    CHECK(device.sms > 0);
    CHECK(device.threads_per_sm % device.warp == 0);
    CHECK(device.threads_per_block <= device.threads_per_sm);
    CHECK(device.blocks_per_sm <= device.warps_per_sm());
    CHECK(device.shared_per_block <= device.shared_per_block_most);
    CHECK(device.shared_per_block_most + device.shared_reserved <= device.shared_per_sm);
    // A block of the greatest shared size, rounded up, still fits.
    CHECK((device.shared_per_block_most + device.shared_reserved) % device.shared_unit == 0);
    CHECK(device.registers_per_sm % device.register_file_partitions == 0);
    CHECK(device.l2_bytes > device.shared_per_sm);
    CHECK(device.memory_achieved < device.memory_peak);
    CHECK(device.memory_achieved > 0.7 * device.memory_peak);
    // What stencils reach: a part of the peak, and no less in single precision.
    CHECK(device.fp32_stencil > 0.1 * device.fp32_peak);
    CHECK(device.fp32_stencil < 0.5 * device.fp32_peak);
    CHECK(device.fp64_stencil > 0.1 * device.fp64_peak);
    CHECK(device.fp64_stencil < device.fp64_peak);
    CHECK(device.fp64_stencil <= device.fp32_stencil);
  }
}

TEST_CASE("a peak is one multiply-add of every lane of every SM in every cycle") {
  const std::vector<std::pair<const char*, int>> lanes = {
      {"sm_35", 192}, {"sm_60", 64},  {"sm_61", 128}, {"sm_70", 64},    {"sm_75", 64},
      {"sm_80", 64},  {"sm_86", 128}, {"sm_89", 128}, {"sm_90", 128},   {"sm_100", 128},
      {"gfx908", 64}, {"gfx90a", 64}, {"gfx942", 64}, {"gfx1030", 128}, {"gfx1100", 128}};
  for (const auto& [arch, count] : lanes) {
    INFO(arch);
    const Gpu& device = Find(arch);
    CHECK(Near(device.fp32_peak / (2 * device.sms * device.clock), count));
    // In double as much, a half, a third or, on boards that are not for it, 1/16 to 1/64 of it.
    const double slower = device.fp32_peak / device.fp64_peak;
    CHECK((Near(slower, 1) || Near(slower, 2) || Near(slower, 3) || Near(slower, 16) ||
           Near(slower, 32) || Near(slower, 64)));
  }
}

TEST_CASE("the H200 is the one that schedules are made for") {
  const Gpu& h200 = Find("sm_90");
  CHECK(h200.sms == 132);
  CHECK(h200.warps_per_sm() == 64);
  CHECK(h200.shared_per_block_most == Schedule{}.shared_limit);
  CHECK(Near(h200.memory_achieved, 4.3e12));
  // 132 SMs, 128 bytes a cycle each, 1.98 GHz.
  CHECK(Near(h200.shared_peak(), 33.45e12));
}

TEST_CASE("blocks of an SM: warps and blocks") {
  // 64 warps an SM, 8 warps a block.
  for (const char* arch : {"sm_35", "sm_60", "sm_80", "sm_90"}) {
    INFO(arch);
    const Occupancy occupancy = Of(arch, {256, 32, 0});
    CHECK(occupancy.blocks == 8);
    CHECK(occupancy.warps == 64);
    CHECK(occupancy.limit == OccupancyLimit::Warps);
    // 33 threads are two warps, 7 warps make 9 blocks with one warp to spare.
    CHECK(Blocks(arch, 7 * 32, 0, 0) == 9);
    CHECK(Blocks(arch, 6 * 32 + 1, 0, 0) == 9);
    CHECK(Of(arch, {6 * 32 + 1, 0, 0}).warps == 63);
    CHECK(Blocks(arch, 1024, 32, 0) == 2);
    CHECK(Blocks(arch, 1025, 0, 0) == 0);
    CHECK(Blocks(arch, 1 << 30, 255, 0) == 0);
  }
  CHECK(Blocks("sm_35", 32, 0, 0) == 16);
  CHECK(Blocks("sm_60", 32, 0, 0) == 32);
  CHECK(Of("sm_90", {32, 0, 0}).limit == OccupancyLimit::Blocks);
  CHECK(Of("sm_90", {64, 0, 0}).limit == OccupancyLimit::Blocks);
  // 48 warps an SM, 24 blocks.
  CHECK(Blocks("sm_89", 256, 0, 0) == 6);
  CHECK(Blocks("sm_89", 32, 0, 0) == 24);
}

TEST_CASE("blocks of an SM: registers") {
  // 37 registers of 32 threads are 1184, allocated as 1280. A quarter of the file holds 12 such
  // warps, so an SM 48; a half holds 25, so an SM of two halves 50.
  CHECK(Blocks("sm_80", 160, 37, 0) == 9);
  CHECK(Blocks("sm_60", 160, 37, 0) == 10);
  CHECK(Blocks("sm_80", 160, 40, 0) == 9);
  CHECK(Of("sm_80", {160, 40, 0}).limit == OccupancyLimit::Registers);
  // 88 registers are 2816 a warp: 5 warps in a quarter, 11 in a half. The whole file would hold 23.
  CHECK(Blocks("sm_35", 32, 88, 0) == 16);
  CHECK(Blocks("sm_60", 32, 88, 0) == 22);
  CHECK(Blocks("sm_80", 32, 88, 0) == 20);
  CHECK(Blocks("sm_90", 32, 88, 0) == 20);
  CHECK(Blocks("sm_35", 64, 88, 0) == 10);
  // 255 registers are 8192 a warp: 8 warps an SM.
  CHECK(Blocks("sm_90", 128, 255, 0) == 2);
  CHECK(Blocks("sm_90", 256, 255, 0) == 1);
  CHECK(Blocks("sm_90", 288, 255, 0) == 0);
  CHECK(Of("sm_90", {288, 255, 0}).limit == OccupancyLimit::Registers);
  CHECK(Blocks("sm_90", 32, 256, 0) == 0);
  // 17 warps of 112 registers are 17 * 3584 = 60928 of 65536, but a block's warps are counted in
  // fours: 20 * 3584 = 71680. 16 of them fit.
  for (const char* arch : {"sm_35", "sm_60", "sm_80", "sm_90"}) {
    INFO(arch);
    CHECK(Blocks(arch, 17 * 32, 112, 0) == 0);
    CHECK(Blocks(arch, 16 * 32, 112, 0) == 1);
  }
}

TEST_CASE("blocks of an SM: shared memory") {
  // 48 KiB an SM, units of 256 bytes, nothing reserved: 12289 bytes are 49 units of 192.
  CHECK(Blocks("sm_35", 64, 32, 12288) == 4);
  CHECK(Blocks("sm_35", 64, 32, 12289) == 3);
  CHECK(Blocks("sm_35", 64, 32, 48 * kKi) == 1);
  CHECK(Blocks("sm_35", 64, 32, 48 * kKi + 1) == 0);
  // 64 KiB an SM, but 48 KiB a block.
  CHECK(Blocks("sm_60", 64, 32, 32 * kKi) == 2);
  CHECK(Blocks("sm_60", 64, 32, 48 * kKi) == 1);
  CHECK(Blocks("sm_60", 64, 32, 48 * kKi + 1) == 0);
  // 164 and 228 KiB an SM, 1 KiB more a block than it asks for.
  CHECK(Blocks("sm_80", 64, 32, 48 * kKi) == 3);
  CHECK(Blocks("sm_90", 64, 32, 48 * kKi) == 4);
  CHECK(Of("sm_90", {64, 32, 48 * kKi}).limit == OccupancyLimit::SharedMemory);
  CHECK(Blocks("sm_80", 64, 32, 163 * kKi) == 1);
  CHECK(Blocks("sm_80", 64, 32, 163 * kKi + 1) == 0);
  CHECK(Blocks("sm_90", 64, 32, 113 * kKi) == 2);
  CHECK(Blocks("sm_90", 64, 32, 113 * kKi + 1) == 1);
  CHECK(Blocks("sm_90", 64, 32, 227 * kKi) == 1);
  CHECK(Blocks("sm_90", 64, 32, 227 * kKi + 1) == 0);
  // Units of 128 bytes: 11904 + 1024 are 101 of 1824; one byte more makes them 102.
  CHECK(Blocks("sm_90", 64, 32, 11904) == 18);
  CHECK(Blocks("sm_90", 64, 32, 11905) == 17);
}

TEST_CASE("blocks of an SM: the tightest limit counts") {
  // Warps allow 8, registers (64 a thread: 2048 a warp, 32 warps) 4, shared memory 3.
  const Occupancy occupancy = Of("sm_90", {256, 64, 72 * kKi});
  CHECK(occupancy.blocks == 3);
  CHECK(occupancy.warps == 24);
  CHECK(occupancy.limit == OccupancyLimit::SharedMemory);
  CHECK(Of("sm_90", {256, 64, 50 * kKi}).limit == OccupancyLimit::Registers);
  CHECK(Of("sm_90", {256, 64, 50 * kKi}).blocks == 4);
}
