#include "baseline/plain_memory.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "support/match.h"

namespace stencilgen::baseline {
namespace {

using graph::Graph;
using graph::Loop;
using graph::NodeId;
using graph::Operator;
using graph::VersionId;

class Placer {
 public:
  explicit Placer(const Graph& graph) : graph_(graph) {}

  std::optional<Memory> Run(std::string& problem) {
    PlaceArrays();
    std::set<VersionId> results;
    for (const graph::Output& output : graph_.outputs) results.insert(output.version);
    PlaceRegion(graph_.root, results, nullptr);
    problem = problem_;
    if (!problem_.empty()) return std::nullopt;
    return std::move(memory_);
  }

 private:
  const graph::Array& TypeOf(VersionId version) const {
    return graph_.arrays[graph_.versions[version].array];
  }
  bool IsArray(VersionId version) const { return TypeOf(version).rank() > 0; }

  /// A variable for each array of the caller. What is not copied out must stay as it is, so what
  /// the program changes of it gets memory of its own.
  void PlaceArrays() {
    std::set<graph::ArrayId> changed;
    for (const graph::Node& node : graph_.nodes) {
      if (const auto* op = std::get_if<Operator>(&node)) {
        changed.insert(graph_.versions[op->result].array);
        if (op->background.Valid()) changed.insert(graph_.versions[op->background].array);
      } else {
        for (const graph::Carried& carried : std::get<Loop>(node).carried) {
          changed.insert(carried.array);
        }
      }
    }
    for (const graph::ArrayId id : graph_.arrays.Ids()) {
      const graph::Array& array = graph_.arrays[id];
      if (array.rank() == 0) continue;
      const bool callers = !array.local && (array.copy_out || changed.count(id) == 0);
      own_[id] = Add({array.name, id, callers, array.copy_in});
    }
    for (const VersionId id : graph_.versions.Ids()) {
      const graph::Version& version = graph_.versions[id];
      if (version.def == graph::DefKind::Initial && IsArray(id)) {
        memory_.homes[id] = own_.at(version.array);
      }
    }
  }

  int Add(Buffer buffer) {
    memory_.buffers.push_back(std::move(buffer));
    return static_cast<int>(memory_.buffers.size()) - 1;
  }

  void ReadBy(NodeId node, std::set<VersionId>& read) const {
    Match(
        graph_.nodes[node],
        [&](const Operator& op) {
          for (const graph::ExprId id : graph::Accesses(graph_, op)) {
            read.insert(std::get<graph::Access>(graph_.exprs[id].node).version);
          }
          if (op.background.Valid()) read.insert(op.background);
        },
        [&](const Loop& loop) {
          for (const graph::Carried& carried : loop.carried) {
            read.insert(carried.initial);
            read.insert(carried.next);
          }
          for (const NodeId inner : graph_.regions[loop.body].nodes) ReadBy(inner, read);
        });
  }

  /// `last`: versions that are needed after the region. `loop`: whose body it is, or null.
  void PlaceRegion(graph::RegionId region, const std::set<VersionId>& last, const Loop* loop) {
    const std::vector<NodeId>& nodes = graph_.regions[region].nodes;
    // What is read after each node, from the end.
    std::vector<std::set<VersionId>> later(nodes.size() + 1);
    later[nodes.size()] = last;
    for (std::size_t n = nodes.size(); n-- > 0;) {
      later[n] = later[n + 1];
      ReadBy(nodes[n], later[n]);
    }
    for (std::size_t n = 0; n < nodes.size() && problem_.empty(); ++n) {
      Match(
          graph_.nodes[nodes[n]],
          [&](const Operator& op) {
            if (op.reduction) {
              problem_ = "plain code has no reductions";
            } else if (IsArray(op.result)) {
              PlaceOperator(nodes[n], op, later[n + 1], loop);
            }
          },
          [&](const Loop& inner) { PlaceLoop(nodes[n], inner, later[n + 1]); });
    }
  }

  bool IsLive(int buffer, const std::set<VersionId>& later) const {
    return std::any_of(later.begin(), later.end(), [&](VersionId version) {
      const auto home = memory_.homes.find(version);
      return home != memory_.homes.end() && home->second == buffer;
    });
  }

  /// True where the operator reads the buffer at its own point alone.
  bool ReadsOwnPointOnly(const Operator& op, int buffer) const {
    for (const graph::ExprId id : graph::Accesses(graph_, op)) {
      const auto& access = std::get<graph::Access>(graph_.exprs[id].node);
      if (access.indices.empty() || memory_.homes.at(access.version) != buffer) continue;
      if (access.indices != op.target) return false;
    }
    return true;
  }

  void PlaceOperator(NodeId node, const Operator& op, const std::set<VersionId>& later,
                     const Loop* loop) {
    const graph::ArrayId array = graph_.versions[op.result].array;
    const int old = op.background.Valid() ? memory_.homes.at(op.background) : own_.at(array);
    Store store;
    if (ReadsOwnPointOnly(op, old) && !IsLive(old, later) && !IsOutside(op.background, loop)) {
      store.buffer = old;
      store.in_place = true;
    } else {
      store.buffer =
          Add({fmt::format("{}_next{}", graph_.arrays[array].name, memory_.buffers.size()), array,
               false, false});
      if (op.background.Valid()) {
        store.border_from = old;
        store.border_once = IsRotation(op, loop);
      }
    }
    memory_.homes[op.result] = store.buffer;
    memory_.stores[node] = store;
  }

  /// The version is of before the loop, and needed as it is in the next turn.
  bool IsOutside(VersionId version, const Loop* loop) const {
    if (loop == nullptr || !version.Valid()) return false;
    for (const graph::Carried& carried : loop->carried) {
      if (carried.entry == version) return false;
    }
    const graph::Version& definition = graph_.versions[version];
    const auto& nodes = graph_.regions[loop->body].nodes;
    return definition.def == graph::DefKind::Initial ||
           std::find(nodes.begin(), nodes.end(), definition.node) == nodes.end();
  }

  /// The loop only exchanges the operator's result and its background: the border, once in both,
  /// stays.
  static bool IsRotation(const Operator& op, const Loop* loop) {
    if (loop == nullptr) return false;
    return std::any_of(loop->carried.begin(), loop->carried.end(),
                       [&](const graph::Carried& carried) {
                         return carried.entry == op.background && carried.next == op.result;
                       });
  }

  void PlaceLoop(NodeId node, const Loop& loop, const std::set<VersionId>& later) {
    std::set<VersionId> needed;
    std::set<int> homes;
    for (const graph::Carried& carried : loop.carried) {
      if (!IsArray(carried.entry)) continue;
      const int home = memory_.homes.at(carried.initial);
      if (!homes.insert(home).second || later.count(carried.initial) > 0) {
        problem_ = "a loop shares an array with what follows it";
        return;
      }
      memory_.homes[carried.entry] = home;
      needed.insert(carried.next);
    }
    PlaceRegion(loop.body, needed, &loop);
    if (!problem_.empty()) return;
    Exchange exchange;
    std::set<int> unused, replaced;
    for (const graph::Carried& carried : loop.carried) {
      if (!IsArray(carried.entry)) continue;
      const int to = memory_.homes.at(carried.entry), from = memory_.homes.at(carried.next);
      memory_.homes[carried.result] = to;
      if (to == from) continue;
      exchange.moves.emplace_back(to, from);
      replaced.insert(to);
      if (!unused.insert(from).second) {
        problem_ = "a loop carries one result in two arrays";
        return;
      }
    }
    // Memory that nobody gets goes to the variables that are without.
    std::vector<int> free, without;
    std::set_difference(replaced.begin(), replaced.end(), unused.begin(), unused.end(),
                        std::back_inserter(free));
    std::set_difference(unused.begin(), unused.end(), replaced.begin(), replaced.end(),
                        std::back_inserter(without));
    for (std::size_t n = 0; n < without.size(); ++n) {
      exchange.moves.emplace_back(without[n], free[n]);
    }
    memory_.exchanges[node] = std::move(exchange);
  }

  const Graph& graph_;
  Memory memory_;
  std::map<graph::ArrayId, int> own_;
  std::string problem_;
};

}  // namespace

std::optional<Memory> PlaceInMemory(const Graph& graph, std::string& problem) {
  return Placer(graph).Run(problem);
}

}  // namespace stencilgen::baseline
