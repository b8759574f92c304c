#include "plan/fuse_loops.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "plan/home_use.h"
#include "plan/looks.h"
#include "plan/operator_facts.h"
#include "support/match.h"

namespace stencilgen::plan {
namespace {

using graph::NodeId;
using graph::Operator;
using graph::VersionId;

/// A nest with more of them has no room for its values, and takes compilers long.
constexpr std::size_t kMostStatements = 24;

/// A launch in a stretch of them, and the copies before it.
struct Place {
  KernelId kernel;
  const Operator* op = nullptr;
  std::vector<CopyOutside> copies;
};

/// What may share a nest: grows from the last operator to the first.
class NestRules {
 public:
  /// `looks`: what runs in some turns of its loop only.
  NestRules(const Plan& plan, const std::set<KernelId>& looks) : plan_(plan), looks_(looks) {}

  /// True for an operator that has iterators, and writes another element at each of its points, or
  /// adds it to a lane: others are alone.
  static bool MayShare(const Operator& op) {
    if (op.reduction) return IsInLanes(op);
    return !op.iterators.empty() && WritesOwnElements(op);
  }

  /// Takes the place in before all others if it may be in a nest with them.
  bool Precede(const Place& place) {
    const Operator& op = *place.op;
    if (first_ != nullptr &&
        !(HasSamePoints(op) && MayWrite(op) && MayRead(op) && LetCopiesPass(op))) {
      return false;
    }
    // What is looked at in some turns is not computed in all of them.
    reduces_ = reduces_ || op.reduction;
    const bool look = looks_.count(place.kernel) > 0;
    if (first_ != nullptr && reduces_ && look != look_) return false;
    look_ = look;
    first_ = &op;
    made_.insert(op.result);
    writers_[BufferOf(op.result)].push_back(&op);
    for (graph::ExprId id : graph::Accesses(plan_.graph, op)) {
      const auto& access = std::get<graph::Access>(plan_.graph.exprs[id].node);
      if (!access.indices.empty()) reads_[BufferOf(access.version)].push_back(&access);
    }
    copies_.insert(copies_.end(), place.copies.begin(), place.copies.end());
    return true;
  }

 private:
  BufferId BufferOf(VersionId version) const { return plan_.buffer_of[version.index]; }

  bool HasSamePoints(const Operator& op) const {
    return MayShare(op) && MayShare(*first_) && op.iterators == first_->iterators &&
           op.domain == first_->domain;
  }

  /// What later operators read of the buffer is the operator's result, at the point's own element,
  /// or what one of them makes after it, or another component of what was there before. Lanes have
  /// no element of a point.
  bool MayWrite(const Operator& op) const {
    const BufferId buffer = BufferOf(op.result);
    const auto later = writers_.find(buffer);
    const auto reads = reads_.find(buffer);
    if (op.reduction) return later == writers_.end() && reads == reads_.end();
    if (later != writers_.end() &&
        !std::all_of(later->second.begin(), later->second.end(), [&](const Operator* other) {
          return other->target == op.target || AreOtherComponents(other->target, op.target);
        })) {
      return false;
    }
    return reads == reads_.end() ||
           std::all_of(reads->second.begin(), reads->second.end(), [&](const auto* access) {
             if (access->version == op.result) return access->indices == op.target;
             if (AreOtherComponents(access->indices, op.target)) return true;
             return access->indices == op.target && made_.count(access->version) > 0;
           });
  }

  /// What later operators overwrite the operator reads at the point's own element alone.
  bool MayRead(const Operator& op) const {
    const std::vector<graph::ExprId> accesses = graph::Accesses(plan_.graph, op);
    return std::all_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
      const auto& access = std::get<graph::Access>(plan_.graph.exprs[id].node);
      const BufferId buffer = BufferOf(access.version);
      const auto later = writers_.find(buffer);
      if (access.indices.empty() || later == writers_.end()) return true;
      return std::all_of(later->second.begin(), later->second.end(), [&](const Operator* other) {
        return access.indices == other->target || AreOtherComponents(access.indices, other->target);
      });
    });
  }

  /// True where the copies after the operator might as well precede it.
  bool LetCopiesPass(const Operator& op) const {
    const BufferId written = BufferOf(op.result);
    return std::all_of(copies_.begin(), copies_.end(), [&](const CopyOutside& copy) {
      const auto& around = std::get<Operator>(plan_.graph.nodes[copy.op]);
      if (written == copy.dst || (written == copy.src && !WritesSameElements(op, around))) {
        return false;
      }
      const std::vector<graph::ExprId> accesses = graph::Accesses(plan_.graph, op);
      return std::none_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
        return BufferOf(std::get<graph::Access>(plan_.graph.exprs[id].node).version) == copy.dst;
      });
    });
  }

  const Plan& plan_;
  const std::set<KernelId>& looks_;
  const Operator* first_ = nullptr;
  bool reduces_ = false, look_ = false;  ///< some operator is a reduction; all are looks
  std::set<VersionId> made_;
  std::map<BufferId, std::vector<const Operator*>> writers_;     ///< of each buffer
  std::map<BufferId, std::vector<const graph::Access*>> reads_;  ///< by buffer
  std::vector<CopyOutside> copies_;
};

class LoopFuser {
 public:
  LoopFuser(Plan plan, const NestPrice& price) : plan_(std::move(plan)), price_(price) {
    FindAllLooks(plan_.steps);
  }

  Plan Run() && {
    plan_.steps = Fuse(std::move(plan_.steps));
    DropKernels();
    DropStores();
    plan_.home_written = FindWrittenHomes(plan_);
    return std::move(plan_);
  }

 private:
  const Operator& OperatorAt(NodeId node) const {
    return std::get<Operator>(plan_.graph.nodes[node]);
  }
  BufferId BufferOf(VersionId version) const { return plan_.buffer_of[version.index]; }

  void FindAllLooks(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const auto* repeat = std::get_if<Repeat>(&step);
      if (repeat == nullptr) continue;
      looks_.merge(FindLooks(plan_, *repeat).kernels);
      FindAllLooks(repeat->body);
    }
  }

  std::vector<Step> Fuse(std::vector<Step> steps) {
    std::vector<Step> result;
    std::vector<Step> run;  // launches, and copies between them
    for (Step& step : steps) {
      auto* repeat = std::get_if<Repeat>(&step);
      // Tiles of several turns are made for kernels as they are.
      if (repeat != nullptr && !repeat->band) repeat->body = Fuse(std::move(repeat->body));
      if (MayBeInRun(step)) {
        run.push_back(std::move(step));
        continue;
      }
      FuseRun(std::exchange(run, {}), result);
      result.push_back(std::move(step));
    }
    FuseRun(run, result);
    return result;
  }

  /// A launch of one operator, or a copy.
  bool MayBeInRun(const Step& step) const {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) return std::holds_alternative<CopyOutside>(step);
    const Kernel& kernel = plan_.kernels[launch->kernel];
    return kernel.ops.size() == 1 && !kernel.matrix;
  }

  /// Cuts the run into the nests with the lowest prices in all.
  void FuseRun(const std::vector<Step>& run, std::vector<Step>& result) {
    std::vector<Place> places(1);
    for (const Step& step : run) {
      if (const auto* copy = std::get_if<CopyOutside>(&step)) {
        places.back().copies.push_back(*copy);
        continue;
      }
      places.back().kernel = std::get<Launch>(step).kernel;
      places.back().op = &OperatorAt(plan_.kernels[places.back().kernel].ops.front());
      places.emplace_back();
    }
    const std::vector<CopyOutside> after = std::move(places.back().copies);
    places.pop_back();
    const std::vector<std::size_t> begins = FindNests(places);
    for (std::size_t n = 0; n < begins.size(); ++n) {
      const std::size_t end = n + 1 < begins.size() ? begins[n + 1] : places.size();
      const KernelId nest = places[begins[n]].kernel;
      for (std::size_t k = begins[n]; k < end; ++k) {
        for (const CopyOutside& copy : places[k].copies) result.emplace_back(copy);
        if (k > begins[n]) TakeIn(nest, places[k].kernel);
      }
      result.emplace_back(Launch{nest});
    }
    for (const CopyOutside& copy : after) result.emplace_back(copy);
  }

  /// Where each nest begins: the cut with the lowest sum of prices, found from the end of each
  /// prefix, the nests of one that is longer by a nest being those of a shorter one.
  std::vector<std::size_t> FindNests(const std::vector<Place>& places) const {
    std::vector<double> price(places.size() + 1, 0);
    std::vector<std::size_t> begin(places.size() + 1, 0);
    for (std::size_t end = 1; end <= places.size(); ++end) {
      NestRules rules(plan_, looks_);
      std::vector<const Operator*> ops;
      for (std::size_t first = end; first-- > 0 && end - first <= kMostStatements;) {
        if (!rules.Precede(places[first])) break;
        ops.insert(ops.begin(), places[first].op);
        const bool shares = ops.size() > 1 || NestRules::MayShare(*ops.front());
        const double own = shares ? price_(plan_.graph, ops) : 0;
        if (first + 1 == end || price[first] + own < price[end]) {
          price[end] = price[first] + own;
          begin[end] = first;
        }
        if (std::isinf(own)) break;
      }
    }
    std::vector<std::size_t> begins;
    for (std::size_t end = places.size(); end > 0; end = begin[end]) begins.push_back(begin[end]);
    std::reverse(begins.begin(), begins.end());
    return begins;
  }

  void TakeIn(KernelId nest, KernelId next) {
    Kernel& kernel = plan_.kernels[nest];
    kernel.tile.reset();
    kernel.windows.clear();
    kernel.schedule.stream.reset();
    kernel.resident = 0;
    auto& nodes = kernel.ops;
    const auto& added = plan_.kernels[next].ops;
    nodes.insert(nodes.end(), added.begin(), added.end());
    dropped_.insert(next);
    grown_.insert(nodes.front());
  }

  /// Takes the kernels that others have taken in out of the plan.
  void DropKernels() {
    Store<KernelId, Kernel> kept;
    std::map<KernelId, KernelId> place;
    for (KernelId id : plan_.kernels.Ids()) {
      if (dropped_.count(id) == 0) place[id] = kept.Add(std::move(plan_.kernels[id]));
    }
    plan_.kernels = std::move(kept);
    Renumber(plan_.steps, place);
  }

  static void Renumber(std::vector<Step>& steps, const std::map<KernelId, KernelId>& place) {
    for (Step& step : steps) {
      if (auto* launch = std::get_if<Launch>(&step)) launch->kernel = place.at(launch->kernel);
      auto* repeat = std::get_if<Repeat>(&step);
      if (repeat == nullptr) continue;
      Renumber(repeat->body, place);
      if (!repeat->band) continue;
      for (KernelId& launch : repeat->band->launches) launch = place.at(launch);
    }
  }

  /// Takes the buffers from results that only the kernel itself reads, or that it overwrites, of
  /// kernels that have been put together here: others store what their tiles say.
  void DropStores() {
    const std::vector<bool> needed = FindNeeded();
    for (const Kernel& kernel : plan_.kernels) {
      if (grown_.count(kernel.ops.front()) == 0) continue;
      for (NodeId node : kernel.ops) {
        const VersionId result = OperatorAt(node).result;
        if (!needed[result.index]) plan_.buffer_of[result.index] = {};
      }
    }
  }

  /// By version: whether it must be in memory.
  std::vector<bool> FindNeeded() const {
    std::vector<bool> needed(plan_.graph.versions.size(), false);
    std::map<NodeId, const Kernel*> kernel_of;
    for (const Kernel& kernel : plan_.kernels) {
      for (NodeId node : kernel.ops) kernel_of[node] = &kernel;
    }
    const auto is_near = [&](VersionId version, NodeId user) {
      const auto made = kernel_of.find(plan_.graph.versions[version].node);
      const auto used = kernel_of.find(user);
      return made != kernel_of.end() && used != kernel_of.end() && made->second == used->second;
    };
    for (NodeId node : plan_.graph.nodes.Ids()) {
      if (const auto* loop = std::get_if<graph::Loop>(&plan_.graph.nodes[node])) {
        for (const graph::Carried& carried : loop->carried) {
          needed[carried.initial.index] = needed[carried.next.index] = true;
        }
        continue;
      }
      const Operator& op = OperatorAt(node);
      for (graph::ExprId id : graph::Accesses(plan_.graph, op)) {
        const VersionId read = std::get<graph::Access>(plan_.graph.exprs[id].node).version;
        if (!is_near(read, node)) needed[read.index] = true;
      }
      if (op.background.Valid() && !Overwrites(op, node, is_near)) {
        needed[op.background.index] = true;
      }
    }
    for (const graph::Output& output : plan_.graph.outputs) needed[output.version.index] = true;
    return needed;
  }

  /// True where the operator is in the kernel that makes its background, and writes over all that
  /// this has written.
  template <typename IsNear>
  bool Overwrites(const Operator& op, NodeId node, const IsNear& is_near) const {
    return is_near(op.background, node) && BufferOf(op.background) == BufferOf(op.result) &&
           WritesSameElements(op, OperatorAt(plan_.graph.versions[op.background].node));
  }

  Plan plan_;
  const NestPrice& price_;
  std::set<KernelId> looks_;
  std::set<KernelId> dropped_;
  std::set<NodeId> grown_;  ///< first operators of kernels that have taken in others
};

}  // namespace

Plan FuseLoops(Plan plan, const NestPrice& price) {
  return LoopFuser(std::move(plan), price).Run();
}

}  // namespace stencilgen::plan
