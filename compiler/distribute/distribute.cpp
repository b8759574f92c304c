#include "distribute/distribute.h"

#include "distribute/choose_turns.h"
#include "distribute/collectives.h"
#include "distribute/find_grid.h"
#include "distribute/local_graph.h"
#include "distribute/place_exchanges.h"
#include "distribute/scalar_states.h"
#include "distribute/segments.h"

namespace stencilgen::distribute {

std::optional<Distributed> Distribute(const graph::Graph& graph, const DistributeOptions& options,
                                      DiagnosticSink& sink) {
  Distributed program;
  program.graph = graph;
  KeepScalarsInArrays(program.graph);
  auto grid = FindGrid(program.graph, sink);
  if (!grid) return std::nullopt;
  program.grid = *std::move(grid);
  program.collectives = SeparateCollectives(program.graph, program.grid);
  program.together =
      options.together > 0 ? options.together : ChooseTurns(program, options.setting);
  CutIntoSegments(program);
  PlaceExchanges(program);
  for (std::size_t number = 0; number < program.sources.size(); ++number) {
    program.segments.push_back(MakeSegment(program, number));
  }
  return program;
}

}  // namespace stencilgen::distribute
