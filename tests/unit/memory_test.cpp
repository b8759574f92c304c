// The runtime's memory: where arrays lie, what is kept between calls, and copies in parallel.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

// Longer copies go past the caches.
#define STENCILGEN_CACHE_BYTES (std::size_t{1} << 19)

#include "stencilgen/array.hpp"
#include "stencilgen/cpp.hpp"
#include "stencilgen/resident_cpp.hpp"
#include "support/catch.h"

namespace stencilgen {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

std::uintptr_t Address(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

TEST_CASE("large arrays begin with a large page, small ones with a line", "[memory]") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, kMegabyte}) {
    void* memory = AllocateArray(bytes);
    REQUIRE(memory != nullptr);
    CHECK(Address(memory) % 64 == 0);
    std::memset(memory, 1, bytes);
    FreeArray(memory);
  }
  for (const std::size_t bytes : {4 * kMegabyte, 4 * kMegabyte + 1, 9 * kMegabyte + 77}) {
    void* memory = AllocateArray(bytes);
    REQUIRE(memory != nullptr);
    CHECK(Address(memory) % (2 * kMegabyte) == 0);
    std::memset(memory, 1, bytes);
    std::free(memory);
  }
  CHECK(AllocateArray(SIZE_MAX) == nullptr);
  CHECK(AllocateArray(SIZE_MAX - 4096) == nullptr);
  FreeArray(nullptr);
}

TEST_CASE("lines are stored past caches where arrays are larger", "[memory]") {
  CHECK_FALSE(PastCaches(1000));
  CHECK(PastCaches((std::int64_t{1} << 19) + 1));
  Array<float> a(100, -1.0F);
  CHECK(ElementsToLine(a.data()) == 0);
  CHECK(ElementsToLine(a.data() + 1) == 15);
  CHECK(ElementsToLine(a.data() + 15) == 1);
  CHECK(ElementsToLine(reinterpret_cast<const double*>(a.data() + 18)) == 7);
  constexpr int kOfVector = kVectorBytes / sizeof(float);
  CHECK(ElementsToVector(a.data() + kOfVector) == 0);
  CHECK(ElementsToVector(a.data() + kOfVector + 1) == kOfVector - 1);
  float line[16];
  std::iota(line, line + 16, 0.0F);
  StoreVector(a.data(), 32, line);
  FenceStores();
  for (int k = 0; k < 100; ++k) {
    CHECK(a[k] == (k < 32 || k >= 48 ? -1.0F : static_cast<float>(k - 32)));
  }
}

TEST_CASE("an array owns its elements", "[memory]") {
  Array<double> a(100'000, 2.5);
  CHECK(a.size() == 100'000);
  CHECK(std::accumulate(a.begin(), a.end(), 0.0) == 250'000);
  a[7] = 3;
  const double* const memory = a.data();
  Array<double> b(std::move(a));
  CHECK(b.data() == memory);
  CHECK(b[7] == 3);
  Array<double> c;
  CHECK(c.empty());
  c = std::move(b);
  CHECK(c.data() == memory);
  CHECK(Array<float>(std::size_t{0}).empty());
  CHECK_THROWS_AS(Array<double>(SIZE_MAX / 4), std::bad_alloc);
}

/// Empties the pool, and afterwards again.
class CleanPool {
 public:
  CleanPool() { KeepScratch(0); }
  CleanPool(const CleanPool&) = delete;
  CleanPool& operator=(const CleanPool&) = delete;
  ~CleanPool() { KeepScratch(0); }
  ScratchPool& operator*() const { return ScratchPool::OfThread(); }
  ScratchPool* operator->() const { return &ScratchPool::OfThread(); }
};

TEST_CASE("the next call gets the memory of the last one", "[memory]") {
  const CleanPool pool;
  KeepScratch(100 * kMegabyte);
  ErrorText error;
  const void* first = nullptr;
  {
    HostMemory<2> memory(error);
    first = memory.AllocateBytes(8 * kMegabyte, "a");
    CHECK(memory.AllocateBytes(8 * kMegabyte, "b") != first);
    CHECK(pool->kept() == 0);
  }
  const std::size_t kept = pool->kept();
  CHECK(kept >= 16 * kMegabyte);
  CHECK(kept < 17 * kMegabyte);
  {
    HostMemory<2> memory(error);
    const void* again = memory.AllocateBytes(7 * kMegabyte, "a");
    CHECK(pool->kept() == kept / 2);
    CHECK(again == first);
  }
  CHECK(pool->kept() == kept);
  KeepScratch(kept / 2);
  CHECK(pool->kept() == kept / 2);
}

TEST_CASE("scratch arrays are aligned like the caller's, at other places of a page", "[memory]") {
  const CleanPool pool;
  ErrorText error;
  constexpr int kArrays = 5;
  constexpr std::size_t kPage = 4096;
  Array<char> callers(3 * kPage);
  for (const std::size_t first : {std::size_t{0}, std::size_t{16}, std::size_t{48}, kPage - 16}) {
    for (const std::size_t bytes : {std::size_t{100}, 5 * kMegabyte}) {
      const char* const beside = callers.data() + first;
      HostMemory<kArrays> memory(error, beside);
      std::vector<std::uintptr_t> places = {Address(beside) % kPage};
      for (int k = 0; k < kArrays; ++k) {
        void* const array = memory.AllocateBytes(bytes, "a");
        REQUIRE(array != nullptr);
        std::memset(array, 1, bytes);
        CHECK(Address(array) % kLineBytes == Address(beside) % kLineBytes);
        const std::uintptr_t place = Address(array) % kPage;
        for (const std::uintptr_t other : places) {
          const std::uintptr_t apart = place < other ? other - place : place - other;
          CHECK(std::min(apart, kPage - apart) >= kPage / (kArrays + 1) - kLineBytes);
        }
        places.push_back(place);
      }
    }
  }
  HostMemory<1> memory(error, callers.data() + 4);
  CHECK(Address(memory.AllocateBytes(800, "doubles beside floats")) % alignof(double) == 0);
}

TEST_CASE("a pool keeps what fits its limit and is worth it", "[memory]") {
  const CleanPool pool;
  KeepScratch(10 * kMegabyte);
  const auto take = [&](std::size_t bytes) {
    const Block block = pool->Take(bytes);
    REQUIRE(block.memory != nullptr);
    CHECK(block.bytes >= bytes);
    return block;
  };
  // Beyond the limit, and too small to be worth it.
  pool->Give(take(11 * kMegabyte));
  pool->Give(take(1000));
  CHECK(pool->kept() == 0);
  // What has been there longest makes room.
  const Block one = take(3 * kMegabyte);
  const Block two = take(4 * kMegabyte);
  const Block three = take(5 * kMegabyte);
  pool->Give(one);
  pool->Give(two);
  CHECK(pool->kept() == 7 * kMegabyte);
  pool->Give(three);
  CHECK(pool->kept() == 9 * kMegabyte);
  // The smallest that is large enough, but none of more than twice the size.
  const Block small = take(kMegabyte);
  CHECK(small.bytes == kMegabyte);
  const Block best = take(4 * kMegabyte - 5);
  CHECK(best.memory == two.memory);
  CHECK(pool->kept() == 5 * kMegabyte);
  pool->Give(small);
  pool->Give(best);
  CHECK(pool->kept() == 10 * kMegabyte);
  // No more blocks than it has places for.
  std::vector<Block> many;
  many.reserve(100);
  for (int k = 0; k < 100; ++k) many.push_back(take(kMegabyte / 8));
  KeepScratch(100 * kMegabyte);
  for (const Block& block : many) pool->Give(block);
  CHECK(pool->kept() == 8 * kMegabyte);
}

TEST_CASE("memory that nobody has is refused, and what is kept is given up for it", "[memory]") {
  const CleanPool pool;
  KeepScratch(100 * kMegabyte);
  pool->Give(pool->Take(kMegabyte));
  ErrorText error;
  HostMemory<1> memory(error);
  CHECK(memory.AllocateBytes(SIZE_MAX / 2, "a") == nullptr);
  CHECK(error.status() == kOutOfMemory);
  CHECK(pool->kept() == 0);
}

/// A call in the destructor of a thread's object: before the pool has been closed, or after.
struct LateCall {
  bool* kept = nullptr;
  ~LateCall() {
    ScratchPool& pool = ScratchPool::OfThread();
    pool.Give(pool.Take(kMegabyte));
    *kept = pool.kept() > 0;
  }
};

TEST_CASE("threads have pools of their own, which end with them", "[memory]") {
  const CleanPool pool;
  bool kept = true;
  std::size_t own = 0;
  const ScratchPool* const ours = &*pool;
  std::thread([&] {
    static thread_local LateCall late;  // destroyed after the pool, which is used later
    late.kept = &kept;
    ScratchPool& mine = ScratchPool::OfThread();
    CHECK(&mine != ours);
    mine.Give(mine.Take(5 * kMegabyte));
    own = mine.kept();
  }).join();
  CHECK(own == 5 * kMegabyte);
  CHECK(!kept);
  CHECK(pool->kept() == 0);
}

/// The border of a target that was -1, element by element.
void CheckBorder(const Shape& shape, const Box& box) {
  const std::size_t size = shape.Bytes(1);
  std::vector<double> source(size);
  std::iota(source.begin(), source.end(), 0.0);
  std::vector<double> target(size, -1.0);
  CopyOutside(target.data(), source.data(), shape, box);
  std::vector<double> expected(size, -1.0);
  for (std::size_t at = 0; at < size; ++at) {
    bool inside = true;
    auto rest = static_cast<long long>(at);
    for (int d = stencilgen::kDimensions; d-- > 0; rest /= shape.extent[d]) {
      const long long n = rest % shape.extent[d];
      inside = inside && box.range[d].lo <= n && n <= box.range[d].hi;
    }
    if (!inside) expected[at] = source[at];
  }
  CHECK(target == expected);
}

TEST_CASE("what lies outside of a box is copied, and nothing else", "[memory]") {
  const Range ranges[] = {{0, 3}, {1, 2}, {0, 0}, {3, 3}, {2, 1}, {-4, 9}, {5, 7}, {-3, -1}};
  for (const Range& z : ranges) {
    for (const Range& y : ranges) {
      for (const Range& x : ranges) CheckBorder(Shape(4, 4, 4), Box(z, y, x));
      CheckBorder(Shape(4, 3), Box(z, y));
      CheckBorder(Shape(4, 3, 2, 4), Box(z, Range{1, 2}, Range{0, 0}, y));
    }
    CheckBorder(Shape(4), Box(z));
  }
  // In parallel.
  CheckBorder(Shape(66, 71, 75), Box(Range{1, 63}, Range{2, 68}, Range{1, 73}));
  CheckBorder(Shape(601, 503), Box(Range{4, 299}, Range{0, 501}));
  CheckBorder(Shape(300'000), Box(Range{1, 299'990}));
  double untouched = 7;
  CopyOutside(&untouched, &untouched, Shape(-2, -3, 4), Box(Range{0, -3}, Range{}, Range{0, 2}));
  CHECK(untouched == 7);
}

TEST_CASE("bytes are copied whatever their number", "[memory]") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65536},
                                  std::size_t{65537}, kMegabyte / 2, 3 * kMegabyte + 13}) {
    std::vector<unsigned char> from(bytes);
    for (std::size_t k = 0; k < bytes; ++k) from[k] = static_cast<unsigned char>(k * k % 251);
    std::vector<unsigned char> to(bytes + 1, 9);
    CopyBytes(to.data(), from.data(), bytes);
    CHECK(to.back() == 9);
    to.pop_back();
    CHECK(to == from);
  }
  // Wherever they begin.
  for (std::size_t at = 0; at < 20; ++at) {
    std::vector<unsigned char> from(kMegabyte);
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<unsigned char>(k % 251);
    std::vector<unsigned char> to(kMegabyte, 9);
    const std::size_t count = kMegabyte - 2 * at - (at < 3 ? 3 : 0);
    CopyBytes(to.data() + at, from.data() + 3, count);
    CHECK(std::count(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(at), 9) ==
          static_cast<std::ptrdiff_t>(at));
    CHECK(std::memcmp(to.data() + at, from.data() + 3, count) == 0);
    const auto after = to.begin() + static_cast<std::ptrdiff_t>(at + count);
    CHECK(std::count(after, to.end(), 9) == to.end() - after);
  }
}

/// Arrays that keep their memory, one of them shared with the application, and where the results of
/// a run are.
struct Kept {
  explicit Kept(int shared = -1) {
    for (const char* name : {"a", "b", "c"}) {
      REQUIRE(arrays.Add<double>(error, name, 1, Shape(10), true));
    }
    if (shared >= 0) arrays.arrays()[shared].Share();
    for (int k = 0; k < 3; ++k) arrays.Get<double>(k)[0] = k;
  }
  /// What arrays 0, 1, ... hold after a run that leaves the contents of array k in the memory of
  /// from[k]. Returns how many copies that takes.
  int Run(const std::vector<int>& from) {
    std::vector<Move> moves;
    std::vector<int> numbers;
    for (std::size_t k = 0; k < from.size(); ++k) {
      numbers.push_back(static_cast<int>(k));
      moves.push_back({arrays.Get<double>(static_cast<int>(k)), arrays.Get<double>(from[k]), 80});
    }
    const int count = static_cast<int>(from.size());
    std::vector<void*> before;
    for (int k = 0; k < 3; ++k) before.push_back(arrays.Get<double>(k));
    for (int k = count; k < 3; ++k) numbers.push_back(k);
    arrays.TakeOver(moves.data(), count, numbers.data(), 3);
    for (int k = 0; k < 3; ++k) {
      if (arrays.arrays()[k].IsOpen())
        CHECK(arrays.Get<double>(k) == before[static_cast<std::size_t>(k)]);
    }
    int copies = 0;
    double aside[10];
    const auto copy = [&](void* to, const void* source, std::size_t bytes) {
      ++copies;
      std::memcpy(to, source, bytes);
      return true;
    };
    CHECK(MoveHome(moves.data(), count, copy, [&](std::size_t) { return aside; }));
    for (std::size_t k = 0; k < from.size(); ++k) {
      CHECK(arrays.Get<double>(static_cast<int>(k))[0] == from[k]);
    }
    return copies;
  }

  ErrorText error;
  HostArrays<3> arrays;
};

TEST_CASE("arrays take the memory that their results are in", "[memory]") {
  std::vector<int> from = {0, 1, 2};
  do {
    CHECK(Kept().Run(from) == 0);
    // Who shares its memory keeps it.
    for (int shared = 0; shared < 3; ++shared) Kept(shared).Run(from);
  } while (std::next_permutation(from.begin(), from.end()));
  CHECK(Kept().Run({2}) == 0);
  CHECK(Kept(0).Run({2}) == 1);
  CHECK(Kept(2).Run({2}) == 1);
  CHECK(Kept(1).Run({2}) == 0);
  // The same contents for two.
  CHECK(Kept().Run({2, 2}) == 1);
  CHECK(Kept().Run({0, 0}) == 1);
}

TEST_CASE("who may have changed an array is known", "[memory]") {
  Kept kept;
  const std::vector<double> numbers(10, 1.0);
  ResidentArray& a = kept.arrays.arrays()[0];
  CHECK(!kept.arrays.IsAsLeft(0));
  kept.arrays.Leave(0);
  CHECK(kept.arrays.IsAsLeft(0));
  CHECK(kept.arrays.Upload(kept.error, &a, numbers.data(), nullptr));
  CHECK(!kept.arrays.IsAsLeft(0));
  kept.arrays.Leave(0);
  std::vector<double> theirs(10);
  a.Bind(theirs.data());
  CHECK(!kept.arrays.IsAsLeft(0));
  kept.arrays.Leave(0);
  CHECK(!kept.arrays.IsAsLeft(0));
  CHECK(a.Share() == theirs.data());
  a.Bind(nullptr);
  CHECK(!a.is_defined);
  CHECK(!kept.arrays.IsAsLeft(0));
  kept.arrays.Leave(0);
  CHECK(kept.arrays.IsAsLeft(0));
  a.Share();
  CHECK(!kept.arrays.IsAsLeft(0));
  kept.arrays.Leave(0);
  CHECK(!kept.arrays.IsAsLeft(0));
}

}  // namespace
}  // namespace stencilgen
