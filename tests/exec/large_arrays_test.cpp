// Arrays of more than 2^31 elements, and of more than 2^32. They are reserved and not filled: the
// calls are over the last of their points, so that a few pages of them are ever there.
#include <string>

#include "embedded_build.h"

using namespace stencilgen::test;

namespace {

/// A program whose array `v` becomes, at the last points of each dimension, the sum of the
/// neighbours' sums in `u`. `steps`: two in one kernel, or one.
std::string Program(int rank, int steps) {
  static constexpr const char* kIterators[] = {"k", "j", "i"};
  static constexpr const char* kSizes[] = {"L", "M", "N"};
  std::string iterators, sizes, domain, centre;
  std::string sum[2];
  for (int d = 3 - rank; d < 3; ++d) {
    const char* comma = d > 3 - rank ? ", " : "";
    iterators += fmt::format("{}{}", comma, kIterators[d]);
    sizes += fmt::format("{}{}", comma, kSizes[d]);
    domain += fmt::format("[{0}-{1}:{0}-1]", kSizes[d], d == 2 ? 200 : 7);
    centre += fmt::format("[{}]", kIterators[d]);
    for (const char* offset : {"-1", "+1"}) {
      std::string at;
      for (int e = 3 - rank; e < 3; ++e) {
        at += fmt::format("[{}{}]", kIterators[e], e == d ? offset : "");
      }
      for (int s : {0, 1})
        sum[s] += fmt::format("{}{}{}", sum[s].empty() ? "" : " + ", "At"[s], at);
    }
  }
  const std::string two = fmt::format("  float t[{}];\n  t{} = {};\n  B{} = {};\n", sizes, centre,
                                      sum[0], centre, sum[1]);
  const std::string one = fmt::format("  B{} = {};\n", centre, sum[0]);
  return fmt::format(
      "parameter {1};\niterator {0};\nfloat u[{1}], v[{1}];\ncopyin u, v;\n"
      "stencil s (A, B) {{\n{2}}}\n{3} : s (u, v);\ncopyout v;\n",
      iterators, sizes, steps == 2 ? two : one, domain);
}

/// Calls the program and compares; ends with status 0 where all is as it should be.
constexpr const char* kApp = R"(#include GENERATED
#include <sys/mman.h>
#include <cstdio>

// Extents, filled up with ones in front; what is called is CALL(u, v).
constexpr long long kExtent[3] = {EXTENTS};

static float* Reserve() {
  const std::size_t bytes = sizeof(float) * kExtent[0] * kExtent[1] * kExtent[2];
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::puts("the machine reserves no memory of that size");
    std::exit(77);
  }
#ifdef STENCILGEN_EMULATOR
  stencilgen::emulator::heap.Adopt(memory, bytes);
#endif
  return static_cast<float*>(memory);
}
static long long At(long long z, long long y, long long x) {
  return (z * kExtent[1] + y) * kExtent[2] + x;
}
static long long First(int d, long long points) {
  return kExtent[d] > points ? kExtent[d] - points : 0;
}
/// What is in u, 0 outside of the points that a result can depend on.
static float Start(long long z, long long y, long long x) {
  return static_cast<float>((7 * z + 5 * y + 3 * x) % 11);
}
static float Sum(long long z, long long y, long long x, int steps) {
  if (steps == 0) return Start(z, y, x);
  float sum = 0;
  for (int d = 0; d < 3; ++d) {
    if (kExtent[d] == 1) continue;
    for (int o = -1; o <= 1; o += 2) {
      sum += Sum(z + (d == 0) * o, y + (d == 1) * o, x + (d == 2) * o, steps - 1);
    }
  }
  return sum;
}

int main() {
  float* u = Reserve();
  float* v = Reserve();
  const auto visit = [](long long margin, auto visitor) {
    for (long long z = First(0, 7 + margin); z < kExtent[0]; ++z) {
      for (long long y = First(1, 7 + margin); y < kExtent[1]; ++y) {
        for (long long x = First(2, 200 + margin); x < kExtent[2]; ++x) visitor(z, y, x);
      }
    }
  };
  visit(3, [&](long long z, long long y, long long x) {
    u[At(z, y, x)] = Start(z, y, x);
    v[At(z, y, x)] = -1;
  });
  if (CALL != 0) {
    std::puts(ERROR());
    return 1;
  }
  long long written = 0, wrong = 0;
  visit(3, [&](long long z, long long y, long long x) {
    const long long point[3] = {z, y, x};
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      if (kExtent[d] == 1) continue;
      // The first step reads its neighbours, the second those that the first has written.
      const long long call = First(d, d == 2 ? 200 : 7);
      const long long first = call == 0 ? STEPS : call + STEPS - 1;
      inside = inside && point[d] >= first && point[d] < kExtent[d] - STEPS;
    }
    written += inside;
    wrong += v[At(z, y, x)] != (inside ? Sum(z, y, x, STEPS) : -1.0F);
  });
  std::printf("%lld written, %lld wrong\n", written, wrong);
  return written > 100 && wrong == 0 ? 0 : 1;
}
)";

struct Sizes {
  int rank;
  std::string extents, arguments;
};
const Sizes kLine{1, "1, 1, 2147483647", "2147483647"};
const Sizes kSquare{2, "1, 50000, 50000", "50000, 50000"};
const Sizes kLong{2, "1, 1000000000, 30", "1000000000, 30"};
const Sizes kCube{3, "2000, 1900, 1800", "2000, 1900, 1800"};

void Check(EmbeddedTarget target, const Sizes& sizes, int steps, const std::string& options) {
  INFO(sizes.extents << ", " << steps << " steps, " << options);
  const Workplace work;
  const bool cpp = target == EmbeddedTarget::Cpp;
  const std::string generated = cpp ? "big.cpp" : "big.cu";
  work.Write("big.idsl", Program(sizes.rank, steps));
  work.Write("app.cpp", kApp);
  const CliResult translated = work.Run(fmt::format("big.idsl -o {} --no-standalone {} {}",
                                                    generated, cpp ? "--target cpp" : "", options));
  INFO(translated.err);
  REQUIRE(translated.status == 0);
  const std::string call = cpp ? fmt::format("big(u, v, {})", sizes.arguments)
                               : fmt::format("big_device(u, v, {}, nullptr)", sizes.arguments);
  const std::string flags = fmt::format(
      "-O1 '-DGENERATED=\"{}\"' '-DEXTENTS={}' '-DCALL={}' -DERROR=big_error -DSTEPS={}", generated,
      sizes.extents, call, steps);
  const auto result = Shell(work, CompileCommand(target, "app.cpp", flags + " -o app"));
  INFO(result.output);
  REQUIRE(result.status == 0);
  const auto run = Shell(work, "./app");
  INFO(run.output);
  CHECK(run.status == 0);
}

}  // namespace

TEST_CASE("arrays of more than 2^31 elements on the C++ target") {
  Check(EmbeddedTarget::Cpp, kLine, 1, "");
  Check(EmbeddedTarget::Cpp, kSquare, 1, "");
  Check(EmbeddedTarget::Cpp, kLong, 1, "");
  Check(EmbeddedTarget::Cpp, kCube, 1, "");
  Check(EmbeddedTarget::Cpp, kCube, 1, "--reorder none --unroll j=2 --fp strict");
  Check(EmbeddedTarget::Cpp, kSquare, 1, "-D M=50000,N=50000");
}

TEST_CASE("arrays of more than 2^31 elements on the CUDA target") {
  Check(EmbeddedTarget::Emulator, kLine, 2, "");
  Check(EmbeddedTarget::Emulator, kSquare, 1, "--shared-mem false");
  Check(EmbeddedTarget::Emulator, kSquare, 2, "--fusion max");
  Check(EmbeddedTarget::Emulator, kSquare, 2, "-D M=50000,N=50000 --fusion max --stream j");
  Check(EmbeddedTarget::Emulator, kLong, 1, "");
  Check(EmbeddedTarget::Emulator, kCube, 2,
        "--fusion max --shared-mem true --concurrent-stream k:4 --blockdim x=32,y=8");
  Check(EmbeddedTarget::Emulator, kCube, 1, "--shared-mem false --reorder lars");
}
