#include "scop/rotations.h"

#include <algorithm>
#include <map>
#include <string>

#include "scop/changes.h"
#include "scop/model.h"
#include "scop/order.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kSeveral{"c-swap", Severity::Error,
                                               "`{}` is exchanged in several loops"};
constexpr DiagnosticKind<std::string> kTurnsAtOnce{
    "c-swap", Severity::Error,
    "what `{}` points to changes with each turn of a loop whose turns are computed at once"};

bool IsInside(StatementId loop, const std::vector<StatementId>& loops) {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

/// What each pointer points to after a turn, named by the pointer that pointed to it before.
using Pointees = std::map<VariableId, VariableId>;

VariableId& PointeeOf(Pointees& pointees, VariableId pointer) {
  return pointees.emplace(pointer, pointer).first->second;
}

/// The cycles of a permutation, without those of one pointer.
std::vector<std::vector<VariableId>> CyclesOf(const Pointees& pointees) {
  std::vector<std::vector<VariableId>> cycles;
  std::set<VariableId> seen;
  for (const auto& [first, pointee] : pointees) {
    std::vector<VariableId> cycle;
    for (VariableId at = first; seen.insert(at).second; at = pointees.at(at)) cycle.push_back(at);
    if (cycle.size() > 1) cycles.push_back(std::move(cycle));
  }
  return cycles;
}

}  // namespace

std::size_t Rotation::PlaceOf(VariableId variable) const {
  return static_cast<std::size_t>(std::find(pointers.begin(), pointers.end(), variable) -
                                  pointers.begin());
}

std::optional<std::vector<Swap>> SwapsOf(const std::vector<Swap>& moves,
                                         std::set<VariableId>& temporaries) {
  Pointees pointees;
  for (const Swap& move : moves) {
    const VariableId source = PointeeOf(pointees, move.second);
    PointeeOf(pointees, move.first) = source;
  }
  // What a temporary pointed to before, nothing points to any more.
  std::set<VariableId> kept;
  for (const auto& [pointer, pointee] : pointees) kept.insert(pointee);
  for (auto at = pointees.begin(); at != pointees.end();) {
    if (kept.count(at->first) > 0) {
      ++at;
      continue;
    }
    temporaries.insert(at->first);
    at = pointees.erase(at);
  }
  std::set<VariableId> reached;
  for (const auto& [pointer, pointee] : pointees) {
    if (pointees.count(pointee) == 0 || !reached.insert(pointee).second) return std::nullopt;
  }
  std::vector<Swap> swaps;
  for (const std::vector<VariableId>& cycle : CyclesOf(pointees)) {
    for (std::size_t k = 1; k < cycle.size(); ++k) swaps.push_back({cycle[k - 1], cycle[k]});
  }
  if (swaps.empty() && !moves.empty()) return std::nullopt;
  return swaps;
}

std::vector<Rotation> FindRotations(const Region& region, const std::vector<PointerSwap>& swaps,
                                    DiagnosticSink& sink) {
  std::vector<Rotation> rotations;
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    const std::vector<StatementId>& loops = swaps[k].loops;
    const auto same = [&](const PointerSwap& other) { return other.loops == loops; };
    if (std::find_if(swaps.begin(), swaps.end(), same) !=
        swaps.begin() + static_cast<std::ptrdiff_t>(k)) {
      continue;
    }
    Pointees pointees;
    for (const PointerSwap& swap : swaps) {
      if (!same(swap)) continue;
      PointeeOf(pointees, swap.second);
      std::swap(PointeeOf(pointees, swap.first), pointees.at(swap.second));
    }
    for (const std::vector<VariableId>& cycle : CyclesOf(pointees)) {
      rotations.push_back({loops, cycle, swaps[k].span});
    }
  }
  for (const Rotation& a : rotations) {
    for (const Rotation& b : rotations) {
      if (a.loop() == b.loop()) continue;
      const bool nested = IsInside(a.loop(), b.loops);
      if (a.pointers == b.pointers && !nested) continue;
      for (const VariableId pointer : a.pointers) {
        if (b.PlaceOf(pointer) == b.pointers.size()) continue;
        sink.Report(b.span, kSeveral, region.variables[pointer].text)
            .Note(a.span, "and here")
            .Hint("exchange the same pointers at the end of each loop, or copy the arrays");
        return {};
      }
    }
  }
  return rotations;
}

const Rotation* RotationOf(const std::vector<Rotation>& rotations, VariableId variable) {
  const auto found = std::find_if(rotations.begin(), rotations.end(), [&](const Rotation& each) {
    return each.PlaceOf(variable) < each.pointers.size();
  });
  return found == rotations.end() ? nullptr : &*found;
}

std::set<StatementId> LoopsOf(const std::vector<Rotation>& rotations) {
  std::set<StatementId> loops;
  for (const Rotation& rotation : rotations) {
    loops.insert(rotation.loops.begin(), rotation.loops.end());
  }
  return loops;
}

void CheckRotations(const Model& model, const Order& order, DiagnosticSink& sink) {
  for (const Rotation& rotation : model.rotations) {
    for (const Step& step : model.steps) {
      for (const Access& access : step.accesses) {
        if (rotation.PlaceOf(access.variable) == rotation.pointers.size()) continue;
        const std::vector<bool>& stays = order.placements[step.number].stays;
        bool turns = true;
        for (std::size_t k = 0; k < step.loops.size(); ++k) {
          turns = turns && (stays[k] || !IsInside(step.loops[k], rotation.loops));
        }
        if (turns) continue;
        sink.Report(step.span, kTurnsAtOnce, model.region->variables[access.variable].text)
            .Note(rotation.span, "here")
            .Hint("copy the array at the end of the loop instead");
        return;
      }
    }
  }
}

}  // namespace stencilgen::scop
