#include "scop/runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kPoints{
    "c-points", Severity::Error,
    "the subscripts of `{}` do not say one by one which point of the loops an element belongs to"};
constexpr DiagnosticKind<std::string> kScalarAcross{
    "c-scalar-across", Severity::Error,
    "`{}` gets its value in other loops than those that read it"};

class RunFinder {
 public:
  RunFinder(const Model& model, const Order& order, DiagnosticSink& sink)
      : model_(model), region_(*model.region), order_(order), sink_(sink) {}

  std::vector<Run> Runs() {
    FindRuns(order_.items);
    CheckPrivates();
    return std::move(runs_);
  }

 private:
  bool IsArray(VariableId id) const { return !region_.variables[id].extents.empty(); }

  static bool SamePoints(const Step& a, const Step& b, const Order& order) {
    return a.loops == b.loops &&
           order.placements[a.number].stays == order.placements[b.number].stays;
  }

  /// How many of the items, from one on, one stencil computes. Sums are apart from assignments of
  /// arrays, but where both read a scalar of each point.
  std::size_t LengthOf(const std::vector<OrderItem>& items, std::size_t begin) const {
    const Step& first = model_.steps[items[begin].step];
    std::size_t same = begin;
    while (same < items.size() && !items[same].loop &&
           SamePoints(first, model_.steps[items[same].step], order_)) {
      ++same;
    }
    std::size_t end = begin;
    std::set<VariableId> named;
    for (std::size_t at = begin; at < same; ++at) {
      const bool reduces = order_.placements[items[at].step].reduces;
      const bool alike = end == at && reduces == order_.placements[first.number].reduces;
      for (const Access& access : model_.steps[items[at].step].accesses) {
        if (model_.privates.count(access.variable) == 0) continue;
        if (!named.insert(access.variable).second && !alike) end = at + 1;
      }
      if (alike) end = at + 1;
    }
    return end - begin;
  }

  void FindRuns(const std::vector<OrderItem>& items) {
    for (std::size_t at = 0; at < items.size();) {
      if (items[at].loop) {
        FindRuns(items[at++].items);
        continue;
      }
      Run run;
      for (const std::size_t end = at + LengthOf(items, at); at < end; ++at) {
        run.steps.push_back(items[at].step);
      }
      FindFrame(run);
      for (const std::size_t step : run.steps) run_of_[step] = runs_.size();
      runs_.push_back(std::move(run));
    }
  }

  /// Coordinates are those of the first array that the run writes.
  void FindFrame(Run& run) {
    const Step* main = &model_.steps[run.steps[0]];
    for (auto it = run.steps.rbegin(); it != run.steps.rend(); ++it) {
      if (IsArray(model_.steps[*it].target)) main = &model_.steps[*it];
    }
    const std::vector<bool>& stays = order_.placements[main->number].stays;
    Frame& frame = run.frame;
    frame.loops = main->loops.size();
    std::vector<std::string> names, parts;
    std::size_t points = 0;
    for (std::size_t k = 0; k < stays.size(); ++k) {
      names.push_back(fmt::format("l{}", k));
      if (stays[k]) {
        frame.turns.push_back(k);
        parts.push_back(names[k]);
      } else {
        ++points;
      }
    }
    if (IsArray(main->target)) {
      const isl::map& write = main->accesses.back().everywhere;
      const std::size_t rank = region_.variables[main->target].extents.size();
      for (std::size_t d = 0; d < rank; ++d) {
        auto form = ToLinear(OutputOf(write, d));
        if (!form) form = ToLinear(OutputOf(main->accesses.back().map, d));
        bool moves = !form && DependsOnPoints(write, d, stays);
        for (std::size_t k = 0; form && k < stays.size(); ++k) {
          moves = moves || (!stays[k] && form->dims[k] != 0);
        }
        if (!moves) continue;
        if (form) parts.push_back(IslText(*form, names));
        run.from_last.push_back(rank - d);
      }
    } else {
      for (std::size_t k = 0; k < stays.size(); ++k) {
        if (stays[k]) continue;
        parts.push_back(names[k]);
        run.from_last.push_back(0);
      }
      PlaceCounters(*main, run);
    }
    for (const std::string& part : parts) {
      frame.coordinates += (frame.coordinates.empty() ? "" : ", ") + part;
    }
    const bool complete = parts.size() == frame.turns.size() + run.from_last.size();
    if (!complete || run.from_last.size() != points) {
      sink_.Report(main->span, kPoints, region_.variables[main->target].text)
          .Hint("give each counter a subscript of its own: `u[i][j][k]`");
    }
  }

  /// True where the dimension of what is written differs between points of one turn.
  static bool DependsOnPoints(const isl::map& write, std::size_t d,
                              const std::vector<bool>& stays) {
    const auto count = static_cast<unsigned>(isl_map_dim(write.get(), isl_dim_out));
    const auto k = static_cast<unsigned>(d);
    isl_map* one = isl_map_project_out(write.copy(), isl_dim_out, k + 1, count - k - 1);
    one = isl_map_project_out(one, isl_dim_out, 0, k);
    for (std::size_t loop = stays.size(); loop-- > 0;) {
      if (!stays[loop]) one = isl_map_project_out(one, isl_dim_in, static_cast<unsigned>(loop), 1);
    }
    return !isl::manage(one).is_single_valued();
  }

  /// Which dimension of an array that is read a counter runs along.
  void PlaceCounters(const Step& step, Run& run) {
    std::set<std::size_t> taken;
    std::size_t at = 0;
    for (std::size_t k = 0; k < step.loops.size(); ++k) {
      if (order_.placements[step.number].stays[k]) continue;
      std::size_t& place = run.from_last[at++];
      for (const Access& access : step.accesses) {
        const std::size_t rank = region_.variables[access.variable].extents.size();
        for (std::size_t d = 0; d < rank && place == 0; ++d) {
          const auto form = ToLinear(OutputOf(access.everywhere, d));
          if (form && form->dims[k] != 0 && taken.count(rank - d) == 0) place = rank - d;
        }
      }
      if (place != 0) taken.insert(place);
    }
    for (std::size_t& place : run.from_last) {
      for (std::size_t free = 1; place == 0; ++free) {
        if (taken.insert(free).second) place = free;
      }
    }
  }

  void CheckPrivates() {
    for (const Step& step : model_.steps) {
      for (const Access& access : step.accesses) {
        if (model_.privates.count(access.variable) == 0) continue;
        const auto [first, fresh] = run_of_private_.emplace(access.variable, run_of_[step.number]);
        if (fresh || first->second == run_of_[step.number]) continue;
        sink_
            .Report(access.expr.Valid() ? region_.exprs[access.expr].span : step.span,
                    kScalarAcross, region_.variables[access.variable].text)
            .Hint("keep it in an array, one element for each point");
      }
    }
  }

  const Model& model_;
  const Region& region_;
  const Order& order_;
  DiagnosticSink& sink_;
  std::vector<Run> runs_;
  std::map<std::size_t, std::size_t> run_of_;  ///< by step
  std::map<VariableId, std::size_t> run_of_private_;
};

}  // namespace

std::vector<Run> FindRuns(const Model& model, const Order& order, DiagnosticSink& sink) {
  return RunFinder(model, order, sink).Runs();
}

}  // namespace stencilgen::scop
