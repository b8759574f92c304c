#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "machine/gpu.h"
#include "plan/schedule.h"
#include "plan/tile.h"

/// What greedy fusion ([S] 3.5: Rawat, *Optimization of Stencil Computations on GPUs*, Ohio State
/// 2018) is told, decides and records.
namespace stencilgen::plan {

/// The profitability of fusing two clusters ([S] 3.5.5).
struct FusionTuple {
  int data_movement = 0;  ///< D_m: 2 an array read after it is written, 1 one written or read twice
  int registers = 0;      ///< T_reg: planes in explicit registers of the fused cluster
  int shared = 0;         ///< T_shm: planes in shared memory of the fused cluster
  int saved_registers = 0;  ///< S_reg: what the clusters have alone, less T_reg
  int saved_shared = 0;     ///< S_shm
  friend bool operator==(const FusionTuple&, const FusionTuple&) = default;
};

/// True where `a` is strictly more profitable than `b`: rules a to g of [S] 3.5.6, in the
/// objective's order. Where neither is, rule h takes the pair that comes first in the program.
///   DataMovement: a b c d e f g. Registers puts rule d first, SharedMemory rule c; the others
///   follow
/// in the same order.
bool MoreProfitable(const FusionTuple& a, const FusionTuple& b, FusionObjective objective);

/// Two clusters that may be fused. Operators are places in RegionFusion::operators.
struct FusionCandidate {
  std::vector<int> left, right;  ///< ascending; `left` has the first operator of both
  FusionTuple tuple;
};

/// What keeps a candidate from being fused.
enum class FusionConstraint : std::uint8_t {
  Size,           ///< more operators than a kernel may have
  Registers,      ///< explicit registers ([S] 3.5.7)
  SharedMemory,   ///< of a block ([S] 3.5.7)
  Recomputation,  ///< T_max is above the sum of the parts' ([S] 3.5.8)
  Tile,           ///< no kernel can compute it (BuildTile)
  Spills,         ///< the caller's check: registers spilled ([S] 3.5.9)
  Price           ///< the plan is predicted to take longer
};
/// `shared memory`, `recomputation`, ...
std::string_view ToString(FusionConstraint constraint);

struct FusionRefusal {
  FusionConstraint constraint = FusionConstraint::Tile;
  std::string reason;  ///< a clause with its numbers: `it needs 12 KiB of shared memory of 8 KiB`
};

/// A candidate that was looked at in a step and not fused.
struct RefusedCandidate {
  FusionCandidate candidate;
  FusionRefusal refusal;
};

/// One turn of the greedy loop.
struct FusionStep {
  /// The first few in order of profitability, those refused in earlier steps left out.
  std::vector<FusionCandidate> candidates;
  std::size_t more = 0;  ///< candidates that are not listed
  std::vector<RefusedCandidate> refused;
  std::optional<FusionCandidate> taken;  ///< none in the last step
  double seconds_apart = 0;              ///< T_max of the two parts that were taken, together
  double seconds_fused = 0;              ///< T_max of what they became
};

/// A candidate that has passed all other constraints.
struct FusionProposal {
  const graph::Graph& graph;
  std::vector<graph::NodeId> ops;               ///< of the fused cluster, in graph order
  const std::vector<graph::VersionId>& stored;  ///< the results that somebody reads after it
  const Tile* tile = nullptr;                   ///< null where FusionSettings::tiles is off
  const Schedule& schedule;
};

/// The caller's own constraint, asked last because it may be expensive (compiling the kernel). A
/// refusal with FusionConstraint::Spills also rules out, without asking, every later candidate that
/// would have all these operators in one cluster: fusion only adds to what a kernel needs.
using FusionCheck = std::function<std::optional<FusionRefusal>(const FusionProposal&)>;

/// Told, once a step, which candidates the check will probably be asked about, the most likely
/// first: it may find the answers all at once. They pass all other constraints.
using FusionForesight = std::function<void(const std::vector<FusionProposal>&)>;

struct FusionSettings {
  const machine::Gpu* device = nullptr;  ///< null: machine::DefaultGpu()
  graph::ParameterValues sizes;          ///< empty: defaults of the parameters, else usual ones
  int blocks_per_sm = 1;                 ///< N_B: that must fit by their shared memory
  int register_limit = 0;                ///< R_max: of a thread; 0: the device's
  bool tiles = true;                     ///< a cluster must have a tile that BuildTile accepts
  FusionCheck check;                     ///< empty: none
  FusionForesight foresight;             ///< empty: none
  std::size_t foreseen = 4;              ///< candidates it is told of
  std::size_t logged_candidates = 8;     ///< listed in a step
};

/// The clusters of one region.
struct RegionFusion {
  graph::RegionId region;
  std::vector<graph::NodeId> operators;  ///< all nodes of the region, in graph order
  /// All nodes, loops and scalars as clusters of their own, in an order in which each cluster comes
  /// after all that it depends on. Operators of a cluster are in graph order.
  std::vector<std::vector<graph::NodeId>> clusters;
  std::vector<FusionStep> steps;
  /// Clusters that were taken apart again in the end, because plans with them are predicted to
  /// take longer.
  std::vector<RefusedCandidate> undone;
};

struct FusionResult {
  std::vector<RegionFusion> regions;  ///< the root, then bodies of loops, in graph order
};

}  // namespace stencilgen::plan
