#ifndef STENCILGEN_SCRATCH_HPP
#define STENCILGEN_SCRATCH_HPP

#include <cstddef>

#if defined(__linux__)
#include <unistd.h>
#endif

#include "stencilgen/memory.hpp"

namespace stencilgen {

/// Memory for an array, of at least the size that was asked for.
struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

/// What the scratch arrays of a thread's finished calls leave for its next ones: asking the system
/// for memory anew costs about as much as several sweeps over it. Each thread has its own; it is
/// freed with the thread.
class ScratchPool {
 public:
  static ScratchPool& OfThread() {
    // Nothing to construct or destroy: calls may come while the thread's other objects are
    // destroyed.
    static thread_local ScratchPool pool;
    return pool;
  }

  /// Memory without contents; null where there is none.
  Block Take(std::size_t bytes) {
    int best = -1;
    for (int k = 0; k < count_; ++k) {
      const std::size_t size = blocks_[k].bytes;
      // What is much larger waits for a call that needs it.
      if (size < bytes || size / 2 > bytes) continue;
      if (best < 0 || size < blocks_[best].bytes) best = k;
    }
    if (best >= 0) return Remove(best);
    Block block{AllocateArray(bytes), bytes};
    if (block.memory == nullptr && count_ > 0) {
      Shrink(0);
      block.memory = AllocateArray(bytes);
    }
    return block;
  }

  /// Keeps the memory, or frees it where it is small or the limit is reached; what was kept first
  /// goes first.
  void Give(const Block& block) {
    if (!limit_is_set_) SetLimit(DefaultLimit());
    if (block.bytes < kLeast || block.bytes > limit_ || closed_) return FreeArray(block.memory);
    if (count_ == kMost) FreeArray(Remove(0).memory);
    Shrink(limit_ - block.bytes);
    // Frees all when the thread ends.
    static thread_local Closer closer{this};
    closer.pool = this;
#if defined(MADV_FREE)
    // If memory runs short, the system may take it without writing it anywhere.
    if (block.bytes >= kLeastAdvised) madvise(block.memory, block.bytes, MADV_FREE);
#endif
    blocks_[count_++] = block;
    kept_ += block.bytes;
  }

  /// From now on at most so many bytes are kept.
  void SetLimit(std::size_t bytes) {
    limit_ = bytes;
    limit_is_set_ = true;
    Shrink(bytes);
  }
  std::size_t kept() const {
    return kept_;
  }

 private:
  struct Closer {
    ScratchPool* pool;
    ~Closer() {
      pool->Shrink(0);
      pool->closed_ = true;
    }
  };

  static constexpr int kMost = 64;
  static constexpr std::size_t kLeast = std::size_t{64} << 10;
  static constexpr std::size_t kLeastAdvised = std::size_t{4} << 20;

  /// A quarter of the machine's memory.
  static std::size_t DefaultLimit() {
#if defined(_SC_PHYS_PAGES)
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) {
      return static_cast<std::size_t>(pages) / 4 * static_cast<std::size_t>(page);
    }
#endif
    return std::size_t{1} << 30;
  }

  void Shrink(std::size_t bytes) {
    while (kept_ > bytes) FreeArray(Remove(0).memory);
  }
  Block Remove(int k) {
    const Block block = blocks_[k];
    for (--count_; k < count_; ++k) blocks_[k] = blocks_[k + 1];
    kept_ -= block.bytes;
    return block;
  }

  Block blocks_[kMost] = {};
  int count_ = 0;
  std::size_t kept_ = 0;
  std::size_t limit_ = 0;
  bool limit_is_set_ = false;
  bool closed_ = false;
};

/// Frees what the thread's pool keeps beyond so many bytes, and keeps no more from now on.
inline void KeepScratch(std::size_t bytes) {
  ScratchPool::OfThread().SetLimit(bytes);
}

}  // namespace stencilgen

#endif  // STENCILGEN_SCRATCH_HPP
