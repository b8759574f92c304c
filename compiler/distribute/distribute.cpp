#include "distribute/distribute.h"

#include "distribute/choose_turns.h"
#include "distribute/find_grid.h"
#include "distribute/local_graph.h"
#include "distribute/place_exchanges.h"
#include "distribute/segments.h"

namespace stencilgen::distribute {

namespace {

/// Takes out what is exchanged before a loop inside of a loop where an exchange before the outer one
/// has brought it: elements that neither loop changes.
void PruneInnerExchanges(Distributed& program, Steps& steps, bool inside) {
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (auto* repeat = std::get_if<RepeatStep>(&steps[n].what)) {
      PruneInnerExchanges(program, repeat->body, true);
    }
    auto* step = std::get_if<ExchangeStep>(&steps[n].what);
    if (!inside || step == nullptr) continue;
    Exchange& exchange = step->exchange;
    for (std::size_t f = 0; f < exchange.size();) {
      const FieldDepth field = exchange[f];
      const auto at = exchange.begin() + static_cast<std::ptrdiff_t>(f);
      exchange.erase(at);
      if (VerifyGhosts(program).empty()) continue;
      exchange.insert(exchange.begin() + static_cast<std::ptrdiff_t>(f), field);
      ++f;
    }
    if (exchange.empty()) steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(n--));
  }
}

}  // namespace

std::optional<Distributed> Distribute(const graph::Graph& graph, const DistributeOptions& options,
                                      DiagnosticSink& sink) {
  auto grid = FindGrid(graph, sink);
  if (!grid) return std::nullopt;
  Distributed program;
  program.graph = graph;
  program.grid = *std::move(grid);
  program.together =
      options.together > 0 ? options.together : ChooseTurns(program.graph, program.grid);
  CutIntoSegments(program);
  PlaceExchanges(program);
  PruneInnerExchanges(program, program.steps, false);
  for (std::size_t number = 0; number < program.sources.size(); ++number) {
    program.segments.push_back(MakeSegment(program, number));
  }
  return program;
}

}  // namespace stencilgen::distribute
