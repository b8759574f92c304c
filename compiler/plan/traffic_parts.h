#pragma once

#include <vector>

#include "plan/traffic.h"

/// What the counting of tiles and of single points shares.
namespace stencilgen::plan {

inline constexpr std::int64_t kSectorBytes = 32;

/// The accesses that the operator's code evaluates: those of its value and of the lets it needs.
/// `uniform`: of lets that are the same at every point.
struct EvaluatedAccesses {
  std::vector<const graph::Access*> point, uniform;
};
EvaluatedAccesses FindEvaluated(const graph::Graph& graph, const graph::Operator& op);

/// Traffic::divisions of one point; what is the same at every point counts nothing.
std::int64_t DivisionsPerPoint(const graph::Graph& graph, const graph::Operator& op);

/// True where reads of the version go to constant memory, which costs no traffic.
bool InConstantMemory(const graph::Graph& graph, graph::VersionId version);

/// True where the operator's guards hold.
bool GuardsHold(const graph::Operator& op, const graph::ParameterValues& parameters);

/// The points of the operator's domain, by iterator.
std::vector<graph::Range> PointRanges(const graph::Operator& op,
                                      const graph::ParameterValues& parameters);
/// The elements that an access of the operator may read at those points, by dimension of the array.
std::vector<graph::Range> ReadRanges(const graph::Graph& graph, const graph::Operator& op,
                                     const std::vector<graph::Range>& points,
                                     const graph::Access& access,
                                     const graph::ParameterValues& parameters);

/// Bytes of the sectors that `rows` runs of `row_elements` touch, wherever they begin.
double SectorBytes(double rows, double row_elements, std::int64_t element_bytes);

std::int64_t ElementBytes(const graph::Graph& graph, graph::VersionId version);
/// Of a value of the version on chip, where narrow elements are as large as their type.
std::int64_t ValueBytes(const graph::Graph& graph, graph::VersionId version);

/// Fills in the counts of a kernel with a tile.
void CountTile(const Plan& plan, const Kernel& kernel, const graph::ParameterValues& parameters,
               const TileSums& sums, Traffic& traffic);
/// The same of a kernel with a matrix tile, at all turns of its loops.
void CountMatrix(const Plan& plan, const Kernel& kernel, const graph::ParameterValues& parameters,
                 Traffic& traffic);

}  // namespace stencilgen::plan
