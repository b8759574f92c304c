// How long greedy fusion takes, without compiling what it makes: programs of 10 to 1,000 operators
// of three kinds, as a table in Markdown.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/pipeline.h"
#include "plan/fuse_greedy.h"
#include "plan/plan_fused.h"

namespace stencilgen {
namespace {

enum class Kind { Chain, Wide, Mixed };

/// The array that statement `n` reads besides the one before it.
int Source(Kind kind, int n) {
  if (kind == Kind::Chain) return n;
  if (kind == Kind::Wide) return 0;
  // Numerical Recipes' generator: some earlier one, the same in every run.
  const std::uint32_t random = (static_cast<std::uint32_t>(n) * 1664525U + 1013904223U) >> 8U;
  return static_cast<int>(random % static_cast<std::uint32_t>(n + 1));
}

/// Each statement makes one array: of the one before it (chain), all of the first (wide), or of two
/// earlier ones (mixed). Of a chain every tenth is an output, else all are.
std::string Program(Kind kind, int statements) {
  std::string declarations = "parameter L=300, M=300, N=300;\niterator k, j, i;\ncopyin u0;\n";
  std::string body;
  std::vector<std::string> outputs;
  declarations += "float u0[L,M,N];\n";
  for (int n = 0; n < statements; ++n) {
    declarations += fmt::format("float u{}[L,M,N];\n", n + 1);
    const std::string a = fmt::format("u{}", Source(kind, n));
    const std::string b = kind == Kind::Mixed ? fmt::format("u{}", Source(kind, n / 2)) : a;
    body += fmt::format(
        "  [4:L-5,4:M-5,4:N-5] : u{}[k][j][i] = 0.5*{}[k][j][i] + 0.1*({}[k-1][j][i] + "
        "{}[k][j-1][i] + {}[k][j][i+1]);\n",
        n + 1, a, b, b, a);
    if (kind != Kind::Chain || n % 10 == 9 || n + 1 == statements)
      outputs.push_back(fmt::format("u{}", n + 1));
  }
  // What is read outside the points that are written must have a value.
  std::string copied;
  for (int n = 1; n <= statements; ++n) copied += fmt::format("copyin u{};\n", n);
  return fmt::format("{}{}stencil all () {{\n{}}}\nall ();\ncopyout {};\n", declarations, copied,
                     body, fmt::join(outputs, ", "));
}

double CpuSeconds(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

int Run() {
  plan::Schedule schedule;
  schedule.block = {32, 16, 1};
  schedule.stream = plan::Stream{0, 0};
  schedule.shared_memory = true;
  fmt::print("| program | operators | kernels | model | tiles | plan |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [name, kind] : {std::pair("chain", Kind::Chain), std::pair("wide", Kind::Wide),
                                   std::pair("random", Kind::Mixed)}) {
    for (const int statements : {10, 30, 100, 300, 1000}) {
      DiagnosticSink sink;
      const auto graph =
          driver::CompileToGraph(SourceFile("p.idsl", Program(kind, statements)), {}, sink);
      if (!graph) {
        fmt::print(stderr, "the program does not compile\n");
        return 1;
      }
      plan::FusionSettings settings;
      settings.tiles = false;
      std::clock_t start = std::clock();
      FuseGreedy(*graph, schedule, settings);
      const double model = CpuSeconds(start);
      settings.tiles = true;
      start = std::clock();
      FuseGreedy(*graph, schedule, settings);
      const double tiles = CpuSeconds(start);
      start = std::clock();
      const plan::FusedPlan fused = PlanFused(*graph, schedule, settings);
      const double whole = CpuSeconds(start);
      fmt::print("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} |\n", name,
                 graph->regions[graph->root].nodes.size(), fused.plan.kernels.size(), model, tiles,
                 whole);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace stencilgen

int main() {
  return stencilgen::Run();
}
