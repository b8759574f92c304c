#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/gpu_language.h"

namespace stencilgen::machine {

/// A GPU as planning sees it: what a block may use, what a multiprocessor (SM) has, how fast it is.
/// Of AMD's GPUs a compute unit is an SM (of those of two units that share a block, both together),
/// a wavefront a warp, and the local data share the shared memory.
/// Bytes are bytes (1 KiB = 1024), rates are a second, bandwidths count bytes read plus written.
struct Gpu {
  std::string arch;   ///< `sm_90`, or `gfx90a`
  std::string model;  ///< the board whose numbers these are

  int sms = 0;
  int warp = 32;  ///< threads that go together
  int threads_per_sm = 0;
  int threads_per_block = 0;
  int blocks_per_sm = 0;

  int registers_per_sm = 0;          ///< of 32 bits; as many for one block
  int registers_per_thread = 0;      ///< most that the compiler may give a thread
  int register_unit = 0;             ///< registers that a warp gets come in multiples of this
  int register_file_partitions = 0;  ///< an SM's registers and warps are split evenly among them

  std::int64_t shared_per_sm = 0;          ///< bytes, where the L1 cache is left the least
  std::int64_t shared_per_block = 0;       ///< bytes without asking for more
  std::int64_t shared_per_block_most = 0;  ///< bytes a kernel may opt in to
  std::int64_t shared_reserved = 0;        ///< bytes of each block that the system takes besides
  std::int64_t shared_unit = 0;            ///< bytes a block gets come in multiples of this

  std::int64_t l2_bytes = 0;
  double memory_peak = 0;       ///< bytes/s by the data sheet
  double memory_achieved = 0;   ///< bytes/s of a copy far larger than the caches
  double fp32_peak = 0;         ///< flop/s, a fused multiply-add counted as two
  double fp64_peak = 0;         ///< flop/s, likewise
  double fp32_stencil = 0;      ///< flop/s that stencils reach, whose sums are no multiply-adds
  double fp64_stencil = 0;      ///< flop/s, likewise
  double clock = 0;             ///< cycles/s under load
  double shared_per_clock = 0;  ///< bytes an SM moves to and from its shared memory a cycle

  int warps_per_sm() const { return threads_per_sm / warp; }
  /// Bytes/s of all SMs together.
  double shared_peak() const { return shared_per_clock * sms * clock; }
};

/// The device of an architecture: `sm_90`, also with the suffix of its special instructions
/// (`sm_90a`, `sm_100f`), or `gfx90a`. Null where there is no description of it.
const Gpu* FindGpu(std::string_view arch);

/// The one that code is made for where nothing but its language is said: sm_90, and gfx90a.
const Gpu& DefaultGpu(GpuLanguage language = GpuLanguage::Cuda);

/// What programs for an architecture are written in: HIP where it is one of AMD's, `gfx...`.
GpuLanguage LanguageOf(std::string_view arch);

/// The threads that go together on an architecture, also where there is no description of it.
int WarpOf(std::string_view arch);

}  // namespace stencilgen::machine
