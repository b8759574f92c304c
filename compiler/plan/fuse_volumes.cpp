#include <algorithm>
#include <limits>
#include <map>

#include "plan/fuse_model.h"

namespace stencilgen::plan {

using graph::Operator;
using graph::VersionId;

namespace {

template <typename T>
bool Holds(const std::vector<T>& sorted, const T& value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

std::int64_t Size(const FusionBox& box, std::size_t d) {
  return std::max<std::int64_t>(box.hi[d] - box.lo[d] + 1, 0);
}

}  // namespace

void Include(FusionBox& all, const FusionBox& one, std::size_t dimensions) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    all.lo[d] = std::min(all.lo[d], one.lo[d]);
    all.hi[d] = std::max(all.hi[d], one.hi[d]);
  }
}

std::vector<VersionId> FusionModel::Stored(const FusionCluster& cluster) const {
  std::vector<VersionId> stored;
  for (int place : cluster.ops) {
    const VersionId result = At(place).op->result;
    const std::vector<int>& readers = readers_[result.index];
    const bool inside = !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int r) {
      return Holds(cluster.ops, r);
    });
    if (live_out_[result.index] || !inside) stored.push_back(result);
  }
  return stored;
}

std::vector<graph::NodeId> FusionModel::Nodes(const FusionCluster& cluster) const {
  std::vector<graph::NodeId> nodes;
  for (int place : cluster.ops) nodes.push_back(nodes_[static_cast<std::size_t>(place)]);
  return nodes;
}

std::optional<OverlapVolumes> FusionModel::Volumes(const FusionCluster& cluster) const {
  const Operator& first = *At(cluster.ops.front()).op;
  OverlapCut cut;
  cut.dimensions = first.iterators.size();
  cut.stream = StreamOf(first);
  if (cut.stream) cut.chunk = schedule_.stream->chunk;
  // Halos, accumulated backward ([S] 3.3.1); what the inputs' readers reach.
  std::map<std::uint32_t, Halo> halos;
  std::map<std::uint32_t, FusionBox> inputs;
  FusionBox hull = At(cluster.ops.front()).domain;
  for (auto at = cluster.ops.rbegin(); at != cluster.ops.rend(); ++at) {
    const OperatorModel& model = At(*at);
    const Halo reader = halos[model.op->result.index];
    Include(hull, model.domain, cut.dimensions);
    for (const Read& read : model.reads) {
      Halo& halo = halos[read.version];
      FusionBox box = model.domain;
      for (std::size_t d = 0; d < cut.dimensions; ++d) {
        halo.lo[d] = std::max(halo.lo[d], reader.lo[d] - read.offset.lo[d]);
        halo.hi[d] = std::max(halo.hi[d], reader.hi[d] + read.offset.hi[d]);
        box.lo[d] += read.offset.lo[d];
        box.hi[d] += read.offset.hi[d];
      }
      if (Holds(cluster.results, read.version)) continue;
      const auto [input, is_new] = inputs.try_emplace(read.version, box);
      if (!is_new) Include(input->second, box, cut.dimensions);
    }
  }
  for (std::size_t d = 0; d < cut.dimensions; ++d) {
    const std::size_t axis = cut.dimensions - 1 - d;
    cut.stored[d] = Size(hull, d);
    if (cut.stored[d] == 0) return OverlapVolumes{};
    cut.tile[d] = std::int64_t{schedule_.block[axis]} * schedule_.unroll[axis];
    for (const auto& [version, halo] : halos) {
      cut.halo.lo[d] = std::max(cut.halo.lo[d], halo.lo[d]);
      cut.halo.hi[d] = std::max(cut.halo.hi[d], halo.hi[d]);
    }
  }
  if (!cut.Fits()) return std::nullopt;
  const auto points = [&](std::uint32_t version, const FusionBox& box) {
    OverlapPoints result;
    result.bytes = static_cast<std::int64_t>(SizeInBytes(ArrayOf(version).type));
    for (std::size_t d = 0; d < cut.dimensions; ++d) result.extent[d] = Size(box, d);
    result.halo = halos[version];
    return result;
  };
  std::vector<OverlapPoints> loaded;
  std::vector<OverlapPoints> computed;
  std::vector<OverlapPoints> stored;
  loaded.reserve(inputs.size());
  for (const auto& [version, box] : inputs) loaded.push_back(points(version, box));
  for (int place : cluster.ops) {
    computed.push_back(points(At(place).op->result.index, At(place).domain));
    computed.back().flops = At(place).flops;
  }
  for (VersionId version : Stored(cluster)) {
    const int place = definer_[version.index];
    stored.push_back(points(version.index, At(place).domain));
    stored.back().halo = {};
  }
  return FindVolumes(cut, loaded, computed, stored);
}

double FusionModel::Seconds(const FusionCluster& cluster) const {
  const auto volumes = Volumes(cluster);
  if (!volumes) return std::numeric_limits<double>::infinity();
  const bool in_double = std::any_of(cluster.ops.begin(), cluster.ops.end(),
                                     [&](int place) { return At(place).double_precision; });
  return LongestSeconds(*volumes, device_, in_double);
}

}  // namespace stencilgen::plan
