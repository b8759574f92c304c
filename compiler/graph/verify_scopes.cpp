#include <set>

#include "graph/element_format.h"
#include "graph/print.h"
#include "graph/turns.h"
#include "graph/verify_parts.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

class ScopeVerifier {
 public:
  ScopeVerifier(const Graph& graph, Problems& problems)
      : graph_(graph),
        problems_(problems),
        names_(VersionNames(graph)),
        visible_(graph.versions.size(), false),
        defined_(graph.versions.size(), false) {}

  void Run() {
    for (const VersionId id : graph_.versions.Ids()) {
      const Version& version = graph_.versions[id];
      if (version.def != DefKind::Initial) continue;
      if (version.node.Valid()) problems_.Add("{}: it has both no and a node", NameOf(id));
      visible_[id.index] = true;
    }
    VisitRegion(graph_.root);
    for (const Output& output : graph_.outputs) {
      const Array& array = graph_.arrays[output.array];
      if (!array.copy_out) problems_.Add("output {} is not copied out", array.name);
      Use(output.version, "an output");
      const Array& held = graph_.arrays[graph_.versions[output.version].array];
      if (!SameElements(held, array) || held.extents != array.extents) {
        problems_.Add("output {} holds {}, which has another shape", array.name,
                      NameOf(output.version));
      }
    }
  }

 private:
  const std::string& NameOf(VersionId version) const { return names_[version.index]; }

  void Use(VersionId version, const std::string& user) {
    if (!visible_[version.index]) {
      problems_.Add("{} uses {}, which is not defined there", user, NameOf(version));
    }
  }

  void Define(VersionId version, DefKind kind, NodeId node) {
    const Version& definition = graph_.versions[version];
    if (definition.def != kind || definition.node != node) {
      problems_.Add("{}: it does not name the node that defines it", NameOf(version));
    }
    if (defined_[version.index]) problems_.Add("{}: it is defined twice", NameOf(version));
    defined_[version.index] = true;
    visible_[version.index] = true;
  }

  void VisitRegion(RegionId region) {
    for (const NodeId id : graph_.regions[region].nodes) {
      Match(
          graph_.nodes[id], [&](const Operator& op) { VisitOperator(id, op); },
          [&](const Loop& loop) { VisitLoop(id, loop); });
    }
  }

  void VisitOperator(NodeId id, const Operator& op) {
    for (const ExprId access : Accesses(graph_, op)) {
      Use(std::get<Access>(graph_.exprs[access].node).version, Name(op));
    }
    for (const ParameterId turn : TurnsUsed(graph_, op)) {
      if (turns_.count(turn) == 0) {
        problems_.Add("{} uses the turn {} outside of its loop", Name(op),
                      graph_.parameters[turn].name);
      }
    }
    if (op.background.Valid()) {
      Use(op.background, Name(op));
      if (!SameShape(graph_, op.background, op.result)) {
        problems_.Add("{}: its background {} has another shape than its result", Name(op),
                      NameOf(op.background));
      }
    }
    const Array& array = graph_.arrays[graph_.versions[op.result].array];
    if (!Fits(graph_, op.value, array.format)) {
      problems_.Add("{}: its value may be none that elements of {} hold", Name(op), array.name);
    }
    if (array.constant) problems_.Add("{}: it writes the constant {}", Name(op), array.name);
    Define(op.result, DefKind::Operator, id);
  }

  void VisitLoop(NodeId id, const Loop& loop) {
    for (const Carried& carried : loop.carried) Use(carried.initial, "a loop");
    if (loop.unless.Valid()) Use(loop.unless, "a loop");
    const std::vector<bool> outside = visible_;
    for (const Carried& carried : loop.carried) {
      Define(carried.entry, DefKind::LoopEntry, id);
      for (const VersionId version : {carried.entry, carried.next, carried.result}) {
        if (!SameShape(graph_, carried.initial, version)) {
          problems_.Add("a loop carries {} and {}, which differ in shape", NameOf(carried.initial),
                        NameOf(version));
        }
      }
    }
    if (loop.turn.Valid() && !turns_.insert(loop.turn).second) {
      problems_.Add("a loop has the turn {} of one around it", graph_.parameters[loop.turn].name);
    }
    VisitRegion(loop.body);
    turns_.erase(loop.turn);
    if (loop.stop) Use(loop.stop->condition, "the end of a loop");
    for (const Carried& carried : loop.carried) Use(carried.next, "the end of a loop");
    visible_ = outside;
    for (const Carried& carried : loop.carried) Define(carried.result, DefKind::LoopResult, id);
  }

  const Graph& graph_;
  Problems& problems_;
  const std::vector<std::string> names_;
  std::vector<bool> visible_;
  std::vector<bool> defined_;
  std::set<ParameterId> turns_;  // of the loops around
};

}  // namespace

void VerifyScopes(const Graph& graph, Problems& problems) {
  ScopeVerifier(graph, problems).Run();
}

}  // namespace stencilgen::graph
