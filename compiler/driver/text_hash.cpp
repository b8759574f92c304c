#include "driver/text_hash.h"

#include <cstdint>

#include <fmt/format.h>

namespace stencilgen::driver {

namespace {

std::uint64_t Fnv(std::string_view text, std::uint64_t hash) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

}  // namespace

std::string TextHash(std::string_view text) {
  constexpr std::uint64_t kStart = 0xcbf29ce484222325;
  return fmt::format("{:016x}{:016x}", Fnv(text, kStart), Fnv(text, text.size()));
}

}  // namespace stencilgen::driver
