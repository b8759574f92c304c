#pragma once

#include "choose/choose_matrix_tiles.h"
#include "choose/nest_options.h"
#include "driver/pipeline.h"
#include "graph/graph.h"
#include "passes/reorder.h"

/// What a program's options mean for its target.
namespace stencilgen::driver {

/// C++: loops run in tiles of several turns, where they can. Tiles of one turn that are asked for
/// are meant as they are.
bool TilesTurns(const PipelineOptions& options);

/// Products of matrices and the like have tiles of their own, unless plain kernels are asked for:
/// tiles of a loop nest on a CPU, no shared memory on a GPU. What is said of streams and turns is
/// about kernels that read neighbours.
bool HasMatrixTiles(const PipelineOptions& options);

/// What is given of blocks, and of points along each axis.
choose::GivenTile GivenTileOf(const PipelineOptions& options);

/// The program's own `unroll` where the command line says nothing.
void ApplyUnrollWishes(const graph::Graph& graph, PipelineOptions& options);

/// The order of operations: what the command line says, else on the C++ target the best.
passes::ReorderOptions OrderOptions(const PipelineOptions& options);

/// How nests of the C++ target are chosen.
choose::NestOptions NestOptionsOf(const graph::Graph& graph, const PipelineOptions& options);

/// What the C++ target leaves to ChooseNests, which puts statements together.
void LeaveToNests(PipelineOptions& options);

}  // namespace stencilgen::driver
