#pragma once

#include <nlohmann/json.hpp>

#include "plan/cost.h"
#include "tools/explain/report.h"

/// The parts of a report, each in a file of its name.
namespace stencilgen::driver {

using Json = nlohmann::ordered_json;

/// `arrays`, `versions` and `nodes`: the graph that the kernels compute, time steps unrolled.
Json GraphReport(const Explained& explained);

/// `kernels`, in the order of the plan. `cost`: empty on a CPU, and where nothing can be predicted.
Json KernelsReport(const Explained& explained, const plan::PlanCost& cost);

/// A kernel's tile: its shape, where and when each plane is, and the steps of its stream.
Json TileReport(const plan::Plan& plan, const plan::Tile& tile,
                const graph::ParameterValues& sizes);

/// Threads that compute single points or walk along a stream without a tile.
Json PointsReport(const plan::Plan& plan, const plan::Kernel& kernel,
                  const graph::ParameterValues& sizes);

/// Blocks of threads, or turns of a nest, that run all turns of loops at their points.
/// Requires: the kernel has a matrix tile.
Json MatrixReport(const plan::Plan& plan, const plan::Kernel& kernel,
                  const graph::ParameterValues& sizes);

/// A kernel's loops on a CPU.
Json NestReport(const Explained& explained, plan::KernelId kernel);

/// `steps`: what the host does, with the tiles of loops on a CPU.
Json StepsReport(const Explained& explained);

/// Tiles of several turns of a loop on a CPU. Requires: the loop has a band.
Json BandReport(const Explained& explained, const plan::Repeat& repeat);

/// The tiles of a loop in hexagons. Requires: its band has them.
Json HexagonReport(const plan::Plan& plan, const plan::Repeat& repeat);

/// `device`: what it can do, for elements of the widest type that is computed.
Json DeviceReport(const Explained& explained);

/// `work` and `prediction` of one run of the program.
Json WorkReport(const Explained& explained, const plan::PlanCost& cost);
Json PredictionReport(const Explained& explained, const plan::PlanCost& cost);

/// `alternatives`: schedules, options, fusions and tiles that were not chosen, and why.
Json AlternativesReport(const Explained& explained, const plan::PlanCost& cost);

/// The widest type that the kernels compute: whose peak counts.
ScalarType WidestType(const graph::Graph& graph);

/// By kernel: how often it is launched in one run.
std::vector<double> CountLaunches(const plan::Plan& plan, const graph::ParameterValues& sizes);

/// The same, but of a matrix tile each turn of the loops that it runs counts.
std::vector<double> CountTurns(const plan::Plan& plan, const graph::ParameterValues& sizes);

/// What a dimension's members begin with: the operator's n-th iterator, and its range in the
/// domain.
Json DimensionJson(const graph::Graph& graph, const graph::Operator& op, std::size_t n,
                   const graph::ParameterValues& sizes);

/// `[lo, hi]`, null for an empty range.
Json RangeJson(const graph::Range& range);

/// Offsets of all accesses of `version` by the operator, along its iterators, without repetitions;
/// null along an iterator that does not index it. What is not at a fixed distance is left out.
Json OffsetsJson(const graph::Graph& graph, const graph::Operator& op, graph::VersionId version);

}  // namespace stencilgen::driver
