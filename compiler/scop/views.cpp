#include "scop/views.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>

#include "scop/evaluate.h"
#include "scop/linear.h"
#include "scop/program_writer.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string, std::size_t> kRank{
    "c-rank", Severity::Error,
    "`{}` has {} dimensions: stencil programs have at most 4, three of which points run along"};
constexpr DiagnosticKind<std::string> kMixed{
    "c-parts", Severity::Error,
    "`{}` is named by the turn of a loop here, and in another way in other places"};

constexpr DiagnosticKind<std::string> kBeginsAgain{
    "c-parts", Severity::Error,
    "`{}` is named by the turn of a loop that begins again in each turn of another one"};

constexpr std::int64_t kMostParts = 16;
/// Of an array, and of a program.
constexpr std::size_t kMostDimensions = 4, kMostIterators = 3;

/// Which part an access names in one dimension.
struct Choice {
  std::size_t part = 0;
  std::optional<StatementId> turns;  ///< in the first turn of this loop, and one more each turn
};

/// The place of an outermost loop among the region's statements; empty for other loops.
std::optional<std::size_t> PlaceOfOutermost(const Model& model, StatementId loop) {
  for (const Step& step : model.steps) {
    if (!step.loops.empty() && step.loops[0] == loop) return step.position[0];
  }
  return std::nullopt;
}

/// The value of the counter at which an outermost loop ends that counts up by one to one bound.
std::optional<std::string> EndOf(const Model& model, StatementId id) {
  const auto& loop = std::get<Loop>(model.region->statements[id].node);
  if (loop.step != 1 || loop.bounds.size() != 1) return std::nullopt;
  const auto value = model.affine->Value(loop.bounds[0].value, {});
  if (!value || value->size() != 1) return std::nullopt;
  return (*value)[0].value + (loop.bounds[0].comparison == BinaryOp::LessEqual ? " + 1" : "");
}

std::optional<Choice> ChoiceOf(const Model& model, const Order& order, const Step& step,
                               const Access& access, std::size_t d, std::int64_t extent) {
  const isl::map one = OneOutput(access.map, d);
  const auto is = [&](const std::string& value, const std::string& condition = "0 = 0") {
    const isl::map expected = model.Map(
        fmt::format("{{ S{}[{}] -> [{}] }}", step.number, Tuple(step.loops.size()), value));
    return one.intersect_params(model.Set(fmt::format("{{ : {} }}", condition)))
        .is_subset(expected);
  };
  for (std::int64_t part = 0; part < extent; ++part) {
    if (is(std::to_string(part))) return Choice{static_cast<std::size_t>(part), std::nullopt};
  }
  for (std::size_t k = 0; k < step.loops.size(); ++k) {
    const auto& loop = std::get<Loop>(model.region->statements[step.loops[k]].node);
    const auto* first = std::get_if<Integer>(&model.region->exprs[loop.first].node);
    const bool turn = order.placements[step.number].stays[k];
    if (!turn || first == nullptr || (loop.step != 1 && loop.step != -1)) continue;
    for (std::int64_t part = 0; part < extent; ++part) {
      if (is(fmt::format("({} + {}*(l{} - {})) mod {}", part, loop.step, k, first->value,
                         extent))) {
        return Choice{static_cast<std::size_t>(part), step.loops[k]};
      }
    }
  }
  // Behind a loop: the part that one more turn would name.
  for (const Step& other : model.steps) {
    if (other.loops.empty() || other.position[0] >= step.position[0]) continue;
    const auto& loop = std::get<Loop>(model.region->statements[other.loops[0]].node);
    const auto* first = std::get_if<Integer>(&model.region->exprs[loop.first].node);
    const auto end = first == nullptr ? std::nullopt : EndOf(model, other.loops[0]);
    for (std::int64_t part = 0; end && part < extent; ++part) {
      // A loop that begins behind its end is left to the region's code.
      if (is(fmt::format("({} + {} - {}) mod {}", part, *end, first->value, extent),
             fmt::format("{} >= {}", *end, first->value))) {
        return Choice{static_cast<std::size_t>(part), other.loops[0]};
      }
    }
  }
  return std::nullopt;
}

class ViewFinder {
 public:
  explicit ViewFinder(Writing& writing)
      : writing_(writing), model_(writing.model), region_(writing.region) {}

  void Run() {
    for (const auto& [index, extents] : writing_.extents) Find(VariableId{index}, extents);
  }

 private:
  void Find(VariableId id, const std::vector<Linear>& extents) {
    const Variable& variable = region_.variables[id];
    ArrayViews& views = writing_.views[id.index];
    std::int64_t parts = 1;
    std::size_t needed = extents.size() > kMostIterators ? extents.size() - kMostIterators : 0;
    for (std::size_t d = 0; d + 1 < extents.size(); ++d) {
      bool rotates = false;
      if (!extents[d].IsConstant() || !IsChosen(id, d, extents[d].constant, views, rotates)) break;
      if (!rotates && d >= needed) break;
      parts *= extents[d].constant;
      views.dropped = d + 1;
      if (rotates && d + 1 < needed) needed = d + 1;
    }
    const std::size_t rank = extents.size() - views.dropped;
    if (rank > kMostDimensions || (rank > kMostIterators && HasPointsAlong(id, views.dropped))) {
      writing_.sink.Report(variable.used, kRank, variable.text, extents.size())
          .Hint(
              "a first dimension that only numbers name, as `u[0][i][j][k]`, or a loop in which "
              "the points of each turn write another part of the array, can come on top");
      return;
    }
    if (views.dropped == 0) {
      views.names = {variable.name};
      views.bindings = {Binding(variable, {})};
      return;
    }
    for (std::int64_t part = 0; part < parts; ++part) {
      std::vector<std::int64_t> at(views.dropped);
      std::int64_t rest = part;
      for (std::size_t d = views.dropped; d-- > 0; rest /= extents[d].constant) {
        at[d] = rest % extents[d].constant;
      }
      std::string name = variable.name;
      for (const std::int64_t k : at) name += fmt::format("_{}", k);
      views.names.push_back(writing_.NewName(name));
      views.bindings.push_back(Binding(variable, at));
    }
  }

  /// True where some access finds its place in the dimension by a loop of points.
  bool HasPointsAlong(VariableId id, std::size_t d) const {
    for (const Step& step : model_.steps) {
      const std::vector<bool>& stays = writing_.order.placements[step.number].stays;
      for (const Access& access : step.accesses) {
        if (access.variable != id) continue;
        const isl::map one = OneOutput(access.everywhere, d);
        for (std::size_t k = 0; k < stays.size(); ++k) {
          const bool named = isl_map_involves_dims(one.get(), isl_dim_in, static_cast<unsigned>(k),
                                                   1) == isl_bool_true;
          if (!stays[k] && named) return true;
        }
      }
    }
    return false;
  }

  /// All accesses name one part, or one a turn. `rotates`: one a turn.
  bool IsChosen(VariableId id, std::size_t d, std::int64_t extent, ArrayViews& views,
                bool& rotates) {
    if (extent > kMostParts || extent < 1) return false;
    std::optional<StatementId> turns;
    bool counted = true;  // by the counter itself: the turn is a subscript as it is
    std::vector<std::pair<std::size_t, Span>> numbered;  // by number, and where in the region
    std::optional<Span> fixed;
    for (const Step& step : model_.steps) {
      for (const Access& access : step.accesses) {
        if (access.variable != id) continue;
        const auto choice = ChoiceOf(model_, writing_.order, step, access, d, extent);
        if (!choice) return false;
        const Span span = region_.exprs[access.expr].span;
        if (!choice->turns) {
          numbered.emplace_back(step.position[0], span);
          continue;
        }
        if (!turns) turns = choice->turns;
        if (turns != choice->turns) fixed = span;
        const isl::map one = OneOutput(access.everywhere, d);
        counted = counted && one.is_single_valued() && ToLinear(OutputOf(one, 0));
      }
    }
    if (!turns) return true;
    // Parts change their names with one loop.
    if (counted || (views.turns && views.turns != turns)) return false;
    rotates = true;
    views.turns = turns;
    if (const auto inner = LoopAround(*turns); inner && !EndsWhereItBegan(*turns, extent)) {
      writing_.sink
          .Report(region_.statements[*turns].span, kBeginsAgain, region_.variables[id].text)
          .Note(region_.statements[*inner].span, "the loop around")
          .Hint("count the turns of both in one loop, or exchange two pointers");
      return true;
    }
    // Before the first turn each part has its own name.
    const auto begin = PlaceOfOutermost(model_, *turns);
    for (const auto& [place, span] : numbered) {
      if (!begin || place >= *begin) fixed = span;
    }
    if (!fixed) return true;
    writing_.sink.Report(*fixed, kMixed, region_.variables[id].text)
        .Hint("use it in one loop of a region, with one counter modulo its extent");
    return true;
  }

  /// The innermost loop around another one.
  std::optional<StatementId> LoopAround(StatementId loop) const {
    for (const Step& step : model_.steps) {
      const auto at = std::find(step.loops.begin(), step.loops.end(), loop);
      if (at != step.loops.end() && at != step.loops.begin()) return *(at - 1);
    }
    return std::nullopt;
  }

  /// After all turns each part has its first name again.
  bool EndsWhereItBegan(StatementId id, std::int64_t parts) const {
    const auto turns = CounterRange(region_, std::get<Loop>(region_.statements[id].node));
    return turns && (turns->second - turns->first + 1) % parts == 0;
  }

  static std::string Binding(const Variable& variable, const std::vector<std::int64_t>& at) {
    if (variable.extents.size() == 1 || variable.is_linear) {
      return variable.text + variable.data;
    }
    std::string text = "&" + variable.text;
    for (std::size_t d = 0; d < variable.extents.size(); ++d) {
      text += fmt::format("[{}]", d < at.size() ? at[d] : 0);
    }
    return text;
  }

  Writing& writing_;
  const Model& model_;
  const Region& region_;
};

}  // namespace

void FindViews(Writing& writing) {
  ViewFinder(writing).Run();
}

std::size_t PartOf(const Writing& writing, const Step& step, const Access& access) {
  const ArrayViews& views = writing.views.at(access.variable.index);
  const std::vector<Linear>& extents = writing.extents.at(access.variable.index);
  std::size_t part = 0;
  for (std::size_t d = 0; d < views.dropped; ++d) {
    const auto choice =
        ChoiceOf(writing.model, writing.order, step, access, d, extents[d].constant);
    part = part * static_cast<std::size_t>(extents[d].constant) + choice->part;
  }
  return part;
}

}  // namespace stencilgen::scop
