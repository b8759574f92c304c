#include "distribute/ghost_needs.h"

#include <algorithm>

#include "distribute/find_grid.h"
#include "graph/nodes.h"
#include "graph/regions.h"
#include "stencilgen/ranks.hpp"

namespace stencilgen::distribute {

using namespace graph;

namespace {

/// Needs of versions, from the last node to the first.
class NeedFinder {
 public:
  NeedFinder(const Graph& graph, const Grid& grid, const SegmentSource& source)
      : room(grid.axes.size()), graph_(graph), grid_(grid), source_(source) {}

  std::map<VersionId, Halo> values, frames;
  Reaches room;  // the most of all

  void PassNodes() {
    for (auto at = source_.nodes.rbegin(); at != source_.nodes.rend(); ++at) {
      Pass(OperatorOf(graph_, *at));
    }
  }

  /// What a turn needs at its beginning, the turn before must leave at its end.
  void PassTurn(const Loop& loop, bool first) {
    PassNodes();
    std::map<VersionId, Halo> values_before, frames_before;
    for (const Carried& carried : loop.carried) {
      const VersionId before = first ? carried.initial : carried.next;
      Hand(values, carried.entry, before, values_before);
      Hand(frames, carried.entry, before, frames_before);
    }
    for (const auto& [version, need] : values_before) Raise(values, version, need);
    for (const auto& [version, need] : frames_before) Raise(frames, version, need);
  }

 private:
  static void Hand(std::map<VersionId, Halo>& needs, VersionId entry, VersionId before,
                   std::map<VersionId, Halo>& out) {
    const auto found = needs.find(entry);
    if (found == needs.end()) return;
    Raise(out, before, found->second);
    needs.erase(found);
  }

  void Pass(const Operator& op) {
    const auto value = values.find(op.result);
    const auto frame = frames.find(op.result);
    if (frame != frames.end()) {
      const Halo need = frame->second;
      frames.erase(frame);
      if (op.background.Valid()) Raise(frames, op.background, need);
    }
    if (value == values.end()) return;
    const Halo need = value->second;
    values.erase(value);
    for (const ExprId id : Accesses(graph_, op)) {
      PassRead(op, need, std::get<Access>(graph_.exprs[id].node));
    }
    if (!op.background.Valid()) return;
    Raise(KeepsFrame(graph_, source_.around, op) ? frames : values, op.background, need);
  }

  void PassRead(const Operator& op, const Halo& need, const Access& access) {
    if (access.indices.empty()) return;
    // Less than nothing: not even all of a rank's own points.
    Halo before(need.axes(), Halo::kNever);
    for (const Shift& shift : ReadShifts(grid_, graph_, op, access)) {
      std::int64_t& read = before.At(shift.from, shift.axis);
      read = std::max(read, shift.reach.Read(need.At(shift.to, shift.axis)));
    }
    Raise(values, access.version, before);
    const ArrayId array = graph_.versions[access.version].array;
    room = Most(std::move(room), grid_.Points(array, SidesOf(before)));
  }

  const Graph& graph_;
  const Grid& grid_;
  const SegmentSource& source_;
};

/// Which of the loop's arrays the version has the untouched elements of; -1: none.
int FrameOf(const Graph& graph, const Loop& loop, VersionId version) {
  for (;;) {
    for (std::size_t n = 0; n < loop.carried.size(); ++n) {
      if (loop.carried[n].entry == version) return static_cast<int>(n);
    }
    const Version& defined = graph.versions[version];
    if (defined.def != DefKind::Operator || !defined.node.Valid()) return -1;
    version = OperatorOf(graph, defined.node).background;
    if (!version.Valid()) return -1;
  }
}

/// Whose untouched elements the arrays of a segment's loop have from turn to turn.
class FrameMoves {
 public:
  FrameMoves(const Graph& graph, const SegmentSource& source) {
    const Loop& loop = LoopOf(graph, source.loop);
    for (const Carried& carried : loop.carried) {
      from_.push_back(FrameOf(graph, loop, carried.next));
      memory_.emplace_back();
      for (const auto& [version, array] : source.inputs) {
        if (version == carried.initial) memory_.back() = array;
      }
    }
  }

  int count() const { return static_cast<int>(from_.size()); }
  ArrayId MemoryOf(int carried) const { return memory_[static_cast<std::size_t>(carried)]; }
  /// Which one it was a turn before; -1: none.
  int Before(int carried) const { return from_[static_cast<std::size_t>(carried)]; }
  int Find(ArrayId array) const {
    const auto at = std::find(memory_.begin(), memory_.end(), array);
    return at == memory_.end() ? -1 : static_cast<int>(at - memory_.begin());
  }

 private:
  std::vector<int> from_;
  std::vector<ArrayId> memory_;
};

void CollectOperators(const Graph& graph, RegionId region, std::vector<const Operator*>& out) {
  for (const NodeId id : graph.regions[region].nodes) {
    if (const auto* op = std::get_if<Operator>(&graph.nodes[id])) {
      out.push_back(op);
    } else {
      CollectOperators(graph, LoopOf(graph, id).body, out);
    }
  }
}

}  // namespace

std::vector<const Operator*> OperatorsIn(const Graph& graph, NodeId loop) {
  std::vector<const Operator*> ops;
  CollectOperators(graph, LoopOf(graph, loop).body, ops);
  return ops;
}

bool KeepsFrame(const Graph& graph, NodeId loop, const Operator& op) {
  if (!loop.Valid() || !WritesWholeBox(op)) return false;
  const std::vector<std::uint32_t> classes = MemoryClasses(graph);
  const auto class_of = [&](const Operator& any) {
    return classes[graph.versions[any.result].array.index];
  };
  const Box box = WrittenBox(op);
  for (const Operator* other : OperatorsIn(graph, loop)) {
    if (class_of(*other) != class_of(op)) continue;
    const Box theirs = WrittenBox(*other);
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (!AlwaysContains(box[d], theirs[d])) return false;
    }
  }
  return true;
}

GhostNeeds FindNeeds(const Graph& graph, const Grid& grid, const SegmentSource& source,
                     std::int64_t turns) {
  NeedFinder finder(graph, grid, source);
  Halo own(grid.axes.size(), Halo::kNever);
  for (std::size_t axis = 0; axis < own.axes(); ++axis) {
    for (const int step : {-1, 1}) own.At(ranks::SideOf(axis, step, own.axes()), axis) = 0;
  }
  if (source.loop.Valid()) {
    const Loop& loop = LoopOf(graph, source.loop);
    for (const Carried& carried : loop.carried) finder.values[carried.next] = own;
    for (std::int64_t turn = turns; turn-- > 0;) finder.PassTurn(loop, turn == 0);
  } else {
    for (const auto& [version, array] : source.outputs) finder.values[version] = own;
    finder.PassNodes();
  }
  const auto beyond = [&](const Halo& need) { return Most(need, Halo(need.axes(), 0)); };
  GhostNeeds needs;
  needs.room = finder.room;
  for (const auto& [version, array] : source.inputs) {
    if (!grid.Shares(array)) continue;
    const auto value = finder.values.find(version);
    if (value != finder.values.end()) Raise(needs.values, array, beyond(value->second));
    const auto frame = finder.frames.find(version);
    if (frame != finder.frames.end()) Raise(needs.frames, array, beyond(frame->second));
  }
  return needs;
}

std::set<ArrayId> FrameOrigins(const Graph& graph, const SegmentSource& source, ArrayId array) {
  VersionId version;
  for (const auto& [written, memory] : source.outputs) {
    if (memory == array) version = written;
  }
  if (!version.Valid()) return {array};
  if (source.loop.Valid()) {
    const FrameMoves moves(graph, source);
    std::set<ArrayId> origins;
    for (int at = moves.Find(array); at >= 0 && origins.insert(moves.MemoryOf(at)).second;) {
      at = moves.Before(at);
    }
    return origins;
  }
  for (;;) {
    for (const auto& [read, memory] : source.inputs) {
      if (read == version) return {memory};
    }
    const Version& defined = graph.versions[version];
    if (defined.def != DefKind::Operator || !defined.node.Valid()) return {};
    version = OperatorOf(graph, defined.node).background;
    if (!version.Valid()) return {};
  }
}

void ShareFrames(const Graph& graph, const SegmentSource& source, std::int64_t turns,
                 const std::map<ArrayId, Halo>& exchanged, std::map<ArrayId, Halo>& frames) {
  if (!source.loop.Valid()) return;
  const FrameMoves moves(graph, source);
  const int count = moves.count();
  const std::map<ArrayId, Halo> needs = frames;
  for (int n = 0; n < count; ++n) {
    const auto need = needs.find(moves.MemoryOf(n));
    if (need == needs.end()) continue;
    Halo left = need->second;
    int at = n;
    for (int runs = 0; runs <= count && at >= 0 && !IsNone(left); ++runs) {
      const ArrayId array = moves.MemoryOf(at);
      const auto comes = exchanged.find(array);
      if (runs > 0 && comes != exchanged.end()) left = Without(std::move(left), comes->second);
      Raise(frames, array, left);
      for (std::int64_t turn = 0; turn < turns && at >= 0; ++turn) at = moves.Before(at);
    }
  }
}

}  // namespace stencilgen::distribute
