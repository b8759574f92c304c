#include "kernel/verify_graphs.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "support/match.h"

namespace stencilgen::kernel {
namespace {

/// By buffer, the one whose memory it has.
using Memory = std::vector<std::size_t>;

class GraphVerifier {
 public:
  explicit GraphVerifier(const Module& module) : module_(module) {}

  std::vector<std::string> Run() {
    Find(module_.steps);
    return std::move(problems_);
  }

 private:
  void Report(std::string_view problem) {
    problems_.push_back(fmt::format("a loop in graphs: {}", problem));
  }

  /// Looks for loops with graphs. What the turns of the loops around one are, it may know.
  void Find(const Steps& steps) {
    for (const Step& step : steps) {
      if (const auto* scope = std::get_if<ScopeStep>(&step.what)) {
        Find(scope->body);
        Find(scope->otherwise);
      }
      const auto* repeat = std::get_if<RepeatStep>(&step.what);
      if (repeat == nullptr) continue;
      if (repeat->graph) {
        Check(*repeat);
        continue;
      }
      const bool is_new = known_.insert(repeat->var).second;
      Find(repeat->body);
      if (is_new) known_.erase(repeat->var);
    }
  }

  void Check(const RepeatStep& repeat) {
    const TurnGraph& graph = *repeat.graph;
    if (!numbers_.insert(graph.number).second || graph.number >= module_.graphs) {
      Report("its number is not its own");
    }
    if (repeat.until.Valid() || repeat.first.Valid()) Report("it ends or begins elsewhere");
    const bool counts = std::any_of(repeat.body.begin(), repeat.body.end(), [](const Step& step) {
      return std::holds_alternative<CodeStep>(step.what);
    });
    if (counts && !graph.alike.Valid()) Report("its last turn may be another one");
    if (IsTurn(repeat.var)) Report("kernels see the variable that it counts with");
    const Memory home = Home();
    Memory memory = home;
    Follow(repeat.body, memory);
    const Memory once = memory;
    for (std::int64_t turn = 1; turn < graph.period; ++turn) memory = Then(memory, once);
    if (memory != home) Report("memory is elsewhere after a period");
    if (graph.period < 1 || graph.turns < 1 || graph.turns % graph.period != 0) {
      Report("a graph of a part of a period");
    }
  }

  Memory Home() const {
    Memory memory(module_.buffers.size());
    std::iota(memory.begin(), memory.end(), std::size_t{0});
    return memory;
  }
  static Memory Then(const Memory& first, const Memory& second) {
    Memory both;
    for (const std::size_t buffer : second) both.push_back(first[buffer]);
    return both;
  }

  void Follow(const Steps& steps, Memory& memory) {
    for (const Step& step : steps) {
      Match(
          step.what, [&](const LaunchStep& launch) { Check(module_.launches[launch.kernel]); },
          [&](const CodeStep& code) { Check(code.code); },
          [&](const ReadStep&) { Report("the host waits for an element"); }, [](const CopyStep&) {},
          [&](const RotateStep& rotate) {
            const std::size_t first = memory[rotate.cycle.front()];
            for (std::size_t k = 0; k + 1 < rotate.cycle.size(); ++k) {
              memory[rotate.cycle[k]] = memory[rotate.cycle[k + 1]];
            }
            memory[rotate.cycle.back()] = first;
          },
          [&](const RepeatStep& inner) { Follow(inner, memory); },
          [&](const BandStep&) { Report("loops of the host in it"); },
          [&](const ScopeStep& scope) {
            CheckKnown(scope.condition);
            if (!scope.otherwise.empty()) Report("a choice of two in it");
            Follow(scope.body, memory);
          });
    }
  }

  void Follow(const RepeatStep& inner, Memory& memory) {
    const auto turns = NumberOf(inner.turns);
    if (!turns || inner.until.Valid()) return Report("a loop in it of any number of turns");
    if (inner.graph) Report("a graph in a graph");
    const bool is_new = known_.insert(inner.var).second;
    Memory once = Home();
    Follow(inner.body, once);
    if (is_new) known_.erase(inner.var);
    for (std::int64_t turn = 0; turn < *turns; ++turn) memory = Then(memory, once);
  }

  bool IsTurn(const VarRef& var) const {
    return std::find(module_.turns.begin(), module_.turns.end(), var) != module_.turns.end();
  }

  /// Turns of the loop itself, and of loops that nobody counts.
  void CheckKnown(const VarRef& var) {
    if (IsTurn(var) && known_.count(var) == 0) {
      Report(fmt::format("{} is another one in each turn", var->name));
    }
  }
  void CheckKnown(const Expr& expr) {
    if (!expr.Valid()) return;
    static_cast<void>(Renamed(expr, [&](const VarRef& var) {
      CheckKnown(var);
      return var;
    }));
  }

  void Check(const Launch& launch) {
    CheckKnown(launch.condition);
    for (const LaunchRange& range : launch.ranges) {
      CheckKnown(range.first);
      CheckKnown(range.last);
      CheckKnown(range.condition);
    }
    for (const VarRef& argument : launch.arguments) CheckKnown(argument);
  }

  /// The stages of a pipeline are counted before each launch; nothing else is computed.
  void Check(const Block& code) {
    for (const Stmt& stmt : code.stmts) {
      const auto* assign = std::get_if<AssignStmt>(&stmt.what);
      const auto* target = assign == nullptr ? nullptr : assign->target.As<VarExpr>();
      const bool counts = target != nullptr &&
                          std::count(module_.stages.begin(), module_.stages.end(), target->var) > 0;
      if (!counts) Report("the host computes something in each turn");
    }
  }

  const Module& module_;
  std::set<std::size_t> numbers_;
  std::set<VarRef> known_;  ///< turns of loops around, and of those in it
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> VerifyGraphs(const Module& module) {
  return GraphVerifier(module).Run();
}

}  // namespace stencilgen::kernel
