// No barrier is there by habit: each one, left out, makes a result wrong in some order of threads.
#include <map>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "kernel/parts.h"
#include "plan/barriers.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/differential.h"
#include "support/program_run.h"
#include "support/schedule_matrix.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

/// Several tiles and steps, and every loop has full turns and a remainder. Walls read what others
/// have written only at corners, and where both are neighbours.
std::vector<std::map<std::string, std::int64_t>> SeveralTiles(const TestProgram& example) {
  if (example.name == "multigrid") return {{{"M", 4}, {"N", 6}, {"T", 1}, {"C", 5}}};
  if (HasSeveralGrids(example)) return {example.sizes.back()};
  const auto& names = example.sizes.front();
  if (example.name == "walls") {
    return {{{"M", 27}, {"N", 45}, {"T", 4}},
            {{"M", 27}, {"N", 45}, {"T", 5}},
            {{"M", 2}, {"N", 21}, {"T", 5}},
            {{"M", 21}, {"N", 2}, {"T", 5}},
            {{"M", 3}, {"N", 3}, {"T", 5}}};
  }
  // Tiles of several turns are between pictures.
  if (example.name == "survey") {
    return {{{"M", 27}, {"N", 45}, {"T", 25}, {"SOURCE", 6}, {"SHOT", 40}}};
  }
  if (names.count("M") == 0) return {{{"N", 83}, {"T", 5}}};
  if (names.count("L") > 0) return {{{"L", 11}, {"M", 13}, {"N", 21}, {"T", 5}}};
  return {{{"M", 27}, {"N", 45}, {"T", 5}}};
}

struct Case {
  kernel::Module module;
  std::vector<ProgramRun> runs;
  int barriers = 0;     ///< in the plan
  bool shares = false;  ///< some tile has shared memory
};

Case Compile(const TestProgram& program) {
  const SourceFile source(program.name, program.text);
  driver::PipelineOptions options = OptionsOf(program);
  options.codegen.fp = FpMode::Strict;
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph);
  Case compiled;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    compiled.runs.push_back(PrepareRun(*graph, program, run, 1));
  }
  const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  for (const plan::Kernel& kernel : plan.kernels) {
    if (!kernel.tile) continue;
    compiled.barriers += plan::CountBarriers(*kernel.tile);
    compiled.shares = compiled.shares || !kernel.tile->regions.empty();
  }
  compiled.module = driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  return compiled;
}

int CountBarriers(const kernel::Block& block) {
  int count = 0;
  for (const kernel::Stmt& stmt : block.stmts) {
    count += std::holds_alternative<kernel::BarrierStmt>(stmt.what) ? 1 : 0;
    for (const kernel::Block* inner : kernel::BlocksOf(stmt)) count += CountBarriers(*inner);
  }
  return count;
}

/// Removes the barrier before which there are `left` others; lowers `left` by those that it passes.
bool RemoveBarrier(kernel::Block& block, int& left) {
  for (auto stmt = block.stmts.begin(); stmt != block.stmts.end(); ++stmt) {
    if (std::holds_alternative<kernel::BarrierStmt>(stmt->what) && left-- == 0) {
      block.stmts.erase(stmt);
      return true;
    }
    for (kernel::Block* inner : kernel::BlocksOf(*stmt)) {
      if (RemoveBarrier(*inner, left)) return true;
    }
  }
  return false;
}

/// What is wrong in that order of threads. What others write meanwhile counts as not set, so that a
/// thread may read what it does not need. `reached`: raised by the barriers that blocks came to.
std::string FindFault(const kernel::Module& module, const Case& c, kernel::RunOrder order,
                      unsigned seed, std::int64_t* reached = nullptr) {
  kernel::ModuleOptions options;
  options.execution.order = order;
  options.execution.seed = seed;
  options.execution.races = kernel::DataRaces::Unset;
  options.execution.rows_as_vectors = seed % 2 == 1;
  for (const ProgramRun& run : c.runs) {
    const kernel::ModuleResult result = RunModule(module, run, options);
    if (reached != nullptr) *reached += result.counters.barriers;
    std::string fault = CompareRun(module, run, result);
    if (!fault.empty()) return fault;
  }
  return "";
}

/// True where the result is right in every order that is tried.
bool IsAlwaysRight(const kernel::Module& module, const Case& c) {
  constexpr unsigned kSeeds = 20;
  const auto right = [&](kernel::RunOrder order, unsigned seed) {
    return FindFault(module, c, order, seed).empty();
  };
  if (!right(kernel::RunOrder::Forward, 1) || !right(kernel::RunOrder::Backward, 1)) return false;
  for (unsigned seed = 2; seed <= kSeeds; ++seed) {
    if (!right(kernel::RunOrder::Random, seed)) return false;
  }
  return true;
}

TEST_CASE("each barrier, dropped, is missed") {
  std::vector<NamedSchedule> schedules;
  for (const NamedSchedule& schedule : ScheduleMatrix()) {
    // A split decides which statements share a tile, not how it waits.
    const bool split = schedule.timed.split > 0;
    if (schedule.timed.schedule.shared_memory && !split) schedules.push_back(schedule);
  }
  int dropped = 0;
  for (const TestProgram& program : WithSchedules(Examples(), schedules, SeveralTiles)) {
    INFO(program.name);
    const Case c = Compile(program);
    std::int64_t reached = 0;
    REQUIRE(FindFault(c.module, c, kernel::RunOrder::Random, 1, &reached) == "");
    CHECK((reached == 0) != c.shares);
    int needed = 0;
    for (std::size_t n = 0; n < c.module.functions.size(); ++n) {
      const int barriers = CountBarriers(c.module.functions[n].body);
      for (int k = 0; k < barriers; ++k) {
        INFO(c.module.functions[n].name << ": barrier " << k);
        kernel::Module without = c.module;
        int left = k;
        REQUIRE(RemoveBarrier(without.functions[n].body, left));
        std::int64_t others = 0;
        const bool is_right = FindFault(without, c, kernel::RunOrder::Random, 1, &others).empty();
        if (is_right && others == reached) continue;  // in code that none of the runs takes
        CHECK(!(is_right && IsAlwaysRight(without, c)));
        ++needed;
      }
    }
    CHECK(needed >= c.barriers);
    dropped += needed;
  }
  CHECK(dropped > 80);
}

}  // namespace
}  // namespace stencilgen::testing
