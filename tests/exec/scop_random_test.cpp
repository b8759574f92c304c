// Random regions of C: what stencilgen makes of them computes the same bits as gcc without
// optimisation, on both targets and under random schedules and tiles; planted dependences are
// named, where no loop around array assignments keeps them. STENCILGEN_RANDOM_REGIONS=300 takes
// more of them than usual, STENCILGEN_RANDOM_SEED=7 others; STENCILGEN_RANDOM_KEEP=FOLDER keeps the
// files.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "embedded_build.h"
#include "support/c_nest_generator.h"
#include "support/schedule_generator.h"

using namespace stencilgen::test;
using stencilgen::testing::CRegion;
using stencilgen::testing::Prng;
namespace fs = std::filesystem;

namespace {

/// So many regions share a file, whose compilation takes longer than its execution.
constexpr int kRegionsPerFile = 10;

int FromEnvironment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::atoi(text);
}

std::string CheckHeader() {
  std::ifstream file(fs::path(STENCILGEN_SOURCE_DIR) / "tests/exec/scop/check.h", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A program that prints a line for each region.
std::string ProgramOf(const std::vector<CRegion>& regions) {
  std::string text = "#include <math.h>\n#include \"check.h\"\n\n";
  for (const CRegion& region : regions) text += region.code + "\n";
  text += "int main(void) {\n";
  for (const CRegion& region : regions) {
    text += "  check_sum = 1;\n" + region.run + "  PRINT();\n";
  }
  return text + "  return 0;\n}\n";
}

/// What the program prints, translated for a target and compiled with more flags.
std::string Generated(const Workplace& work, EmbeddedTarget target, const std::string& options,
                      const std::string& more) {
  const std::string output = target == EmbeddedTarget::Cpp ? "cpp" : "cuda";
  const std::string code = target == EmbeddedTarget::Cpp ? "app.gen.cpp" : "app.gen.cu";
  // Options that a program cannot follow draw notes.
  const CliResult translated = work.Run(
      fmt::format("app.c -o {} --no-standalone --fp strict --max-errors 0{}", code, options));
  INFO(translated.err);
  REQUIRE(translated.status == 0);
  const auto compiled = Shell(
      work, ProgramCommand(target, code,
                           fmt::format("{} -fopenmp -ffp-contract=off -frounding-math -w {} -o {}",
                                       LevelOf(target), more, output)));
  INFO(compiled.output);
  REQUIRE(compiled.status == 0);
  const auto run = Shell(work, "./" + output);
  INFO(run.output);
  CHECK(run.status == 0);
  return run.output;
}

/// The iterators of the program that a region becomes, outermost first; none where it is refused.
std::vector<std::string> IteratorsOf(const CRegion& region) {
  const Workplace work;
  work.Write("app.c", "#include <math.h>\n" + region.code);
  std::istringstream lines(work.Run("app.c --emit idsl").out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("iterator ", 0) != 0) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line.substr(9, line.find(';') - 9));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

/// The region, mostly with a schedule before it.
CRegion WithSchedule(CRegion region, Prng& prng) {
  if (prng.Percent(25)) return region;
  const std::vector<std::string> iterators = IteratorsOf(region);
  if (iterators.empty()) return region;
  const auto schedule =
      stencilgen::testing::RandomSchedule(&prng, static_cast<int>(iterators.size()));
  const std::size_t at = region.code.find("#pragma scop");
  region.code.insert(at, fmt::format("#pragma stencilgen {}\n",
                                     stencilgen::testing::BlockArguments(schedule, iterators)));
  return region;
}

/// What decides in which tiles loop nests run on a CPU: options, and how large caches are said to
/// be, beyond which time steps run in tiles.
struct CpuTiles {
  std::string options, flags;
};

CpuTiles RandomTiles(const std::vector<CRegion>& regions, Prng& prng) {
  CpuTiles tiles;
  // Loop nests in time tiles depend on how many threads share them.
  if (const int threads = prng.Below(4); threads > 0) {
    tiles.options += fmt::format(" --threads {}", threads);
  }
  if (prng.Percent(75)) {
    tiles.flags = fmt::format("-DSTENCILGEN_CACHE_BYTES={} -DSTENCILGEN_CORE_CACHE_BYTES={}",
                              1 << prng.Below(15), 1 << prng.Below(13));
  }
  if (prng.Percent(40)) return tiles;
  // A tile along an iterator that all regions have, where there is one.
  std::vector<std::string> common = IteratorsOf(regions[0]);
  if (!common.empty()) common.erase(common.begin());
  for (const CRegion& region : regions) {
    const std::vector<std::string> iterators = IteratorsOf(region);
    std::erase_if(common, [&](const std::string& name) {
      return std::find(iterators.begin(), iterators.end(), name) == iterators.end() ||
             name == iterators.front();
    });
  }
  if (!common.empty()) {
    tiles.options += fmt::format(" --tile {}={}", prng.Pick(common), prng.Range(1, 40));
  }
  return tiles;
}

/// What the regions become computes what their code does, on both targets.
void CheckRegions(const std::vector<CRegion>& regions, const std::string& name) {
  const Workplace work;
  const std::string program = ProgramOf(regions);
  INFO(program);
  work.Write("app.c", program);
  if (const char* folder = std::getenv("STENCILGEN_RANDOM_KEEP")) {
    std::ofstream(fs::path(folder) / (name + ".c")) << program;
  }
  work.Write("check.h", CheckHeader());
  const auto compiled =
      Shell(work, "gcc -O0 -ffp-contract=off -Wno-unknown-pragmas app.c -o plain -lm");
  INFO(compiled.output);
  REQUIRE(compiled.status == 0);
  const std::string expected = Shell(work, "./plain").output;
  Prng prng(stencilgen::testing::HashName(name));
  const CpuTiles tiles = RandomTiles(regions, prng);
  INFO(tiles.options << " " << tiles.flags);
  CHECK(Generated(work, EmbeddedTarget::Cpp, tiles.options, tiles.flags) == expected);
  CHECK(Generated(work, EmbeddedTarget::Emulator, "", "") == expected);
}

}  // namespace

TEST_CASE("random regions compute what their code computes") {
  const int files =
      (FromEnvironment("STENCILGEN_RANDOM_REGIONS", 30) + kRegionsPerFile - 1) / kRegionsPerFile;
  const int seed = FromEnvironment("STENCILGEN_RANDOM_SEED", 1);
  for (int file = 0; file < files; ++file) {
    Prng prng(static_cast<std::uint64_t>(seed) * 1000003 + static_cast<std::uint64_t>(file));
    std::vector<CRegion> regions;
    for (int k = 0; k < kRegionsPerFile; ++k) {
      regions.push_back(WithSchedule(stencilgen::testing::RandomRegion(prng, k), prng));
    }
    CheckRegions(regions, fmt::format("{}_{}", seed, file));
  }
}

TEST_CASE("random regions whose conditions leave out edges compute what their code computes") {
  const int files = (FromEnvironment("STENCILGEN_RANDOM_REGIONS", 30) + 14) / 15;
  const int seed = FromEnvironment("STENCILGEN_RANDOM_SEED", 1);
  for (int file = 0; file < files; ++file) {
    Prng prng(static_cast<std::uint64_t>(seed) * 1000003 + 250000 +
              static_cast<std::uint64_t>(file));
    std::vector<CRegion> regions;
    for (int k = 0; k < kRegionsPerFile; ++k) {
      regions.push_back(stencilgen::testing::RandomEdgeRegion(prng, k));
    }
    CheckRegions(regions, fmt::format("{}_edges_{}", seed, file));
  }
}

TEST_CASE("planted dependences of random regions are named, or their loops stay") {
  const int count = FromEnvironment("STENCILGEN_RANDOM_REGIONS", 30) * 2;
  const int seed = FromEnvironment("STENCILGEN_RANDOM_SEED", 1);
  int refused = 0;
  std::vector<CRegion> kept;  // those that a loop around array assignments computes
  const auto check_kept = [&](int k) {
    if (!kept.empty()) CheckRegions(kept, fmt::format("{}_kept_{}", seed, k));
    kept.clear();
  };
  for (int k = 0; k < count; ++k) {
    Prng prng(static_cast<std::uint64_t>(seed) * 1000003 + 500000 + static_cast<std::uint64_t>(k));
    const CRegion region = stencilgen::testing::RandomRefusedRegion(prng, k);
    const Workplace work;
    INFO(region.code);
    work.Write("app.c", "#include <math.h>\n" + region.code);
    const CliResult result = work.Run("app.c --emit idsl --max-errors 0");
    INFO(result.err);
    if (result.status == 0) {
      CHECK(region.rank > 1);
      kept.push_back(region);
      if (kept.size() == kRegionsPerFile) check_kept(k);
      continue;
    }
    CHECK(result.status == 1);
    ++refused;
    std::istringstream lines(result.err);
    bool named = false;
    const std::string place = fmt::format("app.c:{}:", region.line + 1);
    for (std::string line; std::getline(lines, line);) {
      named = named || (line.rfind(place, 0) == 0 && Contains(line, "error: " + region.refused));
    }
    INFO("expected at line " << region.line << ": " << region.refused);
    CHECK(named);
  }
  check_kept(count);
  CHECK(refused >= count / 5);
}
