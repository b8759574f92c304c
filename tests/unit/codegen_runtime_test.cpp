#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "stencilgen/shape.hpp"
#include "stencilgen/status.hpp"
#include "support/catch.h"

namespace stencilgen {
namespace {

/// Results of `arrays` arrays, each in the memory that `from` says, brought home. Returns how many
/// arrays had to step aside.
int CheckMoves(const std::vector<int>& from) {
  std::vector<std::array<int, 2>> memory(from.size());
  for (std::size_t k = 0; k < memory.size(); ++k) memory[k].fill(static_cast<int>(k));
  std::vector<Move> moves;
  for (std::size_t k = 0; k < from.size(); ++k) {
    moves.push_back(
        {&memory[k], &memory[static_cast<std::size_t>(from[k])], sizeof memory.front()});
  }
  std::vector<std::vector<char>> aside;
  const auto copy = [](void* to, const void* source, std::size_t bytes) {
    std::memcpy(to, source, bytes);
    return true;
  };
  const auto allocate = [&](std::size_t bytes) {
    aside.emplace_back(bytes);
    return static_cast<void*>(aside.back().data());
  };
  CHECK(MoveHome(moves.data(), static_cast<int>(moves.size()), copy, allocate));
  for (std::size_t k = 0; k < from.size(); ++k) {
    CHECK(memory[k] == std::array<int, 2>{from[k], from[k]});
  }
  return static_cast<int>(aside.size());
}

TEST_CASE("results come home from any arrangement", "[runtime]") {
  std::vector<int> from(5);
  std::iota(from.begin(), from.end(), 0);
  do {
    CheckMoves(from);
  } while (std::next_permutation(from.begin(), from.end()));
  CHECK(CheckMoves({0, 1, 2}) == 0);
  CHECK(CheckMoves({1, 2, 2}) == 0);
  CHECK(CheckMoves({1, 0, 2}) == 1);
  CHECK(CheckMoves({1, 2, 0, 4, 3}) == 2);
  CHECK(CheckMoves({1, 0, 0, 1}) == 1);
}

TEST_CASE("a failure while results come home is reported", "[runtime]") {
  int a = 1;
  int b = 2;
  Move swapped[] = {{&a, &b, sizeof a}, {&b, &a, sizeof b}};
  const auto fails = [](void*, const void*, std::size_t) { return false; };
  CHECK(!MoveHome(swapped, 2, fails, [](std::size_t) -> void* { return nullptr; }));
  int c = 0;
  CHECK(!MoveHome(swapped, 2, fails, [&](std::size_t) -> void* { return &c; }));
  CHECK(a == 1);
  CHECK(b == 2);
}

/// Every point of the shape is in exactly one slab, or in the box.
void CheckOutside(const Shape& shape, const Box& box) {
  const Outside outside(shape, box);
  const auto inside = [&](const Box& b, long long point) {
    bool in = true;
    for (int d = stencilgen::kDimensions; d-- > 0; point /= shape.extent[d]) {
      const long long at = point % shape.extent[d];
      in = in && b.range[d].lo <= at && at <= b.range[d].hi;
    }
    return in;
  };
  const auto count = static_cast<long long>(shape.Bytes(1));
  long long points = 0;
  for (long long point = 0; point < count; ++point) {
    int times = 0;
    for (const Box& slab : outside.slab) times += inside(slab, point) ? 1 : 0;
    CHECK(times == (inside(box, point) ? 0 : 1));
    points += times;
  }
  long long sizes = 0;
  for (const Box& slab : outside.slab) sizes += slab.size();
  CHECK(sizes == points);
}

TEST_CASE("two slabs a dimension are all that lies outside a box", "[runtime]") {
  const Range ranges[] = {{0, 3}, {1, 2}, {0, 0}, {3, 3}, {2, 1}, {-4, 9}, {5, 7}, {-3, -1}};
  for (const Range& z : ranges) {
    for (const Range& y : ranges) {
      CheckOutside(Shape(4, 4, 3), Box(z, y, Range{1, 1}));
      CheckOutside(Shape(4, 2, 4, 3), Box(z, Range{1, 1}, y, Range{0, 2}));
      CheckOutside(Shape(4, 4), Box(z, y));
    }
    CheckOutside(Shape(4), Box(z));
  }
  CheckOutside(Shape(0), Box(Range{0, -1}));
  CheckOutside(Shape(-2, 3), Box(Range{0, -3}, Range{0, 2}));
}

TEST_CASE("sizes of arrays do not overflow", "[runtime]") {
  CHECK(Shape(3, 4, 5).Bytes(8) == 480);
  CHECK(Shape(-1, 1LL << 62).Bytes(8) == 0);
  CHECK(Shape(-1, 1LL << 62).Fits(8));
  CHECK(Shape(1 << 20, 1 << 20, 1 << 20).Fits(4));
  CHECK(!Shape(1 << 20, 1 << 20, 1 << 20).Fits(8));
  CHECK(!Shape(std::numeric_limits<long long>::max(), 3).Fits(1));
}

TEST_CASE("boundary modes, by hand", "[runtime]") {
  // -5 .. 7 of 0 1 2
  const std::vector<int> clamp = {0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2};
  const std::vector<int> wrap = {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1};
  const std::vector<int> mirror = {1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1};
  const std::vector<int> mirror101 = {1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1};
  for (int x = -5; x <= 7; ++x) {
    const auto k = static_cast<std::size_t>(x + 5);
    CHECK(ClampIndex(x, 3LL) == clamp[k]);
    CHECK(WrapIndex(static_cast<long long>(x), 3) == wrap[k]);
    CHECK(MirrorIndex(x, 3) == mirror[k]);
    CHECK(IsInside(x, 3LL) == (x == 0 || x == 1 || x == 2));
    CHECK(ClampIndex(x, 1) == 0);
    CHECK(WrapIndex(x, 1) == 0);
    CHECK(MirrorIndex(x, 1) == 0);
    CHECK(Mirror101Index(x, 3LL) == mirror101[k]);
    CHECK(Mirror101Index(x, 2) == (x % 2 == 0 ? 0 : 1));
    CHECK(Mirror101Index(x, 1) == 0);
  }
}

TEST_CASE("fast quotients are exact on the host", "[runtime]") {
  CHECK(FastDivide(7.0F, 3.0F) == 7.0F / 3.0F);
  CHECK(ReciprocalRoot(4.0) == 0.5);
  CHECK(ReciprocalRoot(0.25F) == 2.0F);
  CHECK(std::isinf(ReciprocalRoot(0.0)));
}

TEST_CASE("integer arithmetic is defined for all operands", "[runtime]") {
  CHECK(SafeDivide(7, 0) == 0);
  CHECK(SafeDivide(-7, 2) == -3);
  CHECK(SafeDivide(INT_MIN, -1) == INT_MIN);
  CHECK(SafeModulo(7, 0) == 0);
  CHECK(SafeModulo(-7, 3) == -1);
  CHECK(SafeModulo(INT_MIN, -1) == 0);
  CHECK(Abs(-3) == 3);
  CHECK(Abs(INT_MIN) == INT_MIN);
  CHECK(ToInt(-2.9) == -2);
  CHECK(ToInt(1e10F) == INT_MAX);
  CHECK(ToInt(-1e300) == INT_MIN);
  CHECK(ToInt(std::nan("")) == 0);
  CHECK(IntPower<0>(0.0) == 1.0);
  CHECK(IntPower<3>(-2) == -8);
  CHECK(IntPower<31>(2) == INT_MIN);
  CHECK(IntPower<2>(1.5F) == 2.25F);
  CHECK(CeilDiv(-7, 2) == -3);
  CHECK(CeilDiv(7, 2) == 4);
  CHECK(FloorDiv(-7, 2) == -4);
  CHECK(FloorDiv(6, 2) == 3);
}

TEST_CASE("min and max take the first operand unless the second is beyond it", "[runtime]") {
  const double nan = std::nan("");
  CHECK(Min(2.0, 1.0) == 1.0);
  CHECK(Max(2.0F, 1.0F) == 2.0F);
  CHECK(Min(1.0, nan) == 1.0);
  CHECK(std::isnan(Min(nan, 1.0)));
  CHECK(std::isnan(Max(nan, 1.0)));
  CHECK(std::signbit(Min(-0.0, 0.0)));
  CHECK(!std::signbit(Max(0.0, -0.0)));
}

TEST_CASE("the first failure stands, however long its text", "[runtime]") {
  ErrorText error;
  CHECK(error.status() == 0);
  CHECK(!error.Fail(kOutOfMemory, "%s", std::string(1000, 'x').c_str()));
  CHECK(!error.Fail(kBadArgument, "second"));
  CHECK(error.status() == kOutOfMemory);
  CHECK(std::strlen(error.text()) == 255);
  error.Clear();
  CHECK(error.status() == 0);
  CHECK(std::strlen(error.text()) == 0);
}

}  // namespace
}  // namespace stencilgen
