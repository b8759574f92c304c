#include "plan/fuse_model.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "graph/regions.h"
#include "plan/frame_uses.h"
#include "support/match.h"

namespace stencilgen::plan {

using graph::Access;
using graph::ExprId;
using graph::Operator;
using graph::VersionId;
using Offset = std::array<std::int64_t, 3>;

namespace {

template <typename T>
std::vector<T> Union(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> all;
  all.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

/// How many elements two ascending lists share.
template <typename T>
int CountCommon(const std::vector<T>& a, const std::vector<T>& b) {
  int common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i < *j) {
      ++i;
    } else if (*j < *i) {
      ++j;
    } else {
      ++common;
      ++i;
      ++j;
    }
  }
  return common;
}

template <typename T>
bool Contains(const std::vector<T>& sorted, const T& value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

bool Before(const PlaneUse& a, const PlaneUse& b) {
  return a.carrier != b.carrier ? a.carrier < b.carrier : a.plane < b.plane;
}
bool SamePlane(const PlaneUse& a, const PlaneUse& b) {
  return a.carrier == b.carrier && a.plane == b.plane;
}

/// Sorted, each plane once; where its users differ it is in shared memory ([S] 3.5.4).
void Unify(std::vector<PlaneUse>& planes) {
  std::sort(planes.begin(), planes.end(), Before);
  std::size_t kept = 0;
  for (const PlaneUse& each : planes) {
    if (kept > 0 && SamePlane(planes[kept - 1], each)) {
      planes[kept - 1].shared = planes[kept - 1].shared || each.shared;
    } else {
      planes[kept++] = each;
    }
  }
  planes.resize(kept);
}

void CountPlanes(FusionCluster& cluster) {
  cluster.shared = static_cast<int>(std::count_if(cluster.planes.begin(), cluster.planes.end(),
                                                  [](const PlaneUse& use) { return use.shared; }));
  cluster.registers = static_cast<int>(cluster.planes.size()) - cluster.shared;
}

/// Of the union of two lists of planes: how many there are, and how many are shared.
std::pair<int, int> CountUnited(const std::vector<PlaneUse>& a, const std::vector<PlaneUse>& b) {
  int all = 0;
  int shared = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() || j != b.end(); ++all) {
    const bool take_a = j == b.end() || (i != a.end() && !Before(*j, *i));
    const bool take_b = i == a.end() || (j != b.end() && !Before(*i, *j));
    if ((take_a && i->shared) || (take_b && j->shared)) ++shared;
    if (take_a) ++i;
    if (take_b) ++j;
  }
  return {all, shared};
}

}  // namespace

graph::ParameterValues UsualSizes(const graph::Graph& graph) {
  constexpr std::array<std::int64_t, 4> kUsual = {1, std::int64_t{1} << 24, 8192, 512};
  graph::ParameterValues sizes;
  for (const graph::Parameter& parameter : graph.parameters) {
    // Of a loop's turns the second: what it reads of the one before is there.
    const std::int64_t usual =
        parameter.turn ? 1 : kUsual[std::min<std::size_t>(graph::WalkedDimensions(graph), 3)];
    sizes.push_back(parameter.fixed.value_or(parameter.default_value.value_or(usual)));
  }
  return sizes;
}

FusionModel::FusionModel(const graph::Graph& graph, graph::RegionId region,
                         const Schedule& schedule, const FusionSettings& settings)
    : graph_(graph),
      nodes_(graph.regions[region].nodes),
      schedule_(schedule),
      settings_(settings),
      device_(settings.device == nullptr ? machine::DefaultGpu() : *settings.device),
      sizes_(settings.sizes.empty() ? UsualSizes(graph) : settings.sizes),
      definer_(graph.versions.size(), -1),
      readers_(graph.versions.size()),
      live_out_(graph.versions.size(), false) {
  for (std::uint32_t version = 0; version < graph.versions.size(); ++version) {
    carrier_.push_back(version);
  }
  FindUses();
  for (graph::NodeId node : nodes_) {
    OperatorModel& model = ops_.emplace_back();
    model.op = std::get_if<Operator>(&graph.nodes[node]);
    if (model.op == nullptr) continue;
    const Operator& op = *model.op;
    model.fusable =
        op.target.size() == op.iterators.size() && !op.iterators.empty() && !op.reduction;
    if (!model.fusable) continue;
    if (graph::Accumulates(graph, op)) carrier_[op.result.index] = carrier_[op.background.index];
    for (std::size_t d = 0; d < op.iterators.size(); ++d) {
      const graph::Range range = graph::Evaluate(op.domain.intervals[d], sizes_);
      model.domain.lo[d] = range.lo;
      model.domain.hi[d] = range.hi;
    }
    model.flops = static_cast<double>(graph::FlopsPerPoint(graph, op));
    model.double_precision = ArrayOf(op.result.index).type == ScalarType::Double;
    AddReads(model);
    AddPlanes(model);
  }
}

/// Who defines and who reads each version. What others need only for its frame its kernel does not
/// store (TakeFramesFromBackgrounds).
void FusionModel::FindUses() {
  const std::vector<bool> frame_only = FindFrameOnly(graph_);
  const auto pass = [&](VersionId version, const auto& use, int place) {
    if (!frame_only[version.index]) use(version, place);
  };
  const auto use = [&](VersionId version, int place) {
    if (place < 0) {
      live_out_[version.index] = true;
    } else if (auto& readers = readers_[version.index];
               readers.empty() || readers.back() != place) {
      readers.push_back(place);
    }
  };
  std::vector<int> place_of(graph_.nodes.size(), -1);
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    place_of[nodes_[place].index] = static_cast<int>(place);
  }
  // In graph order, so that readers come out ascending.
  std::vector<graph::NodeId> all = graph_.nodes.Ids();
  std::stable_sort(all.begin(), all.end(), [&](graph::NodeId a, graph::NodeId b) {
    return place_of[a.index] < place_of[b.index];
  });
  for (graph::NodeId node : all) {
    Match(
        graph_.nodes[node],
        [&](const Operator& op) {
          const int place = place_of[node.index];
          for (ExprId id : graph::Accesses(graph_, op)) {
            use(std::get<Access>(graph_.exprs[id].node).version, place);
          }
          if (op.background.Valid()) pass(op.background, use, place);
          definer_[op.result.index] = place;
        },
        [&](const graph::Loop& loop) {
          for (const graph::Carried& carried : loop.carried) {
            pass(carried.initial, use, -1);
            pass(carried.next, use, -1);
          }
        });
  }
  for (const graph::Output& output : graph_.outputs) use(output.version, -1);
}

std::optional<std::size_t> FusionModel::StreamOf(const Operator& op) const {
  if (!schedule_.stream) return std::nullopt;
  const auto at = std::find(op.iterators.begin(), op.iterators.end(), schedule_.stream->iterator);
  if (at == op.iterators.end() || at + 1 == op.iterators.end()) return std::nullopt;
  return static_cast<std::size_t>(at - op.iterators.begin());
}

std::int64_t FusionModel::Along(const Operator& op, const Offset& offset) const {
  const auto stream = StreamOf(op);
  return stream ? offset[*stream] : 0;
}

const graph::Array& FusionModel::ArrayOf(std::uint32_t version) const {
  return graph_.arrays[graph_.versions[VersionId{version}].array];
}

void FusionModel::AddReads(OperatorModel& model) {
  const Operator& op = *model.op;
  const bool accumulates = graph::Accumulates(graph_, op);
  std::map<std::uint32_t, Read> reads;
  for (ExprId id : graph::Accesses(graph_, op)) {
    const auto& access = std::get<Access>(graph_.exprs[id].node);
    const graph::Array& array = ArrayOf(access.version.index);
    if (array.rank() != op.iterators.size() || array.constant) continue;
    const auto offset = FormalOffset(graph_, op, access);
    const FusionBox box = offset ? FusionBox{*offset, *offset} : FusionBox{};
    const auto [at, is_new] = reads.try_emplace(
        access.version.index, Read{access.version.index, box, offset.has_value(),
                                   accumulates && access.version == op.background});
    if (is_new) continue;
    Include(at->second.offset, box, op.iterators.size());
    at->second.neighbour = at->second.neighbour && offset.has_value();
  }
  for (const auto& [version, read] : reads) model.reads.push_back(read);
}

/// Rules (a) and (b) of [S] 3.5.2: a plane of which each point reads only its own element is in a
/// register, another in shared memory; a result is in a register but for the last assignment to an
/// output, unless that accumulates.
void FusionModel::AddPlanes(OperatorModel& model) const {
  const Operator& op = *model.op;
  const std::size_t x = op.iterators.size() - 1;
  for (ExprId id : graph::Accesses(graph_, op)) {
    const auto& access = std::get<Access>(graph_.exprs[id].node);
    if (ArrayOf(access.version.index).constant) continue;
    const auto offset = FormalOffset(graph_, op, access);
    if (!offset) continue;
    bool shared = false;
    for (std::size_t d = 0; d <= x; ++d) {
      const bool by_shuffle = d == x && schedule_.shuffle;
      if ((*offset)[d] != 0 && StreamOf(op) != d && !by_shuffle) shared = true;
    }
    model.planes.push_back({carrier_[access.version.index], Along(op, *offset), shared});
  }
  const bool leaves = live_out_[op.result.index];
  if (!leaves || graph::Accumulates(graph_, op)) {
    model.planes.push_back({carrier_[op.result.index], 0, false});
  }
  Unify(model.planes);
}

bool FusionModel::SameShape(int a, int b) const {
  return At(a).op->iterators == At(b).op->iterators;
}

FusionCluster FusionModel::Single(int place) const {
  const OperatorModel& model = At(place);
  FusionCluster cluster;
  cluster.ops = {place};
  cluster.lags = {0};
  cluster.planes = model.planes;
  cluster.results = {model.op->result.index};
  for (const Read& read : model.reads) {
    if (!read.accumulated) cluster.reads.push_back(read.version);
  }
  cluster.arrays = {graph_.versions[model.op->result].array.index};
  CountPlanes(cluster);
  return cluster;
}

bool FusionModel::AreDependent(const FusionCluster& a, const FusionCluster& b) const {
  return CountCommon(a.results, b.reads) > 0 || CountCommon(b.results, a.reads) > 0 ||
         CountCommon(a.arrays, b.arrays) > 0;
}

FusionCluster FusionModel::Join(const FusionCluster& a, const FusionCluster& b) const {
  FusionCluster both;
  both.ops = Union(a.ops, b.ops);
  both.results = Union(a.results, b.results);
  both.arrays = Union(a.arrays, b.arrays);
  for (std::uint32_t version : Union(a.reads, b.reads)) {
    if (!Contains(both.results, version)) both.reads.push_back(version);
  }
  SetLags(both);
  SetPlanes(both);
  return both;
}

/// Each operator as early as what it reads allows ([S] 3.5.4).
void FusionModel::SetLags(FusionCluster& cluster) const {
  cluster.lags.assign(cluster.ops.size(), 0);
  for (std::size_t k = 0; k < cluster.ops.size(); ++k) {
    const OperatorModel& model = At(cluster.ops[k]);
    const auto wait = [&](std::uint32_t version, std::int64_t along) {
      const int definer = definer_[version];
      const auto at = std::lower_bound(cluster.ops.begin(), cluster.ops.end(), definer);
      if (at == cluster.ops.end() || *at != definer) return;
      const auto source = static_cast<std::size_t>(at - cluster.ops.begin());
      cluster.lags[k] = std::max(cluster.lags[k], cluster.lags[source] + along);
    };
    for (const Read& read : model.reads) wait(read.version, Along(*model.op, read.offset.hi));
    if (model.op->background.Valid()) wait(model.op->background.index, 0);
  }
}

void FusionModel::SetPlanes(FusionCluster& cluster) const {
  cluster.planes.clear();
  for (std::size_t k = 0; k < cluster.ops.size(); ++k) {
    for (PlaneUse use : At(cluster.ops[k]).planes) {
      use.plane -= cluster.lags[k];
      cluster.planes.push_back(use);
    }
  }
  Unify(cluster.planes);
  CountPlanes(cluster);
}

FusionTuple FusionModel::Tuple(const FusionCluster& a, const FusionCluster& b) const {
  FusionTuple tuple;
  if (AreDependent(a, b)) {
    const FusionCluster both = Join(a, b);
    tuple.registers = both.registers;
    tuple.shared = both.shared;
  } else {
    const auto [all, shared] = CountUnited(a.planes, b.planes);
    tuple.registers = all - shared;
    tuple.shared = shared;
  }
  tuple.saved_registers = a.registers + b.registers - tuple.registers;
  tuple.saved_shared = a.shared + b.shared - tuple.shared;
  // An array counts once, by its strongest dependence.
  std::set<std::uint32_t> handed;
  int arrays_read = 0;
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (std::uint32_t version : from->results) {
      if (!Contains(to->reads, version)) continue;
      ++arrays_read;
      handed.insert(graph_.versions[VersionId{version}].array.index);
    }
  }
  int written = CountCommon(a.arrays, b.arrays);
  for (std::uint32_t array : handed) {
    if (Contains(a.arrays, array) && Contains(b.arrays, array)) --written;
  }
  tuple.data_movement = 2 * arrays_read + written + CountCommon(a.reads, b.reads);
  return tuple;
}

std::optional<FusionRefusal> FusionModel::CheckResources(const FusionCluster& cluster) const {
  // Registers that the compiler takes for addresses, sums and coordinates.
  constexpr int kImplicit = 16;
  const Operator& first = *At(cluster.ops.front()).op;
  const auto stream = StreamOf(first);
  std::int64_t points = 1;
  std::int64_t threads = 1;
  for (std::size_t d = 0; d < first.iterators.size(); ++d) {
    if (stream == d) continue;
    const std::size_t axis = first.iterators.size() - 1 - d;
    points *= schedule_.unroll[axis];
    threads *= schedule_.block[axis];
  }
  std::int64_t words = 0;
  std::int64_t bytes = 0;
  for (const PlaneUse& use : cluster.planes) {
    const auto size = static_cast<std::int64_t>(SizeInBytes(ArrayOf(use.carrier).type));
    if (use.shared) {
      bytes += threads * points * size;
    } else {
      words += points * std::max<std::int64_t>(size / 4, 1);
    }
  }
  const int limit =
      settings_.register_limit > 0 ? settings_.register_limit : device_.registers_per_thread;
  if (words > limit - kImplicit) {
    return FusionRefusal{
        FusionConstraint::Registers,
        fmt::format("its {} planes in registers take {} of a thread, {} less {} for addresses and "
                    "sums leave {}",
                    cluster.registers, words, limit, kImplicit, limit - kImplicit)};
  }
  const std::int64_t most = std::min({device_.shared_per_sm / std::max(settings_.blocks_per_sm, 1),
                                      device_.shared_per_block_most, schedule_.shared_limit});
  if (bytes > most) {
    return FusionRefusal{
        FusionConstraint::SharedMemory,
        fmt::format("its {} planes in shared memory take {} bytes, a block may have {}",
                    cluster.shared, bytes, most)};
  }
  return std::nullopt;
}

}  // namespace stencilgen::plan
