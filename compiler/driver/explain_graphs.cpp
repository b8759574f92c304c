#include "driver/explain_graphs.h"

#include <fmt/format.h>

#include "plan/matrix_tiles.h"
#include "plan/time_pipeline.h"
#include "plan/turn_graph.h"

namespace stencilgen::driver {
namespace {

std::string Megabytes(double bytes) {
  return fmt::format("{:.3g} MB", bytes / 1e6);
}

class GraphExplainer {
 public:
  GraphExplainer(const ChosenPlan& chosen, const machine::Gpu& device)
      : chosen_(chosen),
        plan_(chosen.plan),
        rules_(plan::GraphRulesFor(plan::GraphUse::Auto, device)) {}

  std::string Run() {
    Explain(plan_.steps);
    return std::move(text_);
  }

 private:
  void Explain(const std::vector<plan::Step>& steps) {
    for (const plan::Step& step : steps) {
      const auto* repeat = std::get_if<plan::Repeat>(&step);
      if (repeat == nullptr || repeat->body.empty() || plan::RunsInKernel(plan_, *repeat)) continue;
      // What time tiles leave over is a few turns.
      if (repeat->turns.remainder && !repeat->graph) continue;
      text_ += fmt::format("  the loop over {} turns is launched {}\n", TurnsText(*repeat),
                           repeat->graph ? GraphText(*repeat) : PlainText(*repeat));
      if (!repeat->graph) Explain(repeat->body);
    }
  }

  std::string TurnsText(const plan::Repeat& repeat) const {
    const std::string turns = graph::ToString(repeat.turns, graph::ParameterNames(plan_.graph));
    const int stages = plan::StagesOf(plan_, repeat);
    return stages == 1 ? turns : fmt::format("{}, {} at a time,", turns, stages);
  }

  std::string PlainText(const plan::Repeat& repeat) const {
    const auto found = plan::FindTurnGraph(plan_, repeat, rules_);
    const auto* reason = std::get_if<std::string>(&found);
    return fmt::format("turn by turn: {}", reason != nullptr ? *reason : "graphs are not wanted");
  }

  std::string GraphText(const plan::Repeat& repeat) const {
    const plan::TurnGraph& graph = *repeat.graph;
    std::string text = fmt::format("as graphs of {} from {} on", graph.turns, graph.least);
    const int stages = plan::StagesOf(plan_, repeat);
    const std::int64_t turns = (graph::Evaluate(repeat.turns, chosen_.sizes) + stages - 1) / stages;
    bool uses = turns >= graph.least;
    const double bytes = plan::BytesOfTurn(plan_, repeat, chosen_.sizes);
    if (graph.most_bytes > 0) {
      text += fmt::format(", where it moves at most {}",
                          Megabytes(static_cast<double>(graph.most_bytes)));
      uses = uses && bytes <= static_cast<double>(graph.most_bytes);
    }
    return fmt::format("{}; with these sizes ({} launches of {}) {}", text, turns, Megabytes(bytes),
                       uses ? "it is" : "turn by turn");
  }

  const ChosenPlan& chosen_;
  const plan::Plan& plan_;
  plan::GraphRules rules_;
  std::string text_;
};

}  // namespace

std::string ExplainGraphs(const ChosenPlan& chosen, const machine::Gpu* device) {
  return GraphExplainer(chosen, device != nullptr ? *device : machine::DefaultGpu()).Run();
}

}  // namespace stencilgen::driver
