// How long the compiler takes from text to CUDA: for a program of 300 lines and 30 KB, and for
// 10 to 10,000 statements, which should take time in proportion.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "frontend/read_program.h"

namespace stencilgen {
namespace {

constexpr int kArrays = 10;
constexpr int kRepeats = 5;

std::string ArrayName(int n) {
  return fmt::format("u{}", n % kArrays);
}

/// A line of about 100 characters: a weighted sum of one array's neighbours.
std::string Statement(int n) {
  const std::string from = ArrayName(n), to = ArrayName(n + 1);
  return fmt::format(
      "  {}[k][j][i] = 0.{}*{}[k][j][i] + 0.1*({}[k-1][j][i] + {}[k+1][j][i]) "
      "+ 0.1*{}[k][j][i-1]*s;\n",
      to, 11 + n % 80, from, from, from, from);
}

/// One stencil of so many statements on ten arrays.
std::string Program(int statements) {
  std::string text = "parameter L=300, M=300, N=300;\niterator k, j, i;\n";
  std::vector<std::string> names;
  for (int n = 0; n < kArrays; ++n) {
    text += fmt::format("double {}[L,M,N];\n", ArrayName(n));
    names.push_back(ArrayName(n));
  }
  text += fmt::format("double s;\ncopyin {}, s;\nstencil all () {{\n", fmt::join(names, ", "));
  for (int n = 0; n < statements; ++n) text += Statement(n);
  text += fmt::format("}}\nall ();\ncopyout {};\n", fmt::join(names, ", "));
  return text;
}

double Milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
      .count();
}

/// Parse, graph, plan, emit.
using Stages = std::array<double, 4>;

Stages Measure(const SourceFile& source) {
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.target = driver::Target::Cuda;
  Stages stages{};
  auto start = std::chrono::steady_clock::now();
  const auto program = ReadProgram(source, sink);
  stages[0] = Milliseconds(start);
  if (!program) return {};

  start = std::chrono::steady_clock::now();
  auto graph = driver::CompileToGraph(*program, options, sink);
  stages[1] = Milliseconds(start);
  if (!graph) return {};

  start = std::chrono::steady_clock::now();
  plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  stages[2] = Milliseconds(start);

  start = std::chrono::steady_clock::now();
  const driver::Compiled compiled = driver::EmitCode(std::move(plan), source, options);
  stages[3] = Milliseconds(start);
  return compiled.text.empty() ? Stages{} : stages;
}

double Total(const Stages& stages) {
  return stages[0] + stages[1] + stages[2] + stages[3];
}

bool Report(int statements) {
  const SourceFile source("speed.idsl", Program(statements));
  std::vector<Stages> runs;
  for (int n = 0; n < kRepeats; ++n) runs.push_back(Measure(source));
  std::sort(runs.begin(), runs.end(),
            [](const Stages& a, const Stages& b) { return Total(a) < Total(b); });
  const Stages& median = runs[kRepeats / 2];
  const double total = Total(median);
  if (total == 0) {
    fmt::print(stderr, "{} statements: the compiler refused the program\n", statements);
    return false;
  }
  fmt::print("{:>10} {:>7} {:>9.1f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.1f}\n",
             statements, source.LineCount(), static_cast<double>(source.text().size()) / 1000,
             median[0], median[1], median[2], median[3], total, 1000 * total / statements);
  std::fflush(stdout);
  return true;
}

}  // namespace
}  // namespace stencilgen

int main() {
  fmt::print("median of {} runs, milliseconds\n", stencilgen::kRepeats);
  fmt::print("{:>10} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "statements", "lines",
             "KB", "parse", "graph", "plan", "emit", "total", "us/stmt");
  bool good = true;
  for (const int statements : {10, 100, 285, 1000, 3000, 10000}) {
    good = stencilgen::Report(statements) && good;
  }
  return good ? 0 : 1;
}
