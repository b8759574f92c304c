#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

/// Pipelines in time (the technique of FastStencil, SC'26): the warps of a block are the stages
/// of a pipeline, of which each makes the planes of some turns of a loop in its registers and hands
/// them on in shared memory. So a launch has more turns than the registers of a thread could hold.
namespace stencilgen::plan {

/// Kernels that are all that a loop does become pipelines of so many stages (Tile::pipeline): their
/// launches run `stages` turns of the loop, or as many as are left. The plan has the loop as if
/// each launch ran one turn. A tile can be one that streams, whose rows are a warp's and exchanged
/// by shuffles, and which stores what the loop carries and nothing else; others stay as they are.
/// Requires: Verify(plan) is empty, stages >= 1. Ensures: it still is.
Plan AddTimePipelines(Plan plan, int stages);

/// The stages of the pipeline that runs the loop's turns; 1 where there is none.
int StagesOf(const Plan& plan, const Repeat& repeat);

/// Elements that a plane of a hand-over takes in shared memory.
std::int64_t HandedElements(const Tile& tile);
/// Where in it the lane's first point is, for each lane, and where its point number `point` is from
/// there. Points lie as in a row where lanes that read vectors of them meet in no bank, or where
/// rows are copied to it; else the first vectors of all lanes lie side by side, then the second.
std::int64_t HandedStride(const Tile& tile, int vector);
std::int64_t HandedPlace(const Tile& tile, int vector, int point);
/// Boundaries between stages that have slots: one before each stage that takes over.
int HandedBoundaries(const Tile& tile);
/// Elements of a hand-over that move at once.
int HandedVector(const graph::Graph& graph, const Tile& tile, const HandOver& hand_over);

/// What is wrong with the tile's pipeline; empty for nothing. Requires: it has one.
std::vector<std::string> VerifyPipeline(const graph::Graph& graph, const Tile& tile);

/// What is wrong with the loops around the plan's pipelines; empty for nothing.
std::vector<std::string> VerifyPipelines(const Plan& plan);

}  // namespace stencilgen::plan
