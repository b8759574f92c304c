#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>

#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "passes/eliminate_dead.h"
#include "support/catch.h"
#include "support/graph_builder.h"

// Random graphs, evaluated point by point with a copy of every array at every step: what the
// interpreter's rows, shared memory and lifetimes must not change.
namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::At;
using testing::Bounds;
using testing::Ex;
using testing::GraphBuilder;
using Doubles = std::vector<double>;

class Naive {
 public:
  Naive(const Graph& graph, std::int64_t n, const std::map<std::string, Values>& inputs)
      : graph_(graph), n_(n), contents_(graph.versions.size()) {
    for (const VersionId id : graph.versions.Ids()) {
      const Version& version = graph.versions[id];
      if (version.def != DefKind::Initial) continue;
      const auto input = inputs.find(graph.arrays[version.array].name);
      contents_[id.index] = input == inputs.end() ? Doubles(static_cast<std::size_t>(n * n))
                                                  : std::get<Doubles>(input->second);
    }
    Region(graph.root);
  }

  const Doubles& Of(VersionId version) const { return contents_[version.index]; }

 private:
  void Region(RegionId region) {
    for (const NodeId node : graph_.regions[region].nodes) {
      if (const auto* op = std::get_if<Operator>(&graph_.nodes[node])) {
        Apply(*op);
      } else {
        Repeat(std::get<Loop>(graph_.nodes[node]));
      }
    }
  }

  void Apply(const Operator& op) {
    Doubles result = op.background.Valid() ? contents_[op.background.index]
                                           : Doubles(static_cast<std::size_t>(n_ * n_));
    const Range rows = Evaluate(op.domain.intervals[0], {n_});
    const Range columns = Evaluate(op.domain.intervals[1], {n_});
    for (std::int64_t j = rows.lo; j <= rows.hi; ++j) {
      for (std::int64_t i = columns.lo; i <= columns.hi; ++i) {
        const std::int64_t point[] = {j, i};
        std::vector<double> lets;
        for (const Let& let : op.lets) lets.push_back(Value(let.value, point, lets));
        result[static_cast<std::size_t>(j * n_ + i)] = Value(op.value, point, lets);
      }
    }
    contents_[op.result.index] = result;
  }

  void Repeat(const Loop& loop) {
    std::vector<Doubles> current;
    for (const Carried& carried : loop.carried) current.push_back(Of(carried.initial));
    for (std::int64_t turn = 0; turn < Evaluate(loop.turns, {n_}); ++turn) {
      for (std::size_t k = 0; k < current.size(); ++k) {
        contents_[loop.carried[k].entry.index] = current[k];
      }
      Region(loop.body);
      for (std::size_t k = 0; k < current.size(); ++k) current[k] = Of(loop.carried[k].next);
    }
    for (std::size_t k = 0; k < current.size(); ++k) {
      contents_[loop.carried[k].result.index] = current[k];
    }
  }

  double Value(ExprId id, const std::int64_t* point, const std::vector<double>& lets) const {
    const Expr& expr = graph_.exprs[id];
    if (const auto* literal = std::get_if<Literal>(&expr.node)) return literal->value;
    if (const auto* ref = std::get_if<LetRef>(&expr.node)) {
      return lets[static_cast<std::size_t>(ref->let)];
    }
    if (const auto* binary = std::get_if<Binary>(&expr.node)) {
      const double lhs = Value(binary->lhs, point, lets);
      const double rhs = Value(binary->rhs, point, lets);
      return binary->op == BinaryOp::Add ? lhs + rhs : lhs * rhs;
    }
    const Access& access = std::get<Access>(expr.node);
    std::int64_t position = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      const Index& index = access.indices[d];
      std::int64_t x = point[index.iterator] * index.coefficient + index.offset.constant;
      const bool wraps = !access.boundary.empty() && access.boundary[d].kind == BoundaryKind::Wrap;
      while (wraps && x < 0) x += n_;
      while (wraps && x >= n_) x -= n_;
      position = position * n_ + std::clamp<std::int64_t>(x, 0, n_ - 1);
    }
    return contents_[access.version.index][static_cast<std::size_t>(position)];
  }

  const Graph& graph_;
  const std::int64_t n_;
  std::vector<Doubles> contents_;
};

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed), b_({"j", "i"}), n_(b_.Parameter("N")) {
    for (int k = 0; k < 5; ++k) {
      ArrayHandle array = b_.Array(fmt::format("a{}", k), {n_, n_}).CopyIn();
      if (k < 2) array.CopyOut();
      arrays_.push_back(array);
    }
    Statements(6, 2);
  }
  Graph Finish() { return b_.Finish(); }

 private:
  int Pick(int lo, int hi) { return std::uniform_int_distribution(lo, hi)(random_); }
  const ArrayHandle& AnyArray() { return arrays_[static_cast<std::size_t>(Pick(0, 4))]; }

  void Statements(int count, int depth) {
    for (int k = 0; k < count; ++k) {
      const int what = Pick(0, 9);
      if (what == 0 && depth > 0) {
        b_.Repeat(LinearForm::Constant(Pick(0, 3)), arrays_, [&] { Statements(4, depth - 1); });
      } else if (what == 1) {
        b_.Swap(AnyArray(), AnyArray());
      } else {
        Statement();
      }
    }
  }

  void Statement() {
    Ex value = Pick(0, 4) == 0 ? b_.Number(Pick(-3, 3)) : Term();
    if (Pick(0, 3) == 0) value = b_.Let("c", value);
    for (int terms = Pick(0, 2); terms > 0; --terms) value = value + Term();
    const std::vector<Bounds> domain = {{Pick(0, 2), n_ - Pick(1, 3)},
                                        {Pick(0, 2), n_ - Pick(1, 3)}};
    b_.Assign(AnyArray(), Pick(0, 2) == 0 ? std::vector<Bounds>{{0, n_ - 1}, {0, n_ - 1}} : domain,
              value);
  }

  Ex Term() {
    const BoundaryKind kind = Pick(0, 1) == 0 ? BoundaryKind::Clamp : BoundaryKind::Wrap;
    const int offset_j = Pick(-1, 1);
    const int offset_i = Pick(-1, 1);
    const bool turned = Pick(0, 5) == 0;
    return 0.5 * b_.Read(AnyArray(), {At(turned ? 1 : 0, offset_j), At(turned ? 0 : 1, offset_i)},
                         {{kind}, {kind}});
  }

  std::mt19937 random_;
  GraphBuilder b_;
  LinearForm n_;
  std::vector<ArrayHandle> arrays_;
};

TEST_CASE("random graphs mean the same point by point and without their dead parts",
          "[interpret][eliminate-dead]") {
  std::size_t removed = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Graph graph = RandomProgram(seed).Finish();
    const Graph smaller = passes::EliminateDead(graph);
    INFO("seed " << seed << "\n" << Print(graph) << "\nbecomes\n" << Print(smaller));
    REQUIRE(Verify(graph) == std::vector<std::string>{});
    REQUIRE(Verify(smaller) == std::vector<std::string>{});
    removed += graph.nodes.size() - smaller.nodes.size();
    for (const std::int64_t n : {1, 2, 3, 7}) {
      std::map<std::string, Values> inputs;
      for (int k = 0; k < 5; ++k) {
        Doubles values;
        for (int x = 0; x < n * n; ++x) values.push_back((x * 7 + k * 3) % 11 - 5);
        inputs[fmt::format("a{}", k)] = values;
      }
      const Naive naive(graph, n, inputs);
      const InterpretResult whole = Interpret(graph, {n}, inputs);
      const InterpretResult live = Interpret(smaller, {n}, inputs);
      REQUIRE(whole.error.empty());
      for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
        REQUIRE(whole.outputs[k] == Values(naive.Of(graph.outputs[k].version)));
      }
      const InterpretResult threaded = Interpret(graph, {n}, inputs, {.threads = 3});
      REQUIRE(threaded.outputs == whole.outputs);
      REQUIRE(threaded.defined == whole.defined);
      REQUIRE(live.outputs == whole.outputs);
      REQUIRE(live.defined == whole.defined);
    }
  }
  CHECK(removed > 100);  // the programs do have dead parts
}

}  // namespace
}  // namespace stencilgen::graph
