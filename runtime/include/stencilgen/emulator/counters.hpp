#ifndef STENCILGEN_EMULATOR_COUNTERS_HPP
#define STENCILGEN_EMULATOR_COUNTERS_HPP

#include <cstdint>
#include <vector>

#include "language.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// What kernels did since the last reset. Elements are those of the pointer's type.
struct Counters {
  unsigned long long global_loads = 0;
  unsigned long long global_stores = 0;
  unsigned long long global_load_bytes = 0;
  unsigned long long global_store_bytes = 0;
  /// 32-byte sectors, each counted once a warp instruction. Lanes run one after another here, so
  /// the n-th load since the last barrier of each lane is taken for one instruction of the warp,
  /// stores likewise. That is exact where all lanes of a warp go the same way.
  unsigned long long global_load_sectors = 0;
  unsigned long long global_store_sectors = 0;
  unsigned long long shared_loads = 0;
  unsigned long long shared_stores = 0;
  unsigned long long barriers = 0;  ///< __syncthreads, once a block
  unsigned long long flops = 0;     ///< as told by STENCILGEN_FLOPS
  unsigned long long launches = 0;
  unsigned long long threads = 0;
  unsigned long long graph_launches = 0;  ///< the launches in graphs are among `launches`
};

inline Counters counters;

/// The distinct sectors of each warp instruction of one warp.
class SectorTally {
 public:
  /// The lane's access number `instruction` touches the byte at `address`.
  void Add(unsigned instruction, std::uintptr_t address) {
    constexpr std::uintptr_t kSectorBytes = 32;
    if (instruction >= counts_.size()) {
      counts_.resize(instruction + 1, 0);
      sectors_.resize((instruction + 1) * kLanes);
    }
    const std::uintptr_t sector = address / kSectorBytes;
    std::uintptr_t* known = &sectors_[instruction * kLanes];
    unsigned char& count = counts_[instruction];
    for (unsigned k = count; k-- > 0;) {
      if (known[k] == sector) return;
    }
    if (count < kLanes) known[count++] = sector;
  }
  /// Starts anew; returns how many sectors there were.
  unsigned long long Flush() {
    unsigned long long total = 0;
    for (unsigned char count : counts_) total += count;
    counts_.clear();
    return total;
  }

 private:
  static constexpr std::size_t kLanes = 32;
  std::vector<unsigned char> counts_;
  std::vector<std::uintptr_t> sectors_;
};

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_COUNTERS_HPP
