#include <set>

#include <fmt/format.h>

#include "graph/interpret.h"
#include "graph/print.h"
#include "passes/eliminate_dead.h"
#include "passes/unroll_time.h"
#include "plan_test_tools.h"
#include "support/prng.h"

// Random programs, their plans executed and compared with the interpreter.
namespace stencilgen::testing {
namespace {

constexpr int kArrays = 4;
constexpr int kScalars = 2;

struct Statement {
  enum class Kind { Assign, AssignScalar, Swap, Repeat };
  Kind kind = Kind::Assign;
  int target = 0;                          ///< array or scalar
  int other = 0;                           ///< of a swap
  std::vector<std::pair<int, int>> reads;  ///< array and offset
  int scalar = 0;
  int lo = 0;
  int cut = 1;     ///< the domain ends at M - cut
  int count = -1;  ///< of a repeat: turns, -1 for the parameter T
  std::vector<Statement> body;
};

Statement RandomAssign(Prng& prng) {
  Statement statement;
  statement.target = prng.Below(kArrays);
  const bool pointwise = prng.Percent(30);
  statement.reads.emplace_back(prng.Percent(70) ? statement.target : prng.Below(kArrays),
                               pointwise ? 0 : prng.Range(-1, 1));
  if (prng.Percent(60)) statement.reads.emplace_back(prng.Below(kArrays), prng.Range(-1, 1));
  statement.scalar = prng.Below(kScalars);
  const bool inside = prng.Percent(80);
  statement.lo = inside ? 1 : prng.Range(1, 3);
  statement.cut = inside ? 2 : prng.Range(2, 3);
  if (pointwise && statement.reads.size() == 1 && prng.Percent(50)) {
    statement.lo = 0;
    statement.cut = 1;
  }
  return statement;
}

std::vector<Statement> RandomBlock(Prng& prng, int depth) {
  std::vector<Statement> block;
  const int count = prng.Range(1, depth == 0 ? 7 : 4);
  for (int k = 0; k < count; ++k) {
    Statement statement = RandomAssign(prng);
    if (depth < 3 && prng.Percent(25)) {
      statement.kind = Statement::Kind::Repeat;
      statement.count = prng.Range(-1, 3);
      statement.body = RandomBlock(prng, depth + 1);
    } else if (prng.Percent(15)) {
      statement.kind = Statement::Kind::Swap;
      statement.other = prng.Below(kArrays);
    } else if (prng.Percent(15)) {
      statement.kind = Statement::Kind::AssignScalar;
      statement.target = prng.Below(kScalars);
    }
    block.push_back(std::move(statement));
  }
  return block;
}

/// Builds the graph of a random program. Sometimes an expression is one from earlier in the same
/// region, so that it reads versions that newer ones have replaced.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : prng_(seed), builder_({"i"}) {
    extent_ = builder_.Parameter("M");
    turns_ = builder_.Parameter("T");
    for (int k = 0; k < kArrays; ++k) {
      arrays_.push_back(builder_.Array(fmt::format("u{}", k), {extent_}).CopyIn());
      if (k < 2 || prng_.Percent(50)) arrays_.back().CopyOut();
    }
    for (int k = 0; k < kScalars; ++k) scalars_.push_back(builder_.Scalar(fmt::format("a{}", k)));
  }
  graph::Graph Build() {
    carry_all_ = prng_.Percent(20);
    Emit(RandomBlock(prng_, 0));
    return builder_.Finish();
  }

 private:
  void Emit(const std::vector<Statement>& block) {
    std::vector<Ex> earlier;
    for (const Statement& statement : block) {
      if (statement.kind == Statement::Kind::Repeat) {
        EmitRepeat(statement);
      } else if (statement.kind == Statement::Kind::Swap) {
        builder_.Swap(Array(statement.target), Array(statement.other));
      } else if (statement.kind == Statement::Kind::AssignScalar) {
        builder_.Assign(Scalar(statement.target), {},
                        0.5 * Scalar(statement.target)() + Scalar(statement.scalar)());
      } else {
        EmitAssign(statement, earlier);
      }
    }
  }
  void EmitAssign(const Statement& statement, std::vector<Ex>& earlier) {
    Ex value = 0.5 * Array(statement.reads[0].first)(statement.reads[0].second);
    for (std::size_t k = 1; k < statement.reads.size(); ++k) {
      value = value + 0.25 * Array(statement.reads[k].first)(statement.reads[k].second);
    }
    value = value + 0.125 * Scalar(statement.scalar)();
    earlier.push_back(Array(statement.target)(0) * Scalar(statement.scalar)());
    if (prng_.Percent(25)) value = value + 0.25 * prng_.Pick(earlier);
    builder_.Assign(Array(statement.target), {{statement.lo, extent_ - statement.cut}}, value);
  }
  void EmitRepeat(const Statement& statement) {
    std::set<int> arrays;
    std::set<int> scalars;
    Assigned(statement.body, arrays, scalars);
    std::vector<ArrayHandle> carried;
    for (int k = 0; k < kArrays; ++k) {
      if (carry_all_ || arrays.count(k) != 0) carried.push_back(Array(k));
    }
    for (int k = 0; k < kScalars; ++k) {
      if (carry_all_ || scalars.count(k) != 0) carried.push_back(Scalar(k));
    }
    const graph::LinearForm count =
        statement.count < 0 ? turns_ - 1 : graph::LinearForm::Constant(statement.count);
    builder_.Repeat(count, carried, [&] { Emit(statement.body); });
  }
  static void Assigned(const std::vector<Statement>& block, std::set<int>& arrays,
                       std::set<int>& scalars) {
    for (const Statement& statement : block) {
      if (statement.kind == Statement::Kind::Repeat) {
        Assigned(statement.body, arrays, scalars);
      } else if (statement.kind == Statement::Kind::AssignScalar) {
        scalars.insert(statement.target);
      } else {
        arrays.insert(statement.target);
        if (statement.kind == Statement::Kind::Swap) arrays.insert(statement.other);
      }
    }
  }
  ArrayHandle& Array(int k) { return arrays_[static_cast<std::size_t>(k)]; }
  ArrayHandle& Scalar(int k) { return scalars_[static_cast<std::size_t>(k)]; }

  Prng prng_;
  GraphBuilder builder_;
  graph::LinearForm extent_, turns_;
  std::vector<ArrayHandle> arrays_, scalars_;
  bool carry_all_ = false;  ///< around every loop, also what it leaves as it is
};

TEST_CASE("plans of random programs compute what the interpreter does") {
  constexpr std::uint64_t kPrograms = 400;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const graph::Graph graph = RandomGraph(seed).Build();
    CAPTURE(seed);
    REQUIRE(graph::Verify(graph) == std::vector<std::string>{});
    const plan::Plan plan = plan::PlanKernels(graph, {});
    INFO(plan::Print(plan));
    for (const graph::ParameterValues& sizes :
         std::vector<graph::ParameterValues>{{8, 1}, {8, 2}, {9, 3}, {8, 4}, {2, 2}}) {
      REQUIRE(CheckPlan(plan, sizes, SomeInputs(graph, sizes)) == "");
    }
  }
}

TEST_CASE("the same with the bodies of loops repeated") {
  constexpr std::uint64_t kPrograms = 300;
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const graph::Graph before = RandomGraph(seed).Build();
    const int steps = static_cast<int>(seed % 3) + 2;
    const graph::Graph after = passes::UnrollTime(before, steps);
    CAPTURE(seed, steps);
    INFO(graph::Print(before) << "\nbecomes\n" << graph::Print(after));
    REQUIRE(graph::Verify(after) == std::vector<std::string>{});
    if (after.nodes.size() != before.nodes.size()) ++changed;
    const plan::Plan plan = plan::PlanKernels(after, {});
    INFO(plan::Print(plan));
    for (const std::int64_t turns : {0, 1, steps - 1, steps, steps + 1, 2 * steps + 1}) {
      const graph::ParameterValues sizes = {8, turns + 1};
      const auto inputs = SomeInputs(before, sizes);
      REQUIRE(CheckPlan(plan, sizes, inputs) == "");
      const graph::InterpretResult want = graph::Interpret(before, sizes, inputs);
      const graph::InterpretResult got = graph::Interpret(after, sizes, inputs);
      REQUIRE(got.error == want.error);
      REQUIRE(got.outputs == want.outputs);
      REQUIRE(got.defined == want.defined);
    }
  }
  CHECK(changed > kPrograms / 3);  // the others have no loop of operators alone that may run twice
}

/// Versions that some kernel of the plan stores.
std::size_t CountStored(const plan::Plan& plan) {
  std::size_t stored = 0;
  for (const plan::Kernel& kernel : plan.kernels) stored += StoredVersions(plan, kernel).size();
  return stored;
}

TEST_CASE("plans of tiles over several time steps compute what the interpreter does") {
  constexpr std::uint64_t kPrograms = 300;
  plan::Schedule schedule;
  schedule.block = {64, 1, 1};
  schedule.shared_memory = true;
  schedule.fusion = plan::Fusion::Max;
  std::size_t fused = 0;
  std::size_t frames = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const graph::Graph before = RandomGraph(seed).Build();
    const int steps = static_cast<int>(seed % 3) + 2;
    schedule.most_operators = static_cast<int>(seed % 5) + 2;
    const graph::Graph unrolled = passes::EliminateDead(passes::UnrollTime(before, steps));
    const plan::Plan plan = plan::PlanKernels(unrolled, schedule);
    CAPTURE(seed, steps);
    INFO(graph::Print(unrolled) << "\nbecomes\n" << graph::Print(plan.graph));
    INFO(plan::Print(plan));
    REQUIRE(graph::Verify(plan.graph) == std::vector<std::string>{});
    if (plan.kernels.size() < CountStored(plan)) ++fused;
    if (graph::Print(unrolled) != graph::Print(plan.graph)) ++frames;
    for (const std::int64_t turns : {0, 1, steps - 1, steps, 2 * steps + 1}) {
      for (const std::int64_t size : {2, 9}) {
        const graph::ParameterValues sizes = {size, turns + 1};
        const auto inputs = SomeInputs(before, sizes);
        REQUIRE(CheckPlan(plan, sizes, inputs) == "");
        const graph::InterpretResult want = graph::Interpret(before, sizes, inputs);
        const graph::InterpretResult got = graph::Interpret(plan.graph, sizes, inputs);
        REQUIRE(got.error == want.error);
        REQUIRE(got.outputs == want.outputs);
        REQUIRE(got.defined == want.defined);
      }
    }
  }
  CHECK(fused > kPrograms / 10);
  CHECK(frames > kPrograms / 30);
}

}  // namespace
}  // namespace stencilgen::testing
