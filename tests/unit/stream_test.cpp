// Streaming with register windows: what is held, and that each element of a column is loaded once.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "codegen/codegen.h"
#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "plan/windows.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "tools/run/emulator_control.h"

namespace stencilgen {
namespace {

using driver::PipelineOptions;

PipelineOptions Streamed(int iterator, std::int64_t chunk, int unroll_along = 1) {
  PipelineOptions options;
  options.program_name = "p";
  options.verify = true;
  options.schedule.block = {8, 2, 1};
  options.schedule.stream = plan::Stream{iterator, chunk};
  options.schedule.unroll[1] = unroll_along;
  options.unroll_given = {true, true, true};
  options.codegen.standalone = false;
  options.codegen.function = "p";
  return options;
}

driver::Compiled CompileText(const std::string& text, const PipelineOptions& options) {
  const SourceFile source("p.idsl", text);
  DiagnosticSink sink;
  auto compiled = driver::Compile(source, options, sink);
  INFO(RenderText(source, sink.diagnostics(), 0, false));
  REQUIRE(compiled.has_value());
  return *std::move(compiled);
}

const std::string kFivePoint =
    "parameter M, N; iterator j, i; double u[M,N], v[M,N]; copyin u, v;"
    "stencil s (A, B) { B[j][i] = 0.1*A[j-1][i] + 0.2*(A[j][i-1] + A[j][i] + A[j][i+1])"
    " + 0.3*A[j+1][i]; } s (u, v); copyout v;";

TEST_CASE("the window of a star along its stream has 2k+1 planes") {
  const auto compiled = CompileText(kFivePoint, Streamed(0, 0));
  REQUIRE(compiled.plan.kernels.size() == 1);
  const plan::Kernel& kernel = *compiled.plan.kernels.begin();
  REQUIRE(kernel.windows.size() == 1);
  CHECK(kernel.windows[0].first == -1);
  CHECK(kernel.windows[0].last == 1);
}

TEST_CASE("windows stop at the registers a thread has") {
  std::string sum;
  for (int x = -20; x <= 20; ++x) {
    for (int y = -1; y <= 1; ++y) sum += fmt::format(" + A[j{:+}][i{:+}]", y, x);
  }
  const auto compiled = CompileText(
      "parameter M, N; iterator j, i; double u[M,N], v[M,N]; copyin u, v; stencil s (A, B) {"
      "B[j][i] = 0.0" +
          sum + "; } s (u, v); copyout v;",
      Streamed(0, 0));
  CHECK(compiled.plan.kernels.begin()->windows.size() == plan::kMostHeld / 3);
}

TEST_CASE("a limit of registers takes the place of launch bounds") {
  PipelineOptions options = Streamed(0, 0);
  CHECK(CompileText(kFivePoint, options).text.find("__launch_bounds__(8)") != std::string::npos);
  options.codegen.registers = 40;
  const std::string text = CompileText(kFivePoint, options).text;
  CHECK(text.find("void __maxnreg__(40) s(") != std::string::npos);
  CHECK(text.find("__launch_bounds__") == std::string::npos);
}

struct Counted {
  std::uint64_t loads = 0;
  std::vector<double> result;
  std::vector<double> expected;
};

/// The five-point program for the emulator, with its plan.
struct Built {
  testing::TemporaryDirectory directory;
  driver::Compiled compiled;
  std::unique_ptr<driver::HostLibrary> library;
};

std::unique_ptr<Built> Build(PipelineOptions options) {
  options.codegen.fp = FpMode::Strict;
  auto built = std::make_unique<Built>();
  built->compiled = CompileText(kFivePoint, options);
  driver::BuildOptions build;
  build.backend = driver::Backend::CudaEmulated;
  build.fp = FpMode::Strict;
  build.optimize = 1;
  build.directory = built->directory.path();
  std::string error;
  built->library = driver::HostLibrary::Build(
      built->compiled.text + codegen::EmitTrampoline(built->compiled.module, options.codegen), "p",
      build, error);
  INFO(error);
  REQUIRE(built->library != nullptr);
  return built;
}

/// Runs v = s(u) on the emulator and in the interpreter.
Counted Execute(const Built& built, int rows, int columns) {
  const auto count = static_cast<std::size_t>(rows * columns);
  std::vector<double> u(count);
  for (std::size_t n = 0; n < count; ++n) u[n] = 1.0 / static_cast<double>(n % 17 + 1);
  Counted counted;
  counted.result.assign(count, -3.0);
  const driver::HostLibrary& library = *built.library;
  const auto reset = reinterpret_cast<void (*)()>(library.Symbol("stencilgen_emulator_reset"));
  const auto read = reinterpret_cast<void (*)(unsigned long long*)>(
      library.Symbol("stencilgen_emulator_counters"));
  REQUIRE(reset != nullptr);
  REQUIRE(read != nullptr);
  reset();
  REQUIRE(library.Call("p", {u.data(), counted.result.data()}, {}, {rows, columns}) == 0);
  unsigned long long counters[12] = {};
  read(counters);
  counted.loads = counters[0];
  const auto reference = graph::Interpret(built.compiled.plan.graph, {rows, columns},
                                          {{"u", u}, {"v", std::vector<double>(count, -3.0)}});
  REQUIRE(reference.error.empty());
  counted.expected = std::get<std::vector<double>>(reference.outputs[0]);
  return counted;
}

TEST_CASE("each walk loads its first planes once and one plane a point") {
  constexpr int kRows = 23;
  constexpr int kColumns = 19;
  constexpr std::uint64_t kInside = (kRows - 2) * (kColumns - 2);
  for (const auto& [chunk, unroll] :
       std::vector<std::pair<std::int64_t, int>>{{0, 1}, {1, 2}, {5, 4}, {100, 1}}) {
    INFO("chunk " << chunk << ", unroll " << unroll);
    const auto built = Build(Streamed(0, chunk, unroll));
    const Counted counted = Execute(*built, kRows, kColumns);
    CHECK(counted.result == counted.expected);
    const std::uint64_t walks =
        chunk == 0 ? 1 : static_cast<std::uint64_t>((kRows - 2 + chunk - 1) / chunk);
    // A point loads its two neighbours along i and the newest plane; a walk two planes more.
    CHECK(counted.loads == 3 * kInside + 2 * walks * (kColumns - 2));
  }
}

/// Chunks that the host chooses, of three points at least.
PipelineOptions Fitted() {
  PipelineOptions options = Streamed(0, 0);
  options.schedule.stream->shortest = 3;
  return options;
}

TEST_CASE("the host chooses chunks by the sizes and by what the device runs at a time") {
  for (const Occupancy& device :
       {Occupancy{1, 1}, Occupancy{2, 1}, Occupancy{3, 2}, Occupancy{7, 4}, Occupancy{132, 16}}) {
    const auto built = Build(Fitted());
    const ChunkCosts& costs = built->compiled.plan.kernels.begin()->chunks;
    CHECK(costs.overlap == 2);
    CHECK(costs.shortest == 3);
    driver::EmulatorControl(*built->library)
        .SetOccupancy(static_cast<int>(device.multiprocessors), static_cast<int>(device.blocks));
    for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{
             {1, 1}, {2, 9}, {3, 3}, {4, 1}, {5, 40}, {23, 19}, {64, 3}, {61, 37}}) {
      INFO(rows << " x " << columns << " on " << device.multiprocessors << " of " << device.blocks);
      const Counted counted = Execute(*built, rows, columns);
      CHECK(counted.result == counted.expected);
      if (rows < 3 || columns < 3) continue;
      const long long tiles = CeilDiv(columns - 2, 8);
      const long long chunk = FitChunk(rows - 2, tiles, device, costs);
      const auto walks = static_cast<std::uint64_t>(CeilDiv(rows - 2, chunk));
      const auto inside = static_cast<std::uint64_t>((rows - 2) * (columns - 2));
      CHECK(counted.loads == 3 * inside + 2 * walks * static_cast<std::uint64_t>(columns - 2));
    }
  }
}

TEST_CASE("a device is asked once for a kernel's occupancy") {
  const auto built = Build(Fitted());
  const driver::EmulatorControl control(*built->library);
  control.SetOccupancy(1, 1);
  const std::uint64_t loads = Execute(*built, 64, 10).loads;
  control.SetOccupancy(132, 16);
  CHECK(Execute(*built, 64, 10).loads == loads);
  const auto other = Build(Fitted());
  driver::EmulatorControl(*other->library).SetOccupancy(132, 16);
  CHECK(Execute(*other, 64, 10).loads > loads);
}

TEST_CASE("streamed extents smaller than the stencil, one wide, or one walk") {
  const auto built = Build(Streamed(0, 3));
  for (const auto& [rows, columns] :
       std::map<int, int>{{1, 1}, {2, 9}, {3, 3}, {4, 1}, {7, 33}, {64, 3}}) {
    INFO(rows << " x " << columns);
    const Counted counted = Execute(*built, rows, columns);
    CHECK(counted.result == counted.expected);
  }
}

}  // namespace
}  // namespace stencilgen
