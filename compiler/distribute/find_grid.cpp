#include "distribute/find_grid.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "distribute/no_axis.h"
#include "distribute/scales.h"
#include "graph/chosen_accesses.h"
#include "graph/nodes.h"
#include "graph/regions.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

class GridFinder {
 public:
  GridFinder(const Graph& graph, DiagnosticSink& sink)
      : graph_(graph), sink_(sink), classes_(MemoryClasses(graph)) {
    for (const Node& node : graph.nodes) {
      if (const auto* op = std::get_if<Operator>(&node)) ops_.push_back(op);
    }
    for (int k = 0; k < static_cast<int>(graph.iterators.size()); ++k) plain_.push_back({k, 1, {}});
  }

  std::optional<Grid> Run() {
    for (const Operator* op : ops_) written_.insert(ClassOf(op->result));
    for (const Operator* op : ops_) {
      if (op->reduction) replicated_.insert(ClassOf(op->result));
    }
    if (Iterators().empty()) {
      ReportNoGrid(sink_, ops_.empty() ? Span{} : ops_.front()->span);
      return std::nullopt;
    }
    FindAxes();
    // What receivers record may have fewer dimensions than what they listen to.
    replicates_ = candidates_.empty();
    for (std::size_t before = ~0U; replicates_ && before != replicated_.size(); FindAxes()) {
      before = replicated_.size();
    }
    if (candidates_.empty()) {
      const auto& [iterator, refusal] = *refused_.begin();
      ReportNoAxis(sink_, Name(iterator), refusal);
      return std::nullopt;
    }
    return Take();
  }

 private:
  std::uint32_t ClassOf(VersionId version) const {
    return classes_[graph_.versions[version].array.index];
  }
  bool IsWritten(VersionId version) const { return written_.count(ClassOf(version)) > 0; }
  const Array& ArrayOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }

  /// Every rank computes all of it; a reduction may also be over points that ranks share.
  bool IsReplicated(VersionId version) const { return replicated_.count(ClassOf(version)) > 0; }
  bool IsReplicated(const Operator& op) const {
    if (!IsReplicated(op.result)) return false;
    if (!op.reduction) return true;
    const std::vector<ExprId> reads = Accesses(graph_, op);
    return std::all_of(reads.begin(), reads.end(), [&](ExprId id) {
      const VersionId read = std::get<Access>(graph_.exprs[id].node).version;
      return ArrayOf(read).rank() == 0 || IsReplicated(read) || whole_.count(ClassOf(read)) > 0;
    });
  }

  /// Those of statements that compute point by point.
  std::set<int> Iterators() const {
    std::set<int> iterators;
    for (const Operator* op : ops_) {
      if (op->reduction || IsReplicated(*op)) continue;
      iterators.insert(op->iterators.begin(), op->iterators.end());
    }
    return iterators;
  }

  /// Each round takes iterators or arrays out of the grid, which others may depend on.
  void FindAxes() {
    candidates_ = Iterators();
    whole_.clear();
    refused_.clear();
    for (bool changed = true; changed && !candidates_.empty();) {
      const std::size_t iterators = candidates_.size();
      const std::size_t whole = whole_.size() + replicated_.size();
      Assign();
      for (const Operator* op : ops_) {
        if (!IsReplicated(*op)) CheckOperator(*op);
      }
      LeaveOutUnitStride();
      changed = candidates_.size() != iterators || whole_.size() + replicated_.size() != whole;
    }
  }

  /// True where every rank may compute all of the array: iterators walk fewer of its dimensions
  /// than of others.
  bool MayReplicate(std::uint32_t of_class) const {
    std::size_t most = 0;
    std::size_t own = 0;
    for (const Operator* op : ops_) {
      if (op->reduction || IsReplicated(op->result)) continue;
      most = std::max(most, op->iterators.size());
      if (ClassOf(op->result) == of_class) own = std::max(own, op->iterators.size());
    }
    return replicates_ && replicated_.count(of_class) == 0 && own < most;
  }
  bool Replicate(std::uint32_t of_class) {
    return MayReplicate(of_class) && replicated_.insert(of_class).second;
  }

  void Refuse(int iterator, Span span, std::string why, std::string hint = "") {
    if (candidates_.erase(iterator) == 0) return;
    refused_.emplace(iterator, Refusal{span, std::move(why), std::move(hint)});
  }
  /// Where arrays wrap around and this one has elements beside theirs: what it could be instead.
  std::string RingHint(ArrayId id, int iterator) const {
    const auto& extent = points_.at(iterator).extent();
    for (std::size_t d = 0; extent && d < graph_.arrays[id].rank(); ++d) {
      if (AxisIterator(id, d) != iterator || EndsWithPoints(id, d, iterator)) continue;
      return AskForRing(graph_, id, d, *extent * scales_.Of(id, d));
    }
    return "";
  }

  /// The iterator that each dimension of each class of memory follows.
  void Assign() {
    follows_.assign(graph_.arrays.size(), {});
    for (const ArrayId id : graph_.arrays.Ids()) {
      follows_[id.index].assign(graph_.arrays[id].rank(), -1);
    }
    for (const Operator* op : ops_) {
      if (IsReplicated(*op)) continue;
      if (!op->reduction) Follow(op->result, op->target, op->span);
      for (const ExprId id : Accesses(graph_, *op)) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        Follow(access.version, access.indices, graph_.exprs[id].span);
      }
    }
    scales_ = RelateScales();
    points_.clear();
    for (const bool minor : {false, true}) {
      for (const ArrayId id : graph_.arrays.Ids()) {
        if (MayReplicate(classes_[id.index]) == minor) NoteExtents(id);
      }
    }
    // Again, with each axis' extent known: what does not fit it is no part of the grid.
    for (const ArrayId id : graph_.arrays.Ids()) CheckExtents(id);
  }

  ArrayScales RelateScales() const {
    std::vector<const Operator*> sharing;
    for (const Operator* op : ops_) {
      if (!IsReplicated(*op)) sharing.push_back(op);
    }
    return {graph_, sharing, [&](ArrayId id, std::size_t d) {
              const bool written = written_.count(classes_[id.index]) > 0;
              return DimensionClass{classes_[id.index], AxisIterator(id, d), written};
            }};
  }

  void Follow(VersionId version, const std::vector<Index>& indices, Span span) {
    std::vector<int>& follows = follows_[ClassOf(version)];
    if (whole_.count(ClassOf(version)) > 0 || IsReplicated(version)) return;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const int iterator = indices[d].iterator;
      if (iterator < 0 || candidates_.count(iterator) == 0) continue;
      if (follows[d] < 0) follows[d] = iterator;
      if (follows[d] == iterator) continue;
      Misfit(version, span, iterator,
             fmt::format("'{}' is indexed by '{}' where it is by '{}' elsewhere",
                         ArrayOf(version).name, Name(iterator), Name(follows[d])));
    }
    // Two dimensions that follow one iterator: a diagonal.
    for (const int iterator : std::vector<int>(follows)) {
      if (iterator < 0 || std::count(follows.begin(), follows.end(), iterator) < 2) continue;
      Misfit(version, span, iterator,
             fmt::format("'{}' is indexed by '{}' twice", ArrayOf(version).name, Name(iterator)));
    }
  }

  std::string Name(int iterator) const {
    return graph_.iterators[static_cast<std::size_t>(iterator)];
  }

  /// An array that does not lie along the iterator: each rank has all of it, where nobody writes
  /// it; else ranks cannot share the iterator's points.
  void Misfit(VersionId version, Span span, int iterator, std::string why, std::string hint = "") {
    if (IsWritten(version)) return Refuse(iterator, span, std::move(why), std::move(hint));
    whole_.insert(ClassOf(version));
    std::fill(follows_[ClassOf(version)].begin(), follows_[ClassOf(version)].end(), -1);
  }

  int AxisIterator(ArrayId id, std::size_t d) const {
    const int iterator = follows_[classes_[id.index]][d];
    return candidates_.count(iterator) > 0 ? iterator : -1;
  }

  void NoteExtents(ArrayId id) {
    const Array& array = graph_.arrays[id];
    const bool written = written_.count(classes_[id.index]) > 0;
    for (std::size_t d = 0; d < array.rank(); ++d) {
      const int iterator = AxisIterator(id, d);
      if (iterator >= 0) points_[iterator].Note(array.extents[d], scales_.Of(id, d), written);
    }
  }

  void CheckExtents(ArrayId id) {
    const Array& array = graph_.arrays[id];
    for (std::size_t d = 0; d < array.rank(); ++d) {
      const int iterator = AxisIterator(id, d);
      if (iterator < 0) continue;
      const auto excess = ExcessOf(id, d, iterator);
      if (excess && excess->IsConstant() && excess->constant >= 0) continue;
      std::string why = fmt::format("'{}' has another number of elements than others", array.name);
      if (written_.count(classes_[id.index]) > 0) {
        if (!Replicate(classes_[id.index])) Refuse(iterator, array.span, std::move(why));
      } else {
        whole_.insert(classes_[id.index]);
      }
    }
  }

  /// Elements of the array beside those of the iterator's points; none where these are not known.
  std::optional<LinearForm> ExcessOf(ArrayId id, std::size_t d, int iterator) const {
    return points_.at(iterator).Excess(graph_.arrays[id].extents[d], scales_.Of(id, d));
  }
  /// The array has elements of the iterator's points alone.
  bool EndsWithPoints(ArrayId id, std::size_t d, int iterator) const {
    return ExcessOf(id, d, iterator) == LinearForm{};
  }

  void CheckOperator(const Operator& op) {
    for (const int iterator : std::set<int>(candidates_)) CheckAlong(op, iterator);
  }

  /// The place of the target along the iterator; null where its array does not follow it.
  /// A reduction's points are its iterators' own.
  const Index* TargetIndex(const Operator& op, int iterator) const {
    if (op.reduction) {
      const bool has = std::count(op.iterators.begin(), op.iterators.end(), iterator) > 0;
      return has ? &plain_[static_cast<std::size_t>(iterator)] : nullptr;
    }
    const ArrayId array = graph_.versions[op.result].array;
    for (std::size_t d = 0; d < op.target.size(); ++d) {
      if (AxisIterator(array, d) == iterator) return &op.target[d];
    }
    return nullptr;
  }

  bool IsPeriodic(int iterator) const {
    return std::any_of(ops_.begin(), ops_.end(), [&](const Operator* op) {
      if (IsReplicated(*op)) return false;
      const std::vector<ExprId> accesses = Accesses(graph_, *op);
      return std::any_of(accesses.begin(), accesses.end(), [&](ExprId id) {
        const auto& access = std::get<Access>(graph_.exprs[id].node);
        const ArrayId array = graph_.versions[access.version].array;
        for (std::size_t d = 0; d < access.boundary.size(); ++d) {
          if (access.boundary[d].kind == BoundaryKind::Wrap && AxisIterator(array, d) == iterator) {
            return true;
          }
        }
        return false;
      });
    });
  }

  void CheckAlong(const Operator& op, int iterator) {
    const Index* target = TargetIndex(op, iterator);
    const std::string array = ArrayOf(op.result).name;
    if (target != nullptr && target->iterator >= 0 &&
        (target->coefficient < 1 || !target->offset.IsConstant())) {
      return Refuse(iterator, op.span,
                    fmt::format("'{}' is written elsewhere than at its own point", array));
    }
    if (target != nullptr && HasTurn(target->offset)) {
      return Refuse(iterator, op.span,
                    fmt::format("'{}' is written at a place that depends on "
                                "the turn of a loop",
                                array));
    }
    const bool periodic = IsPeriodic(iterator);
    if (target != nullptr && periodic && !op.reduction && !CoversWhole(op, iterator)) {
      return Refuse(iterator, op.span,
                    fmt::format("arrays wrap around, but '{}' is computed in a part of its points "
                                "alone",
                                array),
                    RingHint(graph_.versions[op.result].array, iterator));
    }
    for (const ExprId id : Accesses(graph_, op)) {
      const Expr& expr = graph_.exprs[id];
      const auto& access = std::get<Access>(expr.node);
      const std::string why = WhyNotAlong(op, target, access, iterator, periodic);
      if (!why.empty() && !(IsWritten(access.version) && Replicate(ClassOf(op.result)))) {
        const ArrayId read = graph_.versions[access.version].array;
        Misfit(access.version, expr.span, iterator, why, periodic ? RingHint(read, iterator) : "");
      }
      if (periodic && !ContinuesAround(access, iterator)) {
        Refuse(iterator, expr.span,
               fmt::format("arrays wrap around, but '{}' has other ends",
                           ArrayOf(access.version).name));
      }
    }
    CheckConditions(op, iterator);
  }

  /// What a rank has all of is read in ghosts as if it went around.
  bool ContinuesAround(const Access& access, int iterator) const {
    const ArrayId id = graph_.versions[access.version].array;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Index& index = access.indices[d];
      if (index.iterator != iterator || AxisIterator(id, d) == iterator) continue;
      const auto kind = access.boundary.empty() ? BoundaryKind::None : access.boundary[d].kind;
      const bool own = kind == BoundaryKind::None && index.offset == LinearForm{};
      if (index.coefficient != 1 || !(own || kind == BoundaryKind::Wrap)) return false;
      if (!EndsWithPoints(id, d, iterator)) return false;
    }
    return true;
  }

  bool CoversWhole(const Operator& op, int iterator) const {
    const auto at = std::find(op.iterators.begin(), op.iterators.end(), iterator);
    if (at == op.iterators.end()) return false;
    const auto& extent = points_.at(iterator).extent();
    if (!extent) return false;
    const LinearForm points = *extent * scales_.Of(op, iterator);
    const Interval whole{{{LinearForm{}, 1}}, {{points - 1, 1}}};
    const Index& target = *TargetIndex(op, iterator);
    const auto d = static_cast<std::size_t>(&target - op.target.data());
    if (!EndsWithPoints(graph_.versions[op.result].array, d, iterator)) return false;
    const std::int64_t offset = target.offset.constant;
    if (offset < 0 || offset >= target.coefficient) return false;
    return op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())] == whole;
  }

  /// Why the access is not at a fixed distance along the iterator; empty where it is.
  std::string WhyNotAlong(const Operator& op, const Index* target, const Access& access,
                          int iterator, bool periodic) const {
    const ArrayId id = graph_.versions[access.version].array;
    const std::string& name = graph_.arrays[id].name;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      if (AxisIterator(id, d) != iterator) continue;
      const Index& index = access.indices[d];
      if (index.place.Valid()) return fmt::format("'{}' is read at a place that is a value", name);
      if (target == nullptr || (target->iterator < 0) != (index.iterator < 0)) {
        return fmt::format("'{}' reads '{}' at one place for all points", ArrayOf(op.result).name,
                           name);
      }
      if (index.iterator >= 0 && index.iterator != iterator) {
        return fmt::format("'{}' is indexed by '{}' where it is by '{}' elsewhere", name,
                           Name(index.iterator), Name(iterator));
      }
      if (index.iterator >= 0 && !scales_.Fits(op, id, d, index)) {
        return fmt::format("'{}' is read at another multiple of '{}' than elsewhere", name,
                           Name(iterator));
      }
      if (!scales_.HasDistance(op, *target, id, d, index)) {
        return fmt::format("'{}' is read at a distance that is not fixed", name);
      }
      const auto kind = access.boundary.empty() ? BoundaryKind::None : access.boundary[d].kind;
      const bool wraps = kind == BoundaryKind::Wrap;
      if (periodic && !wraps && index.offset != LinearForm{}) {
        return fmt::format("arrays wrap around, but '{}' does not everywhere", name);
      }
      if (wraps && !EndsWithPoints(id, d, iterator)) {
        return fmt::format("'{}' wraps around at another end", name);
      }
    }
    return "";
  }

  /// Reads that a condition keeps inside of the array: at the edge of a rank's part it would not.
  void CheckConditions(const Operator& op, int iterator) {
    for (const ExprId id : ChosenAccesses(graph_, op)) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      const ArrayId array = graph_.versions[access.version].array;
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        if (AxisIterator(array, d) != iterator) continue;
        if (!access.boundary.empty() && access.boundary[d].kind != BoundaryKind::None) continue;
        const Interval whole = WholeArray(graph_.arrays[array])[d];
        if (AlwaysContains(whole, IndexValues(op, access.indices[d]))) continue;
        Misfit(access.version, graph_.exprs[id].span, iterator,
               fmt::format("'{}' is read beyond its ends but for a condition",
                           graph_.arrays[array].name));
      }
    }
  }

  /// Ghosts along it would cost messages of short rows even where a rank has whole rows.
  void LeaveOutUnitStride() {
    const int last = candidates_.empty() ? -1 : *candidates_.rbegin();
    const bool unit_stride = last + 1 == static_cast<int>(graph_.iterators.size());
    if (unit_stride && candidates_.size() > 1 && IsPeriodic(last)) candidates_.erase(last);
  }

  Grid Take() const {
    Grid grid;
    std::map<int, int> axis_of;
    for (const int iterator : candidates_) {
      axis_of[iterator] = static_cast<int>(grid.axes.size());
      grid.axes.push_back({iterator, *points_.at(iterator).extent(), IsPeriodic(iterator)});
    }
    for (const ArrayId id : graph_.arrays.Ids()) {
      const Array& array = graph_.arrays[id];
      std::vector<GridDimension> dimensions(array.rank());
      for (std::size_t d = 0; d < array.rank(); ++d) {
        const int iterator = AxisIterator(id, d);
        if (iterator < 0) continue;
        dimensions[d] = {axis_of.at(iterator), scales_.Of(id, d),
                         ExcessOf(id, d, iterator)->constant};
      }
      grid.dimensions.push_back(std::move(dimensions));
    }
    return grid;
  }

  const Graph& graph_;
  DiagnosticSink& sink_;
  const std::vector<std::uint32_t> classes_;
  std::vector<const Operator*> ops_;
  std::set<std::uint32_t> written_;     // classes
  std::set<std::uint32_t> whole_;       // classes that each rank has all of
  std::set<std::uint32_t> replicated_;  // classes that each rank computes all of
  bool replicates_ = false;             // statements of few dimensions may be, not reductions alone
  std::set<int> candidates_;            // iterators
  std::vector<Index> plain_;            // by iterator
  std::map<int, Refusal> refused_;
  std::vector<std::vector<int>> follows_;  // by class and dimension: an iterator, -1
  ArrayScales scales_;
  std::map<int, AxisPoints> points_;  // by iterator
};

}  // namespace

std::optional<Grid> FindGrid(const Graph& graph, DiagnosticSink& sink) {
  return GridFinder(graph, sink).Run();
}

}  // namespace stencilgen::distribute
