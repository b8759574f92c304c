#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/dependences.h"
#include "plan/fusion.h"
#include "plan/overlap_volumes.h"

namespace stencilgen::plan {

/// A plane of an array that a cluster touches in a step of the stream, and where it is held. The
/// map of [S] 3.5.2 from accessed planes to resources is a list of these.
struct PlaneUse {
  std::uint32_t carrier = 0;  ///< index of the first version of a chain of accumulations
  std::int64_t plane = 0;     ///< along the stream, from the newest point of the cluster's inputs
  bool shared = false;        ///< in shared memory; else in an explicit register
};

/// Operators that are fused, or may be: what [S] 3.5 asks of them.
struct FusionCluster {
  std::vector<int> ops;            ///< places in the region, ascending
  std::vector<std::int64_t> lags;  ///< of each: planes it is behind, so that what it reads is there
  std::vector<PlaneUse> planes;    ///< by carrier and plane
  std::vector<std::uint32_t> results;  ///< versions it defines, ascending
  std::vector<std::uint32_t> reads;    ///< versions it reads that others define, ascending
  std::vector<std::uint32_t> arrays;   ///< it writes, ascending
  int registers = 0, shared = 0;       ///< N_reg, N_shm: of `planes`
};

/// Points of `extents`, from where to where in each dimension.
struct FusionBox {
  std::array<std::int64_t, 3> lo = {0, 0, 0}, hi = {0, 0, 0};
};

/// Makes `all` hold both. Requires: neither is empty.
void Include(FusionBox& all, const FusionBox& one, std::size_t dimensions);

/// Resources, profitability and T_max of the clusters of one region.
class FusionModel {
 public:
  /// Everything that is referred to must outlive the model.
  FusionModel(const graph::Graph& graph, graph::RegionId region, const Schedule& schedule,
              const FusionSettings& settings);

  std::size_t size() const { return ops_.size(); }
  /// False for loops, scalars, and what does not write a point for each it computes.
  bool MayFuse(int place) const { return ops_[static_cast<std::size_t>(place)].fusable; }
  /// True where both walk the same iterators.
  bool SameShape(int a, int b) const;

  FusionCluster Single(int place) const;
  FusionCluster Join(const FusionCluster& a, const FusionCluster& b) const;
  FusionTuple Tuple(const FusionCluster& a, const FusionCluster& b) const;

  /// What [S] 3.5.7 says of registers and shared memory.
  std::optional<FusionRefusal> CheckResources(const FusionCluster& cluster) const;
  /// The volumes of its tiles; empty where these have no room for the halos.
  std::optional<OverlapVolumes> Volumes(const FusionCluster& cluster) const;
  /// T_max; infinite where there are no volumes.
  double Seconds(const FusionCluster& cluster) const;
  /// The results that somebody reads after the cluster.
  std::vector<graph::VersionId> Stored(const FusionCluster& cluster) const;
  std::vector<graph::NodeId> Nodes(const FusionCluster& cluster) const;

 private:
  /// Where an operator reads one version: the box of its offsets.
  struct Read {
    std::uint32_t version = 0;
    FusionBox offset;
    bool neighbour = false;    ///< all offsets are fixed distances
    bool accumulated = false;  ///< the old value of an accumulation
  };
  struct OperatorModel {
    bool fusable = false;
    const graph::Operator* op = nullptr;
    std::vector<Read> reads;
    std::vector<PlaneUse> planes;  ///< of the operator alone
    FusionBox domain;
    double flops = 0;
    bool double_precision = false;
  };

  void AddReads(OperatorModel& model);
  void AddPlanes(OperatorModel& model) const;
  void FindUses();
  std::int64_t Along(const graph::Operator& op, const std::array<std::int64_t, 3>& offset) const;
  std::optional<std::size_t> StreamOf(const graph::Operator& op) const;
  bool AreDependent(const FusionCluster& a, const FusionCluster& b) const;
  void SetLags(FusionCluster& cluster) const;
  void SetPlanes(FusionCluster& cluster) const;
  const graph::Array& ArrayOf(std::uint32_t version) const;
  const OperatorModel& At(int place) const { return ops_[static_cast<std::size_t>(place)]; }

  const graph::Graph& graph_;
  const std::vector<graph::NodeId>& nodes_;
  const Schedule& schedule_;
  const FusionSettings& settings_;
  const machine::Gpu& device_;
  graph::ParameterValues sizes_;
  std::vector<OperatorModel> ops_;
  std::vector<std::uint32_t> carrier_;     ///< by version
  std::vector<int> definer_;               ///< by version: place; -1 where it is not of the region
  std::vector<std::vector<int>> readers_;  ///< by version: places, ascending
  std::vector<bool> live_out_;             ///< by version: read after the region, or in a loop
};

/// Values of the parameters that plans are made for where none are given: fixed or default ones,
/// else usual extents of programs of that many dimensions.
graph::ParameterValues UsualSizes(const graph::Graph& graph);

}  // namespace stencilgen::plan
