#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/bytecode.h"

/// The memory that a run may touch, with what is known of each element: whether it has a value, and
/// who read and wrote it.
namespace stencilgen::kernel::bytecode {

/// Who touched an element when. Times are counted up at each barrier and each block.
struct Touches {
  std::int64_t written = 0;     ///< when last
  std::int64_t read = 0;        ///< when last
  std::int64_t read_block = 0;  ///< beginning of the block that read it; kSeveral
  std::int32_t writer = 0;      ///< thread; kSeveral
  std::int32_t reader = 0;      ///< of those that read it then; kSeveral
  std::int32_t copier = -1;     ///< thread with an asynchronous copy to it under way
};

struct Region {
  std::string name;
  unsigned char* bytes = nullptr;
  std::uint8_t* defined = nullptr;  ///< a granule each
  std::int64_t size = 0;            ///< in bytes
  int granule = 8;                  ///< bytes of an element, or of the smallest
  bool shared = false, counted = false, argument = false;
  bool readable = true, writable = true;
  bool lenient = false;          ///< who reads what others write gets no value; nothing is reported
  std::vector<Touches> touches;  ///< a granule each; empty: not followed
};

class Regions {
 public:
  static constexpr std::int32_t kSeveral = -2;

  std::vector<Region>& all() { return all_; }
  Region& operator[](std::int64_t region) { return all_[static_cast<std::size_t>(region)]; }

  /// What follows is ordered after all that was before.
  void BeginLaunch() { launch_ = block_ = ++now_; }
  /// What follows is not ordered with other blocks since the launch, or parallel turns since the
  /// loop began.
  void BeginBlock() { block_ = ++now_; }
  /// What follows is ordered after what other threads of the block did.
  void PassBarrier() { ++now_; }
  /// The thread of the block, or turn of a vector loop, that is at work.
  std::int32_t actor = 0;

  /// Why the bytes may not be touched: outside of the region, not aligned, not for that use. Empty
  /// where they may.
  std::string Check(std::int64_t address, std::int64_t bytes, std::int64_t alignment,
                    bool writes) const;
  /// The race that the access makes, in words; empty where there is none. Of a lenient region
  /// those of reads after writes alone.
  std::string Read(Region& region, std::int64_t byte, std::int64_t bytes);
  /// `value`: what is written, null where that is not known yet.
  std::string Write(Region& region, std::int64_t byte, std::int64_t bytes, const void* value);
  /// An asynchronous copy to the bytes begins, or has landed.
  void BeginCopy(Region& region, std::int64_t byte, std::int64_t bytes);
  void EndCopy(Region& region, std::int64_t byte, std::int64_t bytes);

 private:
  std::int64_t Floor(const Region& region) const { return region.shared ? block_ : launch_; }
  /// True where that was done since `floor` by another thread, with no barrier in between.
  bool IsOthers(std::int64_t when, std::int32_t who, std::int64_t floor) const {
    return when >= floor && (when < block_ || (when == now_ && who != actor));
  }
  std::string Place(const Region& region, std::int64_t granule) const;

  std::vector<Region> all_;
  std::int64_t now_ = 0, block_ = 0, launch_ = 0;
};

}  // namespace stencilgen::kernel::bytecode
