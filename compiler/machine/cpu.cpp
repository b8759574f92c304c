#include "machine/cpu.h"

namespace stencilgen::machine {
namespace {

Cpu Generic() {
  constexpr std::int64_t kKi = 1024;
  constexpr double kGiga = 1e9;
  Cpu cpu;
  cpu.model = "a CPU with vectors of 32 bytes";
  cpu.cores = cpu.threads = 4;
  cpu.vector_bytes = 32;
  cpu.vector_registers = 16;
  cpu.multiply_adds = 2;
  cpu.clock = 3 * kGiga;
  cpu.caches = {{1, 32 * kKi, 64, 1, 100 * kGiga, 400 * kGiga},
                {2, 512 * kKi, 64, 1, 50 * kGiga, 200 * kGiga},
                {3, 8 * kKi * kKi, 64, 4, 30 * kGiga, 100 * kGiga}};
  cpu.read_one = 12 * kGiga;
  cpu.copy_one = 10 * kGiga;
  cpu.triad_one = 11 * kGiga;
  cpu.streaming_copy_one = 13 * kGiga;
  cpu.streaming_triad_one = 13 * kGiga;
  cpu.read_all = 30 * kGiga;
  cpu.copy_all = 22 * kGiga;
  cpu.triad_all = 24 * kGiga;
  cpu.streaming_copy_all = 30 * kGiga;
  cpu.streaming_triad_all = 30 * kGiga;
  return cpu;
}

}  // namespace

const Cpu& DefaultCpu() {
  static const Cpu cpu = Generic();
  return cpu;
}

}  // namespace stencilgen::machine
