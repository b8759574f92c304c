#include "support/utf8.h"

#include <algorithm>
#include <iterator>

namespace stencilgen {
namespace {

struct Interval {
  std::uint32_t first, last;
};

template <std::size_t count>
bool Contains(const Interval (&intervals)[count], std::uint32_t code_point) {
  return std::any_of(std::begin(intervals), std::end(intervals), [&](const Interval& interval) {
    return interval.first <= code_point && code_point <= interval.last;
  });
}

// Controls, spaces that look like one another, zero-width and direction marks, surrogates and
// private use, specials, tags.
constexpr Interval kUnprintable[] = {
    {0x00, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x300, 0x36F},
    {0x61C, 0x61C},   {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F},
    {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000}, {0xD800, 0xF8FF},
    {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFF}, {0xE0000, 0x10FFFF}};

constexpr Interval kWide[] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},  {0xAC00, 0xD7A3},
                              {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60},
                              {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

}  // namespace

std::optional<CodePoint> DecodeUtf8(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return CodePoint{lead, 1};
  CodePoint result;
  if (lead >= 0xC2 && lead <= 0xDF) {
    result = {lead & 0x1FU, 2};
  } else if ((lead & 0xF0U) == 0xE0U) {
    result = {lead & 0x0FU, 3};
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    result = {lead & 0x07U, 4};
  } else {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < result.length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return std::nullopt;
    result.value = result.value << 6U | (byte(i) & 0x3FU);
  }
  const bool overlong = (result.length == 3 && result.value < 0x800) ||
                        (result.length == 4 && result.value < 0x10000);
  const bool surrogate = result.value >= 0xD800 && result.value <= 0xDFFF;
  if (overlong || surrogate || result.value > 0x10FFFF) return std::nullopt;
  return result;
}

bool IsPrintable(std::uint32_t code_point) {
  return !Contains(kUnprintable, code_point);
}

int CellWidth(std::uint32_t code_point) {
  return Contains(kWide, code_point) ? 2 : 1;
}

}  // namespace stencilgen
