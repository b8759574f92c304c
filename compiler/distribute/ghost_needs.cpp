#include "distribute/ghost_needs.h"

#include <algorithm>

#include "distribute/find_grid.h"
#include "distribute/reaches.h"
#include "graph/nodes.h"
#include "graph/regions.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

/// Needs of versions, from the last node to the first.
class NeedFinder {
 public:
  NeedFinder(const Graph& graph, const Grid& grid, const SegmentSource& source)
      : room(grid.axes.size()), graph_(graph), grid_(grid), source_(source) {}

  std::map<VersionId, Reaches> values, frames;
  Reaches room;  // the most of all

  void PassNodes() {
    for (auto at = source_.nodes.rbegin(); at != source_.nodes.rend(); ++at) {
      Pass(OperatorOf(graph_, *at));
    }
  }

  /// What a turn needs at its beginning, the turn before must leave at its end.
  void PassTurn(const Loop& loop, bool first) {
    PassNodes();
    std::map<VersionId, Reaches> values_before, frames_before;
    for (const Carried& carried : loop.carried) {
      const VersionId before = first ? carried.initial : carried.next;
      Hand(values, carried.entry, before, values_before);
      Hand(frames, carried.entry, before, frames_before);
    }
    for (const auto& [version, need] : values_before) Raise(values, version, need);
    for (const auto& [version, need] : frames_before) Raise(frames, version, need);
  }

 private:
  static void Hand(std::map<VersionId, Reaches>& needs, VersionId entry, VersionId before,
                   std::map<VersionId, Reaches>& out) {
    const auto found = needs.find(entry);
    if (found == needs.end()) return;
    Raise(out, before, found->second);
    needs.erase(found);
  }

  void Pass(const Operator& op) {
    const auto value = values.find(op.result);
    const auto frame = frames.find(op.result);
    if (frame != frames.end()) {
      const Reaches need = frame->second;
      frames.erase(frame);
      if (op.background.Valid()) Raise(frames, op.background, need);
    }
    if (value == values.end()) return;
    const Reaches need = value->second;
    values.erase(value);
    for (const ExprId id : Accesses(graph_, op)) {
      PassRead(op, need, std::get<Access>(graph_.exprs[id].node));
    }
    if (!op.background.Valid()) return;
    Raise(KeepsFrame(graph_, source_.around, op) ? frames : values, op.background, need);
  }

  void PassRead(const Operator& op, const Reaches& need, const Access& access) {
    if (access.indices.empty()) return;
    // Less than nothing: not even all of a rank's own points.
    Reaches before(need.size());
    for (std::size_t a = 0; a < need.size(); ++a) {
      const auto reach = ReadReach(grid_, static_cast<int>(a), graph_, op, access);
      if (reach) before[a] = {need[a].lo + reach->lo, need[a].hi + reach->hi};
    }
    Raise(values, access.version, before);
    room = Most(std::move(room), before);
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
  const Reaches own(grid.axes.size());
  if (source.loop.Valid()) {
    const Loop& loop = LoopOf(graph, source.loop);
    for (const Carried& carried : loop.carried) finder.values[carried.next] = own;
    for (std::int64_t turn = turns; turn-- > 0;) finder.PassTurn(loop, turn == 0);
  } else {
    for (const auto& [version, array] : source.outputs) finder.values[version] = own;
    finder.PassNodes();
  }
  const auto beyond = [](Reaches need) {
    for (Reach& reach : need) {
      reach = {std::max<std::int64_t>(0, reach.lo), std::max<std::int64_t>(0, reach.hi)};
    }
    return need;
  };
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

std::optional<ArrayId> FrameOrigin(const Graph& graph, const SegmentSource& source, ArrayId array) {
  VersionId version;
  for (const auto& [written, memory] : source.outputs) {
    if (memory == array) version = written;
  }
  if (!version.Valid()) return array;
  for (;;) {
    for (const auto& [read, memory] : source.inputs) {
      if (read == version) return memory;
    }
    const Version& defined = graph.versions[version];
    if (defined.def != DefKind::Operator || !defined.node.Valid()) return std::nullopt;
    version = OperatorOf(graph, defined.node).background;
    if (!version.Valid()) return std::nullopt;
  }
}

void ShareFrames(const Graph& graph, const SegmentSource& source, std::int64_t turns,
                 std::map<ArrayId, Reaches>& frames) {
  if (!source.loop.Valid()) return;
  const Loop& loop = LoopOf(graph, source.loop);
  const std::size_t count = loop.carried.size();
  std::vector<int> from(count);
  for (std::size_t n = 0; n < count; ++n) from[n] = FrameOf(graph, loop, loop.carried[n].next);
  std::vector<ArrayId> memory(count);
  for (std::size_t n = 0; n < count; ++n) {
    for (const auto& [version, array] : source.inputs) {
      if (version == loop.carried[n].initial) memory[n] = array;
    }
  }
  const std::map<ArrayId, Reaches> needs = frames;
  for (std::size_t n = 0; n < count; ++n) {
    const auto need = needs.find(memory[n]);
    if (need == needs.end()) continue;
    int at = static_cast<int>(n);
    for (std::size_t runs = 0; runs <= count && at >= 0; ++runs) {
      Raise(frames, memory[static_cast<std::size_t>(at)], need->second);
      for (std::int64_t turn = 0; turn < turns && at >= 0; ++turn) {
        at = from[static_cast<std::size_t>(at)];
      }
    }
  }
}

}  // namespace stencilgen::distribute
