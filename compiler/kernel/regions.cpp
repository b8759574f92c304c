#include "kernel/regions.h"

#include <cstring>

#include <fmt/format.h>

namespace stencilgen::kernel::bytecode {

std::string Regions::Place(const Region& region, std::int64_t granule) const {
  return fmt::format("element {} of {}", granule, region.name);
}

std::string Regions::Check(std::int64_t address, std::int64_t bytes, std::int64_t alignment,
                           bool writes) const {
  const std::int64_t which = RegionOf(address);
  if (which < 0 || which >= static_cast<std::int64_t>(all_.size())) return "no address";
  const Region& region = all_[static_cast<std::size_t>(which)];
  const std::int64_t byte = ByteOf(address);
  if (byte < 0 || byte > region.size - bytes) {
    const std::int64_t size = region.granule;
    const std::int64_t element = byte < 0 ? (byte - size + 1) / size : byte / size;
    return fmt::format("out of bounds: {}, which has {}", Place(region, element),
                       region.size / size);
  }
  if (byte % alignment != 0) {
    return fmt::format("not aligned to {} bytes: {}", alignment,
                       Place(region, byte / region.granule));
  }
  if (writes && !region.writable) return fmt::format("writes {}, which is only read", region.name);
  if (!writes && !region.readable) {
    return fmt::format("reads {}, which is only written", region.name);
  }
  return "";
}

std::string Regions::Read(Region& region, std::int64_t byte, std::int64_t bytes) {
  if (region.touches.empty()) return "";
  const std::int64_t floor = Floor(region);
  for (std::int64_t k = byte / region.granule; k * region.granule < byte + bytes; ++k) {
    Touches& touches = region.touches[static_cast<std::size_t>(k)];
    if (touches.copier >= 0) {
      return fmt::format("race: {} is read before its asynchronous copy has landed",
                         Place(region, k));
    }
    if (IsOthers(touches.written, touches.writer, floor)) {
      return fmt::format("race: {} is read here and written elsewhere", Place(region, k));
    }
    if (touches.read < floor) {
      touches.read_block = block_;
      touches.reader = actor;
    } else {
      if (touches.read_block != block_) touches.read_block = kSeveral;
      if (touches.read != now_) {
        touches.reader = actor;
      } else if (touches.reader != actor) {
        touches.reader = kSeveral;
      }
    }
    touches.read = now_;
  }
  return "";
}

std::string Regions::Write(Region& region, std::int64_t byte, std::int64_t bytes,
                           const void* value) {
  if (region.touches.empty()) return "";
  const std::int64_t floor = Floor(region);
  const bool same = value != nullptr &&
                    std::memcmp(region.bytes + byte, value, static_cast<std::size_t>(bytes)) == 0;
  for (std::int64_t k = byte / region.granule; k * region.granule < byte + bytes; ++k) {
    Touches& touches = region.touches[static_cast<std::size_t>(k)];
    if (touches.copier >= 0) {
      return fmt::format("race: {} is written before its asynchronous copy has landed",
                         Place(region, k));
    }
    const bool others = IsOthers(touches.written, touches.writer, floor);
    if (others && !same) {
      return fmt::format("race: {} is written here and elsewhere", Place(region, k));
    }
    const bool read_elsewhere =
        touches.read >= floor &&
        (touches.read_block != block_ || (touches.read == now_ && touches.reader != actor));
    if (read_elsewhere && !region.lenient) {
      return fmt::format("race: {} is written here and read elsewhere", Place(region, k));
    }
    touches.writer = others && touches.written == now_ ? kSeveral : actor;
    touches.written = now_;
  }
  return "";
}

void Regions::BeginCopy(Region& region, std::int64_t byte, std::int64_t bytes) {
  if (region.touches.empty()) return;
  for (std::int64_t k = byte / region.granule; k * region.granule < byte + bytes; ++k) {
    region.touches[static_cast<std::size_t>(k)].copier = actor;
  }
}

void Regions::EndCopy(Region& region, std::int64_t byte, std::int64_t bytes) {
  if (region.touches.empty()) return;
  for (std::int64_t k = byte / region.granule; k * region.granule < byte + bytes; ++k) {
    region.touches[static_cast<std::size_t>(k)].copier = -1;
  }
}

}  // namespace stencilgen::kernel::bytecode
