#include "distribute/segments.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "distribute/find_grid.h"
#include "distribute/scalar_states.h"
#include "graph/nodes.h"
#include "support/check.h"

namespace stencilgen::distribute {

using namespace graph;

namespace {

using Versions = std::set<VersionId>;

class Cutter {
 public:
  explicit Cutter(Distributed& program)
      : program_(program), graph_(program.graph), classes_(MemoryClasses(graph_)) {
    for (const Collective& collective : program.collectives) {
      (collective.reduces ? reductions_ : reads_).insert(collective.node);
    }
  }

  void Run() {
    for (const VersionId id : graph_.versions.Ids()) {
      if (graph_.versions[id].def == DefKind::Initial) memory_[id] = graph_.versions[id].array;
    }
    Versions live;
    for (const Output& output : graph_.outputs) {
      live.insert(output.version);
      wishes_[output.version] = output.array;
    }
    program_.steps = Cut(graph_.regions[graph_.root].nodes, live, NodeId{});
    Moves moves;
    for (const Output& output : graph_.outputs) {
      moves.emplace_back(output.array, memory_.at(output.version));
      fields_.insert(output.array);
    }
    AddMoves(moves, program_.steps);
    program_.fields.assign(fields_.begin(), fields_.end());
  }

 private:
  using Moves = std::vector<std::pair<ArrayId, ArrayId>>;

  bool IsArray(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array].rank() > 0;
  }

  /// The versions that the node reads of those before it, and the arrays it defines.
  void UsesOf(NodeId node, Versions& uses, Versions& defines) const {
    if (const auto* op = std::get_if<Operator>(&graph_.nodes[node])) {
      for (const ExprId id : Accesses(graph_, *op)) {
        uses.insert(std::get<Access>(graph_.exprs[id].node).version);
      }
      if (op->background.Valid()) uses.insert(op->background);
      defines.insert(op->result);
      return;
    }
    const Loop& loop = LoopOf(graph_, node);
    Versions inner, own;
    for (const NodeId id : graph_.regions[loop.body].nodes) UsesOf(id, inner, own);
    for (const Carried& carried : loop.carried) {
      own.insert(carried.entry);
      uses.insert(carried.initial);
      inner.insert(carried.next);
      defines.insert(carried.result);
    }
    if (loop.stop) inner.insert(loop.stop->condition);
    std::set_difference(inner.begin(), inner.end(), own.begin(), own.end(),
                        std::inserter(uses, uses.end()));
  }

  static void Minus(Versions& from, const Versions& what) {
    for (const VersionId version : what) from.erase(version);
  }

  Steps Cut(const std::vector<NodeId>& nodes, const Versions& live_out, NodeId around) {
    std::vector<Versions> live_after(nodes.size());
    Versions live = live_out;
    for (std::size_t k = nodes.size(); k-- > 0;) {
      live_after[k] = live;
      Versions uses, defines;
      UsesOf(nodes[k], uses, defines);
      Minus(live, defines);
      live.insert(uses.begin(), uses.end());
    }
    Steps steps;
    for (std::size_t k = 0; k < nodes.size();) {
      if (std::holds_alternative<Loop>(graph_.nodes[nodes[k]])) {
        AddLoop(nodes[k], live_after[k], steps);
        ++k;
        continue;
      }
      if (reductions_.count(nodes[k]) > 0) {
        AddReduction(nodes[k], live_after[k], steps);
        ++k;
        continue;
      }
      const bool reads = reads_.count(nodes[k]) > 0;
      std::vector<NodeId> stretch;
      for (; k < nodes.size() && BelongsTo(nodes[k], reads, stretch); ++k) {
        stretch.push_back(nodes[k]);
      }
      AddStretch(stretch, live_after[k - 1], around, steps);
      if (reads) AddCollect(steps);
    }
    return steps;
  }

  /// The operator goes into one segment with those of the stretch: with others that read elements
  /// for all ranks, none of which needs what another one reads, or with others that do not.
  bool BelongsTo(NodeId node, bool reads, const std::vector<NodeId>& stretch) const {
    if (!std::holds_alternative<Operator>(graph_.nodes[node])) return false;
    if (reductions_.count(node) > 0 || (reads_.count(node) > 0) != reads) return false;
    if (!reads) return true;
    Versions uses, defines;
    UsesOf(node, uses, defines);
    return std::none_of(stretch.begin(), stretch.end(), [&](NodeId before) {
      return uses.count(OperatorOf(graph_, before).result) > 0;
    });
  }

  void AddReduction(NodeId node, const Versions& live_after, Steps& steps) {
    const Operator& op = OperatorOf(graph_, node);
    if (live_after.count(op.result) == 0) return;
    const auto& access = std::get<Access>(graph_.exprs[op.value].node);
    SegmentSource places;
    std::set<ArrayId> taken = Taken(live_after, {op.result});
    Place(op.result, taken, places);
    const ArrayId values = memory_.at(access.version);
    const ArrayId lanes = memory_.at(op.result);
    fields_.insert({values, lanes});
    steps.push_back({ReduceStep{node, values, lanes}});
  }

  /// Completes what the segment before has read.
  void AddCollect(Steps& steps) {
    const auto* call = steps.empty() ? nullptr : std::get_if<CallStep>(&steps.back().what);
    if (call == nullptr) return;
    CollectStep collect;
    for (const auto& [version, array] : program_.sources[call->segment].outputs) {
      collect.arrays.push_back(array);
    }
    steps.push_back({std::move(collect)});
  }

  std::set<ArrayId> Taken(const Versions& live_after, const Versions& defines) const {
    std::set<ArrayId> taken;
    for (const VersionId version : live_after) {
      if (defines.count(version) == 0 && memory_.count(version) > 0) {
        taken.insert(memory_.at(version));
      }
    }
    return taken;
  }

  void AddStretch(const std::vector<NodeId>& nodes, const Versions& live_after, NodeId around,
                  Steps& steps) {
    SegmentSource source;
    source.nodes = nodes;
    source.around = around;
    Versions uses, defines;
    for (const NodeId node : nodes) UsesOf(node, uses, defines);
    AddInputs(uses, defines, source);
    std::set<ArrayId> taken = Taken(live_after, defines);
    for (const bool wished : {true, false}) {
      for (const VersionId version : defines) {
        if (live_after.count(version) == 0 || !IsArray(version)) continue;
        if ((wishes_.count(version) > 0) == wished) Place(version, taken, source);
      }
    }
    // Scalars alone: segments that read them compute them.
    if (source.outputs.empty()) return;
    Add(std::move(source));
    steps.push_back({CallStep{program_.sources.size() - 1}});
  }

  /// Gives the version the memory of an array that nobody needs afterwards.
  void Place(VersionId version, std::set<ArrayId>& taken, SegmentSource& source) {
    std::vector<ArrayId> candidates;
    if (wishes_.count(version) > 0) candidates.push_back(wishes_.at(version));
    const ArrayId own = graph_.versions[version].array;
    candidates.push_back(own);
    for (const ArrayId id : graph_.arrays.Ids()) {
      const bool free = !graph_.arrays[id].local || added_.count(id) > 0;
      if (free && classes_[id.index] == classes_[own.index]) candidates.push_back(id);
    }
    const auto untaken = std::find_if(candidates.begin(), candidates.end(),
                                      [&](ArrayId id) { return taken.count(id) == 0; });
    // Where steps stand between statements of one call, more may outlive statements than the
    // program has names for.
    const ArrayId id = untaken != candidates.end() ? *untaken : AddArrayLike(own);
    taken.insert(id);
    memory_[version] = id;
    source.outputs.emplace_back(version, id);
  }

  ArrayId AddArrayLike(ArrayId like) {
    Array array = graph_.arrays[like];
    array.name = FreeName(graph_, array.name + "_too");
    array.local = true;
    array.copy_in = array.copy_out = false;
    Grid& grid = program_.grid;
    grid.dimensions.push_back(std::vector<GridDimension>(grid.dimensions[like.index]));
    classes_.push_back(classes_[like.index]);
    const ArrayId id = program_.graph.arrays.Add(std::move(array));
    added_.insert(id);
    return id;
  }

  void AddInputs(const Versions& uses, const Versions& defines, SegmentSource& source) {
    Versions pending = uses;
    Versions seen;
    while (!pending.empty()) {
      const VersionId version = *pending.begin();
      pending.erase(pending.begin());
      if (defines.count(version) > 0 || !seen.insert(version).second) continue;
      if (IsArray(version)) {
        source.inputs.emplace_back(version, memory_.at(version));
        continue;
      }
      const Version& scalar = graph_.versions[version];
      if (scalar.def == DefKind::Initial) continue;
      source.scalars.push_back(scalar.node);
      Versions own;
      UsesOf(scalar.node, pending, own);
    }
    // Operators of scalars in their order.
    std::sort(source.scalars.begin(), source.scalars.end());
    std::sort(source.inputs.begin(), source.inputs.end());
  }

  void Add(SegmentSource source) {
    for (const auto* list : {&source.inputs, &source.outputs}) {
      for (const auto& [version, array] : *list) fields_.insert(array);
    }
    program_.sources.push_back(std::move(source));
  }

  void AddLoop(NodeId node, const Versions& live_after, Steps& steps) {
    const Loop& loop = LoopOf(graph_, node);
    for (const Carried& carried : loop.carried) {
      memory_[carried.entry] = memory_[carried.result] = memory_.at(carried.initial);
    }
    const std::vector<NodeId>& body = graph_.regions[loop.body].nodes;
    const bool plain = std::all_of(body.begin(), body.end(), [&](NodeId id) {
      return std::holds_alternative<Operator>(graph_.nodes[id]) && reductions_.count(id) == 0 &&
             reads_.count(id) == 0;
    });
    if (plain && !loop.stop && program_.together > 1) return AddChunks(node, loop, steps);
    Versions live = live_after;
    Versions defines;
    UsesOf(node, live, defines);
    Minus(live, defines);
    for (const Carried& carried : loop.carried) {
      live.erase(carried.initial);
      live.insert(carried.next);
      wishes_[carried.next] = memory_.at(carried.entry);
    }
    if (loop.stop) live.insert(loop.stop->condition);
    RepeatStep repeat{loop.turns, loop.turn, CutTurn(body, live, loop, node), loop.stop};
    if (loop.stop) repeat.condition = memory_.at(loop.stop->condition);
    Moves moves;
    for (const Carried& carried : loop.carried) {
      moves.emplace_back(memory_.at(carried.entry), memory_.at(carried.next));
    }
    AddMoves(moves, repeat.body);
    steps.push_back({std::move(repeat)});
  }

  /// The steps of a turn; the last ones, of which only the condition needs anything, in a step of
  /// their own where not all turns look at it.
  Steps CutTurn(const std::vector<NodeId>& body, const Versions& live_out, const Loop& loop,
                NodeId node) {
    if (!loop.stop || loop.stop->every == LinearForm::Constant(1)) return Cut(body, live_out, node);
    Versions turn = live_out;
    turn.erase(loop.stop->condition);
    std::size_t first = body.size();
    for (; first > 0; --first) {
      Versions uses, defines;
      UsesOf(body[first - 1], uses, defines);
      if (std::any_of(defines.begin(), defines.end(),
                      [&](VersionId version) { return turn.count(version) > 0; })) {
        break;
      }
    }
    const auto at = body.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<NodeId> looks(at, body.end());
    Versions live = turn;
    Versions defined;
    for (const NodeId look : looks) UsesOf(look, live, defined);
    Minus(live, defined);
    Steps steps = Cut({body.begin(), at}, live, node);
    steps.push_back({LookStep{Cut(looks, live_out, node)}});
    return steps;
  }

  void AddChunks(NodeId node, const Loop& loop, Steps& steps) {
    SegmentSource source;
    source.nodes = graph_.regions[loop.body].nodes;
    source.loop = source.around = node;
    Versions uses, defines;
    UsesOf(node, uses, defines);
    AddInputs(uses, defines, source);
    for (const Carried& carried : loop.carried) {
      source.outputs.emplace_back(carried.result, memory_.at(carried.result));
    }
    Add(std::move(source));
    steps.push_back(
        {ChunksStep{loop.turns, loop.turn, program_.sources.size() - 1, program_.together, {}}});
  }

  /// Makes a permutation of the moves: what is moved away from gets what is left.
  void AddMoves(Moves moves, Steps& steps) {
    moves.erase(std::remove_if(moves.begin(), moves.end(),
                               [](const auto& move) { return move.first == move.second; }),
                moves.end());
    if (moves.empty()) return;
    std::set<ArrayId> to, from;
    for (const auto& move : moves) {
      to.insert(move.first);
      from.insert(move.second);
    }
    std::vector<ArrayId> lacking, left;
    std::set_difference(from.begin(), from.end(), to.begin(), to.end(),
                        std::back_inserter(lacking));
    std::set_difference(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(left));
    for (const ArrayId array : lacking) {
      const auto fits = std::find_if(left.begin(), left.end(), [&](ArrayId other) {
        return classes_[other.index] == classes_[array.index];
      });
      STENCILGEN_CHECK(fits != left.end());
      moves.emplace_back(array, *fits);
      left.erase(fits);
    }
    fields_.insert(from.begin(), from.end());
    fields_.insert(to.begin(), to.end());
    steps.push_back({HandOnStep{std::move(moves)}});
  }

  Distributed& program_;
  const Graph& graph_;
  std::vector<std::uint32_t> classes_;
  std::set<NodeId> reductions_, reads_;  // collective ones
  std::set<ArrayId> added_;              // that the program does not name
  std::map<VersionId, ArrayId> memory_;  // of versions between segments
  std::map<VersionId, ArrayId> wishes_;  // where a version should be
  std::set<ArrayId> fields_;
};

}  // namespace

void CutIntoSegments(Distributed& program) {
  Cutter(program).Run();
}

}  // namespace stencilgen::distribute
