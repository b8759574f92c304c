// What programs of several statements move before and after fusion, beside what they must.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "frontend/read_program.h"
#include "plan/cost.h"
#include "subject.h"
#include "support/match.h"

namespace stencilgen::tables {
namespace {

constexpr std::string_view kHeading =
    R"(# Fusion

Bytes that the loads and stores of a step ask for, for each point: by the traffic model, which tests
compare with the emulator's counts; copies outside of domains included. Double precision, the sizes
of the literature, one time step a kernel, an H200. Kernels in parentheses. None, greedy, max: the
plan with the least predicted time that `--fusion` allows; split: that of `--split auto`. Least: the
plan with the fewest bytes of all of them and of larger blocks, with its time beside that of the
fastest plan. Must: each array that the program reads or writes moved once.

| program | none | greedy | max | split | least | must | ratio | time of least, of fastest |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";
constexpr std::string_view kEnding = R"(
Ratio: least to must. Made by `build/release/benchmarks/tables/fusion_table`; with
`--check benchmarks/fusion.md NAME...` it compares rows.
)";

constexpr double kGoal = 1.25;

const std::vector<std::string>& Programs() {
  static const std::vector<std::string> kPrograms = {"cheby",  "curl",    "denoise",  "diffterm",
                                                     "harris", "hypterm", "miniflux", "unsharp"};
  return kPrograms;
}

/// What a plan moves in a run of the program, and how long that is predicted to take.
struct Moved {
  double bytes = 0;
  double seconds = 0;
  std::size_t kernels = 0;
};

double AsDouble(std::int64_t value) {
  return static_cast<double>(value);
}

/// Bytes that the steps copy, read and written.
double CopiedBytes(const plan::Plan& plan, const std::vector<plan::Step>& steps,
                   const graph::ParameterValues& sizes) {
  double bytes = 0;
  const auto add = [&](const auto& copy) {
    bytes += 2 * AsDouble(plan::CountCopied(plan, copy, sizes)) *
             SizeInBytes(plan.buffers[copy.dst].type);
  };
  for (const plan::Step& step : steps) {
    Match(
        step, [&](const plan::CopyOutside& copy) { add(copy); },
        [&](const plan::CopyAll& copy) { add(copy); },
        [&](const plan::Repeat& repeat) {
          bytes += AsDouble(graph::Evaluate(repeat.turns, sizes)) *
                   CopiedBytes(plan, repeat.body, sizes);
        },
        [](const auto&) {});
  }
  return bytes;
}

Moved MovedBy(const driver::ChosenPlan& chosen) {
  const plan::PlanCost cost = plan::EstimateCost(chosen.plan, machine::DefaultGpu(), chosen.sizes);
  Moved moved{CopiedBytes(chosen.plan, chosen.plan.steps, chosen.sizes), cost.seconds,
              chosen.plan.kernels.size()};
  for (const plan::KernelCost& kernel : cost.kernels) {
    moved.bytes +=
        kernel.launches * AsDouble(kernel.traffic.load_bytes + kernel.traffic.store_bytes);
  }
  return moved;
}

/// A program to be planned in several ways.
class Program {
 public:
  explicit Program(const testing::Benchmark& benchmark)
      : benchmark_(benchmark),
        source_(fmt::format("{}.idsl", benchmark.name), benchmark.text),
        program_(ReadProgram(source_, sink_)) {
    if (!program_) Fail();
  }

  driver::ChosenPlan Plan(std::vector<std::string> words) {
    words.insert(words.begin(), {source_.name(), "--time-tile", "1"});
    const auto parsed = driver::ParseCommandLine(words);
    if (const auto* error = std::get_if<driver::UsageError>(&parsed)) {
      fmt::print(stderr, "{}\n", error->message);
      std::exit(1);
    }
    const auto options =
        driver::MakePipelineOptions(std::get<driver::Options>(parsed), program_->interface);
    auto graph = driver::CompileToGraph(*program_, options, sink_);
    if (!graph) Fail();
    return driver::CompileToChosenPlan(*std::move(graph), options);
  }
  const testing::Benchmark& benchmark() const { return benchmark_; }
  std::size_t dimensions() const { return program_->interface.iterators.size(); }
  std::string outermost() const { return program_->interface.iterators.front().text; }

  /// Points of all steps.
  double PointSteps() const {
    double product = 1;
    for (const auto& [name, size] : benchmark_.full) product *= AsDouble(size);
    return product;
  }

 private:
  [[noreturn]] void Fail() {
    std::fputs(RenderText(source_, sink_.diagnostics(), 0, false).c_str(), stderr);
    std::exit(1);
  }

  const testing::Benchmark& benchmark_;
  SourceFile source_;
  DiagnosticSink sink_;
  std::optional<graph::Program> program_;
};

/// Blocks that the choice of defaults has no use for, because they have few blocks a
/// multiprocessor.
std::vector<std::vector<std::string>> LargeBlocks(const Program& program) {
  std::vector<std::vector<std::string>> all;
  const bool flat = program.dimensions() == 2;
  static const std::vector<std::array<int, 3>> kShapes = {
      {32, 16, 1}, {32, 16, 2}, {32, 16, 4}, {32, 32, 1}, {32, 32, 2},
      {64, 8, 2},  {64, 8, 4},  {64, 16, 1}, {64, 16, 2}, {128, 8, 4}};
  for (const auto& [x, y, points] : kShapes) {
    for (const bool stream : {true, false}) {
      std::vector<std::string> words = {
          "--blockdim",
          flat && stream ? fmt::format("x={}", x * y) : fmt::format("x={},y={}", x, y),
          "--shared-mem", "true"};
      if (!flat || !stream) {
        words.insert(words.end(), {"--unroll", fmt::format("j={}", points)});
      }
      if (stream) words.insert(words.end(), {"--stream", program.outermost()});
      for (const auto& [option, value] :
           {std::pair{"--fusion", "greedy"}, {"--fusion", "max"}, {"--split", "2"}}) {
        all.push_back(words);
        all.back().insert(all.back().end(), {option, value});
      }
    }
  }
  return all;
}

struct Row {
  std::string text;
  std::string note;  ///< why the goal is missed
};

/// `t_0, u and 3 more`: the arrays that operators of a region write.
std::string ArraysText(const graph::Graph& graph, const plan::RegionFusion& region,
                       const std::vector<int>& places) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> names;
  for (const int place : places) {
    const graph::NodeId node = region.operators[static_cast<std::size_t>(place)];
    const auto& op = std::get<graph::Operator>(graph.nodes[node]);
    const std::string& name = graph.arrays[graph.versions[op.result].array].name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

/// Why greedy fusion has no larger kernel, as its log says; of a program in one kernel, what its
/// blocks load that they do not store.
std::string Reason(const driver::ChosenPlan& chosen) {
  const plan::Plan& plan = chosen.plan;
  if (plan.kernels.size() == 1) {
    const plan::Tile& tile = *plan.kernels.begin()->tile;
    std::vector<std::string> sizes;
    for (std::size_t d = 0; d < tile.dimensions; ++d) {
      if (tile.stream == d) continue;
      sizes.push_back(fmt::format("{} of {}", tile.Stored(d), tile.threads[d] * tile.points[d]));
    }
    return fmt::format("one kernel; its fastest blocks store {} of the points that they load",
                       fmt::join(sizes, " by "));
  }
  for (const plan::RegionFusion& region : chosen.fusion.regions) {
    std::vector<plan::RefusedCandidate> refused = region.undone;
    if (!region.steps.empty()) {
      const auto& last = region.steps.back().refused;
      refused.insert(refused.end(), last.begin(), last.end());
    }
    if (refused.empty()) continue;
    const plan::FusionCandidate& pair = refused.front().candidate;
    std::string reason = fmt::format("{} ({})", refused.front().refusal.reason,
                                     plan::ToString(refused.front().refusal.constraint));
    if (pair.left.empty()) return reason;
    return fmt::format("{} with {}: {}", ArraysText(plan.graph, region, pair.left),
                       ArraysText(plan.graph, region, pair.right), reason);
  }
  return "nothing was refused";
}

Row RowOf(Program& program) {
  const testing::Benchmark& benchmark = program.benchmark();
  const double must = AsDouble(SizeInBytes(ScalarType::Double)) *
                      (benchmark.arrays_read + benchmark.arrays_written);
  const double points = program.PointSteps();
  std::string cells;
  std::vector<Moved> all;
  const auto add = [&](const driver::ChosenPlan& chosen) {
    const Moved moved = MovedBy(chosen);
    if (std::isfinite(moved.seconds)) all.push_back(moved);
    return moved;
  };
  const driver::ChosenPlan greedy = program.Plan({"--fusion", "greedy"});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--fusion", "none"},
                                                {"--fusion", "greedy"},
                                                {"--fusion", "max"},
                                                {"--split", "auto"}}) {
    const Moved moved = add(program.Plan(words));
    cells += fmt::format(" {:.1f} ({}) |", moved.bytes / points, moved.kernels);
  }
  for (const std::vector<std::string>& words : LargeBlocks(program)) add(program.Plan(words));
  const auto fewest = *std::min_element(
      all.begin(), all.end(), [](const Moved& a, const Moved& b) { return a.bytes < b.bytes; });
  const auto fastest = *std::min_element(
      all.begin(), all.end(), [](const Moved& a, const Moved& b) { return a.seconds < b.seconds; });
  const double ratio = fewest.bytes / points / must;
  Row row;
  row.text = fmt::format("| {} |{} {:.1f} ({}) | {:.0f} | {:.2f} | {:.4g} ms, {:.4g} ms |",
                         benchmark.name, cells, fewest.bytes / points, fewest.kernels, must, ratio,
                         fewest.seconds * 1e3, fastest.seconds * 1e3);
  if (ratio > kGoal) {
    row.note = fmt::format("- {}: {}", benchmark.name, Reason(greedy));
  }
  return row;
}

int Main(int argc, char** argv) {
  const TableArguments arguments = ParseArguments(argc, argv);
  std::vector<std::string> rows;
  std::vector<std::string> notes;
  const bool printed = arguments.check.empty();
  if (printed) fmt::print("{}", kHeading);
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    const std::vector<std::string>& wanted = arguments.names.empty() ? Programs() : arguments.names;
    if (std::find(wanted.begin(), wanted.end(), benchmark.name) == wanted.end()) continue;
    Program program(benchmark);
    const Row row = RowOf(program);
    if (printed) fmt::print("{}\n", row.text);
    rows.push_back(row.text);
    if (!row.note.empty()) notes.push_back(row.note);
  }
  if (!printed) return HasRows(arguments.check, rows) && HasRows(arguments.check, notes) ? 0 : 1;
  if (!notes.empty()) {
    fmt::print("\nMore than {} times what they must, and what greedy fusion refused first:\n\n",
               kGoal);
    for (const std::string& note : notes) fmt::print("{}\n", note);
  }
  fmt::print("{}", kEnding);
  return 0;
}

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  return stencilgen::tables::Main(argc, argv);
}
