#include "subject.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "frontend/read_program.h"

namespace stencilgen::tables {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::fputs(message.c_str(), stderr);
  std::exit(1);
}

/// Chunks along streams stay as they were chosen for the program's own sizes: tables count at
/// smaller ones, for which the host would choose others.
void KeepChunks(plan::Plan& plan) {
  for (plan::Kernel& kernel : plan.kernels) {
    if (kernel.schedule.stream) kernel.schedule.stream->shortest = 0;
    if (kernel.tile) kernel.tile->shortest = 0;
  }
}

}  // namespace

std::string Subject::Title() const {
  return single ? fmt::format("{}, float", benchmark.name) : benchmark.name;
}

Subject CompileSubject(const testing::Benchmark& benchmark, bool single,
                       const std::vector<std::string>& options) {
  Subject subject;
  subject.benchmark = benchmark;
  subject.single = single;
  const std::string file = fmt::format("{}.idsl", benchmark.name);
  const SourceFile source(file, single ? benchmark.SinglePrecisionText() : benchmark.text);
  DiagnosticSink sink;
  const auto program = ReadProgram(source, sink);
  if (!program) Fail(RenderText(source, sink.diagnostics(), 0, false));
  std::vector<std::string> arguments = {file};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto parsed = driver::ParseCommandLine(arguments);
  subject.options =
      driver::MakePipelineOptions(std::get<driver::Options>(parsed), program->interface);
  subject.options.codegen.standalone = false;
  subject.options.codegen.function = subject.options.program_name;
  auto graph = driver::CompileToGraph(*program, subject.options, sink);
  if (!graph) Fail(RenderText(source, sink.diagnostics(), 0, false));
  driver::ChosenPlan chosen = driver::CompileToChosenPlan(*std::move(graph), subject.options);
  subject.time_tile = chosen.chosen.time_tile;
  KeepChunks(chosen.plan);
  subject.compiled = driver::EmitCode(std::move(chosen.plan), source, subject.options);
  return subject;
}

std::vector<Subject> CompileSuite(const std::vector<std::string>& names, bool with_single) {
  std::vector<Subject> subjects;
  std::set<std::string> unknown(names.begin(), names.end());
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.suite != 'A') continue;
    if (!names.empty() && unknown.erase(benchmark.name) == 0) continue;
    subjects.push_back(CompileSubject(benchmark, false));
    if (with_single) subjects.push_back(CompileSubject(benchmark, true));
  }
  if (!unknown.empty()) Fail(fmt::format("{} is no program of suite A\n", *unknown.begin()));
  return subjects;
}

std::string Describe(const Subject& subject, const plan::Kernel& kernel) {
  const plan::Schedule& schedule = kernel.schedule;
  const auto iterator = [&](const plan::Stream& stream) {
    return subject.compiled.plan.graph.iterators[static_cast<std::size_t>(stream.iterator)];
  };
  std::string text = fmt::format("{}x{}", schedule.block[0], schedule.block[1]);
  if (schedule.block[2] > 1) text += fmt::format("x{}", schedule.block[2]);
  const int points = schedule.unroll[0] * schedule.unroll[1] * schedule.unroll[2];
  if (points > 1) text += fmt::format(", {} points", points);
  if (schedule.stream) {
    text += fmt::format(", along {}", iterator(*schedule.stream));
    if (schedule.stream->chunk > 0) text += fmt::format(":{}", schedule.stream->chunk);
  }
  if (!kernel.tile) text += ", no tile";
  return text;
}

TableArguments ParseArguments(int argc, char** argv) {
  TableArguments arguments;
  for (int n = 1; n < argc; ++n) {
    const std::string argument = argv[n];
    if (argument == "--check" && n + 1 < argc) {
      arguments.check = argv[++n];
    } else if (!argument.empty() && argument[0] == '-') {
      Fail(fmt::format("usage: {} [--check FILE] [NAME...]\n", argv[0]));
    } else {
      arguments.names.push_back(argument);
    }
  }
  return arguments;
}

std::vector<std::string> CellsOf(const std::string& row) {
  std::vector<std::string> cells;
  for (std::size_t at = row.find("| "); at != std::string::npos && at + 2 < row.size();) {
    const std::size_t end = row.find(" |", at + 1);
    if (end == std::string::npos) break;
    cells.push_back(row.substr(at + 2, end - at - 2));
    at = end + 1;
  }
  return cells;
}

bool HasRows(const std::string& file, const std::vector<std::string>& rows) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  bool all = true;
  for (const std::string& row : rows) {
    if (std::find(lines.begin(), lines.end(), row) != lines.end()) continue;
    all = false;
    const std::string name = row.substr(0, row.find('|', 1) + 1);
    fmt::print(stderr, "now: {}\n", row);
    for (const std::string& line : lines) {
      if (line.compare(0, name.size(), name) == 0) fmt::print(stderr, "{}: {}\n", file, line);
    }
  }
  return all;
}

}  // namespace stencilgen::tables
