#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "machine/cpu.h"
#include "plan/loop_nest.h"

/// What a nest moves between the levels of a CPU's caches, by layer conditions: a plane or a row of
/// an array is read once where all that is used until it is read again fits half of a cache.
namespace stencilgen::choose {

/// Bytes a point, of elements read and written. What stores read of a line before they change it is
/// not in them, nor is it in a CPU's bandwidths.
struct NestTraffic {
  std::vector<double> out_of;  ///< by cache from the second on: what comes into the one before it
  double memory = 0;           ///< what comes out of the memory
};

/// For operators that share a nest at those sizes. Every thread has its share of each cache.
NestTraffic FindTraffic(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
                        const plan::LoopNest& nest, const graph::ParameterValues& sizes,
                        const machine::Cpu& cpu);

/// Seconds of a point on all cores together for what the nest moves: of the slowest level.
double SecondsOf(const NestTraffic& traffic, const plan::LoopNest& nest, const machine::Cpu& cpu);

/// Gives the nest tiles by the cache (plan::kTileByCache) along the second of three iterators where
/// its operators read planes again along the first.
void SetTileByCache(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
                    plan::LoopNest& nest);
/// The nest with the tiles that its code finds at those sizes on the CPU: stencilgen::TileRows of
/// the runtime. Others are as they were.
plan::LoopNest TilesAt(plan::LoopNest nest, const graph::Operator& op,
                       const graph::ParameterValues& sizes, const machine::Cpu& cpu);

/// Bytes of all that is used from one read of an element to the next along each iterator but the
/// last: of planes, of rows, ... As FindTraffic.
std::vector<double> FindLayers(const graph::Graph& graph,
                               const std::vector<const graph::Operator*>& ops,
                               const plan::LoopNest& nest, const graph::ParameterValues& sizes);
/// True where a thread's share of a cache, in bytes, keeps so many until they are read again.
bool HoldsLayer(double bytes, std::int64_t share);

/// The points of the operator's domain along each of its iterators, at least 1.
std::vector<double> ExtentsOf(const graph::Operator& op, const graph::ParameterValues& sizes);

}  // namespace stencilgen::choose
