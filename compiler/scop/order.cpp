#include "scop/order.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <isl/map.h>

#include "scop/linear.h"

namespace stencilgen::scop {
namespace {

bool IsReductionOperator(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Sub;
}

class Chooser {
 public:
  Chooser(const Model& model, const std::set<StatementId>& kept)
      : model_(model), region_(*model.region), kept_(kept) {}

  Order Run() {
    for (const Step& step : model_.steps) {
      Placement placement;
      placement.stays.assign(step.loops.size(), true);
      order_.placements.push_back(placement);
    }
    PlaceArrays();
    PlacePrivates();
    PlaceReductions();
    std::vector<std::size_t> all;
    for (const Step& step : model_.steps) all.push_back(step.number);
    order_.items = Arrange(all, 0);
    Number(order_.items, {});
    return std::move(order_);
  }

 private:
  bool IsArray(VariableId id) const { return !region_.variables[id].extents.empty(); }

  /// The write of a step: one element of the array for each value of the counter.
  void PlaceArrays() {
    for (const Step& step : model_.steps) {
      if (!IsArray(step.target)) continue;
      for (std::size_t k = 0; k < step.loops.size(); ++k) {
        order_.placements[step.number].stays[k] = !NamesElement(step, k);
      }
      KeepLoops(step);
      KeepOuterLoops(step);
      for (std::size_t k = 0; k < step.loops.size(); ++k) {
        const bool point = !order_.placements[step.number].stays[k];
        auto [vote, fresh] = loops_.emplace(step.loops[k].index, point);
        if (!fresh) vote->second = vote->second || point;
      }
    }
  }

  /// The outer ones first; one loop at least is left to the points, but for single elements beside
  /// others that have points.
  void KeepLoops(const Step& step) {
    std::vector<bool>& stays = order_.placements[step.number].stays;
    auto points = std::count(stays.begin(), stays.end(), false);
    for (std::size_t k = 0; k < stays.size(); ++k) {
      if (stays[k] || kept_.count(step.loops[k]) == 0) continue;
      if (points < 2 && (k + 1 < stays.size() || !HasPointsInside(step.loops[k]))) continue;
      stays[k] = true;
      --points;
    }
  }

  /// True where a loop that is not kept, inside of this one, says which element is written.
  bool HasPointsInside(StatementId loop) const {
    return std::any_of(model_.steps.begin(), model_.steps.end(), [&](const Step& step) {
      const auto at = std::find(step.loops.begin(), step.loops.end(), loop);
      if (!IsArray(step.target) || at == step.loops.end()) return false;
      return std::any_of(at + 1, step.loops.end(), [&](StatementId inner) {
        const auto k = static_cast<std::size_t>(
            std::find(step.loops.begin(), step.loops.end(), inner) - step.loops.begin());
        return kept_.count(inner) == 0 && NamesElement(step, k);
      });
    });
  }

  /// True where each value of the counter k has an element of its own.
  bool NamesElement(const Step& step, std::size_t k) const {
    const isl::map& element = step.accesses.back().everywhere;
    // A loop of one turn moves nothing, and may have nothing to do with the element.
    const bool named = isl_map_involves_dims(element.get(), isl_dim_in, static_cast<unsigned>(k),
                                             1) == isl_bool_true;
    return named && Moves(step.accesses.back().map, step.loops.size(), k);
  }

  /// Points have three coordinates at most: loops along the first dimensions of an array with more
  /// stay loops.
  void KeepOuterLoops(const Step& step) {
    std::vector<bool>& stays = order_.placements[step.number].stays;
    const isl::map& element = step.accesses.back().everywhere;
    const std::size_t rank = region_.variables[step.target].extents.size();
    auto points = std::count(stays.begin(), stays.end(), false);
    for (std::size_t d = 0; d < rank && points > 3; ++d) {
      const auto form = ToLinear(OutputOf(element, d));
      for (std::size_t k = 0; form && k < stays.size(); ++k) {
        if (stays[k] || form->dims[k] == 0) continue;
        stays[k] = true;
        --points;
      }
    }
  }

  /// True where no two values of the counter k, with all other counters the same, give the same
  /// element.
  bool Moves(const isl::map& write, std::size_t size, std::size_t k) const {
    std::string same;
    for (std::size_t d = 0; d < size; ++d) {
      same += fmt::format("{}l{} {} m{}", same.empty() ? "" : " and ", d, d == k ? "<" : "=", d);
    }
    const std::string name = write.domain_tuple_id().name();
    const isl::map pairs = model_.Map(
        fmt::format("{{ {0}[{1}] -> {0}[{2}] : {3} }}", name, Tuple(size), Tuple(size, 'm'), same));
    const isl::map same_element = write.apply_range(write.reverse());
    return pairs.intersect(same_element).is_empty();
  }

  void PlacePrivates() {
    for (const Step& step : model_.steps) {
      const auto found = model_.privates.find(step.target);
      if (IsArray(step.target) || found == model_.privates.end()) continue;
      for (std::size_t k = 0; k < step.loops.size(); ++k) {
        const auto vote = loops_.find(step.loops[k].index);
        const bool point = vote == loops_.end() || vote->second;
        order_.placements[step.number].stays[k] = k >= found->second.depth || !point;
      }
    }
  }

  /// `s += value` and `s = fmax(s, value)` in loops that nothing else in them uses `s` in.
  void PlaceReductions() {
    for (const Step& step : model_.steps) {
      if (IsArray(step.target) || model_.privates.count(step.target) > 0) continue;
      const bool sum = step.update && IsReductionOperator(*step.update);
      if (!sum && !step.extremum) continue;
      std::size_t outer = step.loops.size();
      while (outer > 0 && !UsedElsewhere(step, outer - 1)) --outer;
      if (outer == step.loops.size()) continue;
      Placement& placement = order_.placements[step.number];
      for (std::size_t k = outer; k < step.loops.size(); ++k) {
        placement.stays[k] = ReadsOfTurn(step, k);
      }
      placement.reduces = true;
    }
  }

  /// The step reads a scalar of each point that is set in each turn of its loop number k.
  bool ReadsOfTurn(const Step& step, std::size_t k) const {
    return std::any_of(step.accesses.begin(), step.accesses.end(), [&](const Access& access) {
      if (access.write || model_.privates.count(access.variable) == 0) return false;
      return std::any_of(model_.steps.begin(), model_.steps.end(), [&](const Step& other) {
        return other.target == access.variable && k < other.loops.size() &&
               other.loops[k] == step.loops[k] && order_.placements[other.number].stays[k];
      });
    });
  }

  /// Another step inside the loop number k of the step names the step's scalar, or the step reads
  /// it more than once.
  bool UsedElsewhere(const Step& step, std::size_t k) const {
    for (const Step& other : model_.steps) {
      if (other.loops.size() <= k || other.loops[k] != step.loops[k]) continue;
      std::size_t accesses = 0;
      for (const Access& access : other.accesses) accesses += access.variable == step.target;
      const bool itself = other.number == step.number;
      if (itself ? accesses > 2 && !step.extremum : accesses > 0) return true;
    }
    return false;
  }

  /// The items for steps that share their first `depth` loops.
  std::vector<OrderItem> Arrange(const std::vector<std::size_t>& steps, std::size_t depth) {
    std::vector<OrderItem> items;
    for (std::size_t at = 0; at < steps.size();) {
      const Step& first = model_.steps[steps[at]];
      if (first.loops.size() <= depth) {
        items.push_back({std::nullopt, {}, steps[at++]});
        continue;
      }
      std::size_t end = at;
      while (end < steps.size() && model_.steps[steps[end]].loops.size() > depth &&
             model_.steps[steps[end]].loops[depth] == first.loops[depth]) {
        ++end;
      }
      Split({steps.begin() + static_cast<std::ptrdiff_t>(at),
             steps.begin() + static_cast<std::ptrdiff_t>(end)},
            depth, items);
      at = end;
    }
    return items;
  }

  /// Steps of one loop: runs of those that keep it, and of those that do not.
  void Split(const std::vector<std::size_t>& steps, std::size_t depth,
             std::vector<OrderItem>& items) {
    for (std::size_t at = 0; at < steps.size();) {
      const bool stays = order_.placements[steps[at]].stays[depth];
      std::vector<std::size_t> run;
      while (at < steps.size() && order_.placements[steps[at]].stays[depth] == stays) {
        run.push_back(steps[at++]);
      }
      std::vector<OrderItem> inner = Arrange(run, depth + 1);
      if (stays) {
        items.push_back({model_.steps[run[0]].loops[depth], std::move(inner), 0});
      } else {
        items.insert(items.end(), inner.begin(), inner.end());
      }
    }
  }

  void Number(const std::vector<OrderItem>& items, const std::vector<std::size_t>& outer) {
    for (std::size_t k = 0; k < items.size(); ++k) {
      std::vector<std::size_t> position = outer;
      position.push_back(k);
      if (items[k].loop) {
        Number(items[k].items, position);
      } else {
        order_.placements[items[k].step].position = position;
      }
    }
  }

  const Model& model_;
  const Region& region_;
  const std::set<StatementId>& kept_;
  Order order_;
  std::map<std::uint32_t, bool> loops_;  ///< by loop: an array's points run along it
};

std::string Times(const Model& model, const Step& step, const std::vector<std::size_t>& position,
                  const std::vector<bool>& kept, std::size_t size) {
  std::vector<std::string> parts;
  std::size_t level = 0;
  parts.push_back(std::to_string(position[level++]));
  for (std::size_t k = 0; k < step.loops.size(); ++k) {
    if (!kept[k]) continue;
    const auto& loop = std::get<Loop>(model.region->statements[step.loops[k]].node);
    parts.push_back(fmt::format("{}l{}", loop.step < 0 ? "-" : "", k));
    parts.push_back(std::to_string(position[level++]));
  }
  while (parts.size() < size) parts.emplace_back("0");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return fmt::format("{{ S{}[{}] -> [{}] }}", step.number, Tuple(step.loops.size()), text);
}

}  // namespace

Order ChooseOrder(const Model& model, const std::set<StatementId>& kept) {
  return Chooser(model, kept).Run();
}

isl::map OldTimes(const Model& model, const Step& step, std::size_t size) {
  return model.Map(
      Times(model, step, step.position, std::vector<bool>(step.loops.size(), true), size));
}

isl::map NewTimes(const Model& model, const Order& order, const Step& step, std::size_t size) {
  const Placement& placement = order.placements[step.number];
  return model.Map(Times(model, step, placement.position, placement.stays, size));
}

}  // namespace stencilgen::scop
