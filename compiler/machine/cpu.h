#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stencilgen::machine {

/// A level of the data caches. Bandwidths are those of a triad (`a[i] = b[i] + s * c[i]`) on arrays
/// that fit.
struct Cache {
  int level = 1;
  std::int64_t bytes = 0;  ///< of one cache
  int line = 64;           ///< bytes of a line
  int cores = 1;           ///< that share one cache
  double one = 0;          ///< bytes/s of one thread
  double all = 0;          ///< bytes/s of all threads together, one a core
};

/// A CPU as planning sees it. Bytes are bytes (1 KiB = 1024), rates are a second, bandwidths count
/// the bytes that loops name as read and written: not what ordinary stores read of a line before
/// they change it. `..._one`: of one thread; `..._all`: of one a core, together.
struct Cpu {
  std::string model;

  int cores = 0;
  int threads = 0;  ///< that run at a time: more than cores where these have several each

  int vector_bytes = 0;      ///< of a register
  int vector_registers = 0;  ///< as the instruction set has them
  int multiply_adds = 0;     ///< vectors of them that a core begins in a cycle
  double clock = 0;          ///< cycles/s under load

  std::vector<Cache> caches;  ///< from the first level on

  // Of memory, by arrays far larger than the caches.
  double read_one = 0, read_all = 0;
  double copy_one = 0, copy_all = 0;    ///< `a[i] = b[i]`: 16 bytes a turn in double precision
  double triad_one = 0, triad_all = 0;  ///< 24 bytes
  // The same with stores past the caches.
  double streaming_copy_one = 0, streaming_copy_all = 0;
  double streaming_triad_one = 0, streaming_triad_all = 0;

  /// Flop/s of a core, a multiply-add counted as two, on elements of so many bytes.
  double PeakOfCore(int element_bytes) const {
    return 2.0 * multiply_adds * vector_bytes / element_bytes * clock;
  }
  /// Bytes of a cache that one thread may count on while all run: its share of a shared one.
  std::int64_t Share(const Cache& cache) const { return cache.bytes / cache.cores; }
};

/// What code is made for where nothing else is said: a modest core of the last years with vectors
/// of 32 bytes, so that what is chosen for it is not wrong on others. It measures nothing, so that
/// the same input gives the same code everywhere.
const Cpu& DefaultCpu();

}  // namespace stencilgen::machine
