// The speed of suite B on the C++ target, one thread: as the loop nest says, unrolled, reordered.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "codegen/codegen.h"
#include "cpu/cpu_subject.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "support/parallel.h"
#include "support/temporary_directory.h"

namespace stencilgen::tables {
namespace {

constexpr std::string_view kHeading =
    R"(# Speed of suite B on the C++ target

Millions of points a second of one thread (`-O3 -march=native`) on {}, arrays of {} x {} and
{} x {} x {}: the program with a plain loop nest a statement (`--fusion none --reorder none`), the
same with several points a turn (the best of 2 and 4, in three dimensions also 2 x 2), and what the
compiler makes without options, in the order of `--reorder auto`. Where statements share a nest
without options, also those nests as plain loops (`--reorder none`), the best of as many points a
turn. All are called in turns, {} times, in seconds of the processor; the numbers are medians. A
ratio is the median of the turns' ratios, of another version's time to the reordered code's: of the
original, of the better of the first two, of the plain shared nests; in brackets what holds it with
95% confidence.
)";
constexpr std::string_view kColumns = R"(
## {}

| program | original | unrolled | at | shared nests | at | reordered | chosen | to original | to the better | to shared |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";

struct Sizes {
  std::int64_t rows = 500, columns = 1000;              ///< of two dimensions
  std::int64_t planes = 30, height = 120, width = 250;  ///< of three
};

/// One way to compile a program, and the times of its calls.
struct Variant {
  enum class Kind { Original, Unrolled, Shared, Reordered };
  Kind kind = Kind::Original;
  std::string points;  ///< of a turn
  CpuSubject subject;
  std::unique_ptr<driver::HostLibrary> library;
  std::vector<double> seconds;
};

/// What the thread has had of a processor: others on the machine take no part in it.
double ThreadSeconds() {
  std::timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The median, and the interval that holds it with 95% confidence: between two of the values in
/// order, so far from the middle as a fair coin's heads stray.
std::string WithConfidence(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double stray = 0.98 * std::sqrt(count);
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(count / 2 - stray)));
  const std::size_t high = values.size() - 1 - low;
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", values[values.size() / 2], values[low],
                     values[high]);
}

std::string ProcessorName() {
  std::ifstream stream("/proc/cpuinfo");
  std::string name = "an unknown processor";
  std::string family;
  std::string number;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.rfind("model name", 0) == 0) name = line.substr(colon + 2);
    if (line.rfind("cpu family", 0) == 0) family = line.substr(colon + 2);
    if (line.rfind("model\t", 0) == 0) number = line.substr(colon + 2);
  }
  return fmt::format("{} (family {}, model {})", name, family, number);
}

/// Leaves scratch memory with the process between calls: else some versions of a program get new
/// pages in each call, and others those of the call before.
void KeepMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

class Race {
 public:
  Race(const testing::Benchmark& benchmark, const Sizes& sizes)
      : benchmark_(benchmark), sizes_(sizes) {
    using Kind = Variant::Kind;
    const auto add = [&](Kind kind, const std::string& points, std::vector<std::string> arguments) {
      if (points != "1") arguments.insert(arguments.end(), {"--unroll", points});
      variants_.push_back({kind, points, CompileForCpu(benchmark, arguments), nullptr, {}});
      return variants_.back().subject.compiled.plan.kernels.size();
    };
    const std::vector<std::string> apart = {"--reorder", "none", "--fusion", "none"};
    const std::vector<std::string> plain = {"--reorder", "none"};
    const std::size_t statements = add(Kind::Original, "1", apart);
    const bool shares = add(Kind::Shared, "1", plain) < statements;
    if (!shares) variants_.pop_back();
    const bool flat = variants_[0].subject.compiled.plan.graph.iterators.size() == 2;
    const std::vector<std::vector<int>> blocks =
        flat ? std::vector<std::vector<int>>{{2}, {4}}
             : std::vector<std::vector<int>>{{1, 2}, {1, 4}, {2, 2}};
    for (const std::vector<int>& block : blocks) {
      const std::string points = UnrollArgument(variants_[0].subject.compiled, block);
      add(Kind::Unrolled, points, apart);
      if (shares) add(Kind::Shared, points, plain);
    }
    add(Kind::Reordered, "1", {});
    Build();
    Allocate();
  }

  void Run(int turns) {
    for (Variant& variant : variants_) Call(variant);
    for (Variant& variant : variants_) variant.seconds.clear();
    for (int turn = 0; turn < turns; ++turn) {
      // Each variant follows each other one about as often.
      for (std::size_t n = 0; n < variants_.size(); ++n) {
        const std::size_t shift = static_cast<std::size_t>(turn) % variants_.size();
        Call(variants_[turn % 2 == 0 ? (n + shift) % variants_.size()
                                     : (2 * variants_.size() - 1 - n - shift) % variants_.size()]);
      }
    }
  }

  std::string Row() const {
    const Variant& original = variants_.front();
    const Variant& reordered = variants_.back();
    const Variant& unrolled = *BestOf(Variant::Kind::Unrolled);
    const Variant* shared = BestOf(Variant::Kind::Shared);
    const Variant& better =
        Median(unrolled.seconds) < Median(original.seconds) ? unrolled : original;
    return fmt::format("| {} | {:.0f} | {:.0f} | {} | {} | {} | {:.0f} | {} | {:.2f} | {} | {} |",
                       benchmark_.name, Rate(original), Rate(unrolled), unrolled.points,
                       shared == nullptr ? "-" : fmt::format("{:.0f}", Rate(*shared)),
                       shared == nullptr ? "-" : shared->points, Rate(reordered),
                       ChosenText(reordered), Median(Ratios(original, reordered)),
                       WithConfidence(Ratios(better, reordered)),
                       shared == nullptr ? "-" : WithConfidence(Ratios(*shared, reordered)));
  }

 private:
  /// The fastest of a kind; null where there is none.
  const Variant* BestOf(Variant::Kind kind) const {
    const Variant* best = nullptr;
    for (const Variant& variant : variants_) {
      if (variant.kind != kind) continue;
      if (best == nullptr || Median(variant.seconds) < Median(best->seconds)) best = &variant;
    }
    return best;
  }

  /// Before anything is timed, on all processors.
  void Build() {
    std::vector<std::string> errors(variants_.size());
    ForEachInParallel(variants_.size(), Cores(), [&](std::size_t k) {
      Variant& variant = variants_[k];
      const driver::Compiled& compiled = variant.subject.compiled;
      driver::BuildOptions build;
      build.directory = directory_.path();
      variant.library = driver::HostLibrary::Build(
          compiled.text + codegen::EmitTrampoline(compiled.module, variant.subject.options.codegen),
          fmt::format("variant{}", k), build, errors[k]);
    });
    for (std::size_t k = 0; k < variants_.size(); ++k) {
      if (variants_[k].library != nullptr) continue;
      std::fputs(errors[k].c_str(), stderr);
      std::exit(1);
    }
  }

  void Allocate() {
    const graph::Graph& graph = variants_[0].subject.compiled.plan.graph;
    const bool flat = graph.iterators.size() == 2;
    graph::ParameterValues values;
    for (const graph::Parameter& parameter : graph.parameters) {
      values.push_back(parameter.name == "L"   ? sizes_.planes
                       : parameter.name == "M" ? (flat ? sizes_.rows : sizes_.height)
                       : parameter.name == "N" ? (flat ? sizes_.columns : sizes_.width)
                                               : parameter.default_value.value_or(1));
    }
    parameters_.assign(values.begin(), values.end());
    points_ = static_cast<double>(flat ? sizes_.rows * sizes_.columns
                                       : sizes_.planes * sizes_.height * sizes_.width);
    std::size_t seed = 1;
    for (const graph::Array& array : graph.arrays) {
      if (array.local) continue;
      std::int64_t elements = 1;
      for (const graph::LinearForm& extent : array.extents) elements *= Evaluate(extent, values);
      memory_.emplace_back(static_cast<std::size_t>(elements));
      for (double& element : memory_.back()) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        element = 0.5 + static_cast<double>(seed >> 40U) / (1U << 25U);
      }
      if (array.rank() == 0) {
        scalars_.push_back(memory_.back().data());
      } else {
        arrays_.push_back(memory_.back().data());
      }
    }
  }

  void Call(Variant& variant) const {
    const std::string& name = variant.subject.options.program_name;
    const double begin = ThreadSeconds();
    const int status = variant.library->Call(name, arrays_, scalars_, parameters_);
    const double time = ThreadSeconds() - begin;
    if (status != 0) {
      fmt::print(stderr, "{}: {}\n", name, variant.library->Error(name));
      std::exit(1);
    }
    variant.seconds.push_back(time);
  }

  double Rate(const Variant& variant) const { return points_ / Median(variant.seconds) / 1e6; }

  static std::vector<double> Ratios(const Variant& slow, const Variant& fast) {
    std::vector<double> ratios;
    for (std::size_t n = 0; n < slow.seconds.size(); ++n) {
      ratios.push_back(slow.seconds[n] / fast.seconds[n]);
    }
    return ratios;
  }

  /// Points a turn of the kernels that are in vectors.
  static std::string ChosenText(const Variant& variant) {
    const std::string& text = variant.subject.compiled.text;
    std::size_t vectors = 0;
    for (std::size_t at = text.find("using Values"); at != std::string::npos;
         at = text.find("using Values", at + 1)) {
      ++vectors;
    }
    const std::size_t kernels = variant.subject.compiled.plan.kernels.size();
    if (vectors == 0) return "plain loops";
    if (vectors == kernels) return "vectors";
    return fmt::format("vectors in {} of {}", vectors, kernels);
  }

  const testing::Benchmark& benchmark_;
  Sizes sizes_;
  testing::TemporaryDirectory directory_;
  std::vector<Variant> variants_;
  std::vector<std::vector<double>> memory_;
  std::vector<void*> arrays_;
  std::vector<const void*> scalars_;
  std::vector<int> parameters_;
  double points_ = 0;
};

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  using namespace stencilgen::tables;
  int turns = 41;
  std::vector<std::string> names;
  std::vector<std::string> compilers;
  for (int n = 1; n < argc; ++n) {
    if (std::string(argv[n]) == "--turns" && n + 1 < argc) {
      turns = std::max(1, std::atoi(argv[++n]));
    } else if (std::string(argv[n]) == "--compiler" && n + 1 < argc) {
      compilers.emplace_back(argv[++n]);
    } else {
      names.emplace_back(argv[n]);
    }
  }
  if (compilers.empty()) compilers = {"g++", "clang++"};
  setenv("OMP_NUM_THREADS", "1", 1);
  KeepMemory();
  const Sizes sizes;
  fmt::print(fmt::runtime(kHeading), ProcessorName(), sizes.rows, sizes.columns, sizes.planes,
             sizes.height, sizes.width, turns);
  for (const std::string& compiler : compilers) {
    const std::string path = stencilgen::driver::FindProgram(compiler);
    if (path.empty()) {
      fmt::print(stderr, "{} is not here\n", compiler);
      continue;
    }
    setenv("CXX", path.c_str(), 1);
    const std::string version = stencilgen::driver::RunProcess({path, "--version"}).output;
    fmt::print(fmt::runtime(kColumns), version.substr(0, version.find('\n')));
    for (const stencilgen::testing::Benchmark& benchmark : SuiteB(names)) {
      Race race(benchmark, sizes);
      race.Run(turns);
      fmt::print("{}\n", race.Row());
      std::fflush(stdout);
    }
  }
  fmt::print(
      "\nWhere plain loops are chosen and no nests are shared the code is the original's: its "
      "ratio "
      "shows\nhow far times spread.\n\nMade by `build/release/benchmarks/cpu/cpu_speed_table`; "
      "`--compiler NAME` takes "
      "another\ncompiler, `--turns N` more or fewer turns.\n");
  return 0;
}
