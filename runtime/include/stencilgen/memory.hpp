#ifndef STENCILGEN_MEMORY_HPP
#define STENCILGEN_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Memory for arrays. C++11 and later; no CUDA.

namespace stencilgen {

/// Memory for an array of so many bytes, without contents; null where there is none. An array of 4
/// MiB and more lies in pages of 2 MiB where the system has them: sweeps over it are up to half as
/// fast again, as they wait for fewer addresses. A smaller one begins at a multiple of 64 bytes.
/// FreeArray frees it, and so does std::free but on Windows.
inline void* AllocateArray(std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kPage = std::size_t{2} << 20;
  const bool large = bytes >= 2 * kPage;
  const std::size_t alignment = large ? kPage : kLine;
  if (bytes > SIZE_MAX - alignment) return nullptr;
  // Whole pages, so that the last one is large too.
  const std::size_t size = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
#if defined(_WIN32)
  return _aligned_malloc(size, alignment);
#else
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size) != 0) return nullptr;
#if defined(MADV_HUGEPAGE)
  // Where it fails, pages are small.
  if (large) madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
#endif
}

/// Frees what AllocateArray has given; null is nothing.
inline void FreeArray(void* memory) {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

}  // namespace stencilgen

#endif  // STENCILGEN_MEMORY_HPP
