#include "distribute/distribute.h"

#include "distribute/choose_turns.h"
#include "distribute/find_grid.h"
#include "distribute/local_graph.h"
#include "distribute/place_exchanges.h"
#include "distribute/segments.h"

namespace stencilgen::distribute {

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
  for (std::size_t number = 0; number < program.sources.size(); ++number) {
    program.segments.push_back(MakeSegment(program, number));
  }
  return program;
}

}  // namespace stencilgen::distribute
