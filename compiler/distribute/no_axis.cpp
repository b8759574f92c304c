#include "distribute/no_axis.h"

#include <vector>

#include <fmt/format.h>

namespace stencilgen::distribute {

namespace {

constexpr DiagnosticKind<std::string, std::string> kNoAxis{
    "mpi-no-axis", Severity::Error, "--mpi cannot share the points among ranks: along {}, {}"};
constexpr DiagnosticKind<> kNoGrid{"mpi-no-axis", Severity::Error,
                                   "--mpi needs a statement that computes an array point by point"};

}  // namespace

void ReportNoAxis(DiagnosticSink& sink, const std::string& iterator, const Refusal& refusal) {
  sink.Report(refusal.span, kNoAxis, iterator, refusal.why)
      .Hint(refusal.hint.empty()
                ? "ranks share the points of an iterator where every statement reads at fixed "
                  "distances along it; without --mpi the program runs on one machine"
                : refusal.hint);
}

void ReportNoGrid(DiagnosticSink& sink, Span span) {
  sink.Report(span, kNoGrid);
}

std::string AskForRing(const graph::Graph& graph, graph::ArrayId id, std::size_t d,
                       const graph::LinearForm& extent) {
  const graph::Array& array = graph.arrays[id];
  const std::vector<std::string> names = graph::ParameterNames(graph);
  std::string shape;
  for (std::size_t k = 0; k < array.rank(); ++k) {
    if (k > 0) shape += ',';
    shape += graph::ToString(k == d ? extent : array.extents[k], names);
  }
  return fmt::format(
      "if the last elements of '{0}' are copies of its first ones, declare `{0}[{1}]` and "
      "`boundary "
      "{0} = wrap` instead; without --mpi the program runs on one machine",
      array.name, shape);
}

}  // namespace stencilgen::distribute
