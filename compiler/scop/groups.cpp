#include "scop/groups.h"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

#include "ast/update_groups.h"
#include "scop/domains.h"

namespace stencilgen::scop {
namespace {

/// The statements that the language takes together: they run at the points at which all of them
/// can.
std::vector<std::vector<std::size_t>> GroupsOf(const Model& model,
                                               const std::vector<WrittenStatement>& statements) {
  std::vector<ast::GroupMember> members;
  for (const WrittenStatement& statement : statements) {
    const VariableId target = model.steps[statement.step].target;
    const bool array = !model.region->variables[target].extents.empty();
    // Scalars are alone.
    const auto own = static_cast<std::uint32_t>(model.region->variables.size() + members.size());
    members.push_back({array ? target.index : own, statement.updates});
  }
  const std::vector<int> group_of =
      ast::FindUpdateGroups(members, [&](std::size_t update, std::size_t first) {
        const WrittenStatement& statement = statements[update];
        return statement.place == statements[first].place &&
               (statement.domain.empty() || statement.domain == statements[first].domain);
      });
  std::vector<std::vector<std::size_t>> groups;
  std::map<int, std::size_t> places;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const auto [at, fresh] = places.try_emplace(group_of[k], groups.size());
    if (group_of[k] < 0 || fresh) {
      groups.push_back({statements[k].step});
    } else {
      groups[at->second].push_back(statements[k].step);
    }
  }
  return groups;
}

class Completer {
 public:
  Completer(Writing& writing, const Run& run)
      : writing_(writing), model_(writing.model), run_(run) {}

  void Complete(const std::vector<std::size_t>& group) {
    isl::set points = PointsOf(group[0]);
    std::set<std::size_t> reading;
    for (const std::size_t step : group) {
      points = points.unite(PointsOf(step));
      AddSources(step, reading);
    }
    points = points.coalesce();
    for (const WrittenRead& read : writing_.reads) {
      if (reading.count(read.step) > 0) Require(read, points);
    }
  }

 private:
  /// The points at which C computes the step, with the turns around them.
  isl::set PointsOf(std::size_t number) const {
    const Step& step = model_.steps[number];
    return step.domain.intersect_params(writing_.valid).apply(run_.frame.MapOf(model_, step));
  }

  /// The step, and all of the run that set the scalars of points that it reads.
  void AddSources(std::size_t step, std::set<std::size_t>& steps) const {
    if (!steps.insert(step).second) return;
    for (const Access& access : model_.steps[step].accesses) {
      if (access.write || model_.privates.count(access.variable) == 0) continue;
      for (const std::size_t other : run_.steps) {
        if (model_.steps[other].target == access.variable) AddSources(other, steps);
      }
    }
  }

  /// Makes what is read exist at all of the points.
  void Require(const WrittenRead& read, const isl::set& points) {
    const std::pair edge(read.variable.index, read.dimension);
    if (writing_.boundaries.count(edge) > 0) return;
    const Linear& extent = writing_.extents.at(read.variable.index)[read.dimension];
    const isl::set there =
        model_.Set(fmt::format("{{ [{}] : 0 <= {} < {} }}", Tuple(run_.frame.size(), 'e'),
                               IslText(read.subscript, run_.frame.Dims()), IslText(extent, {})));
    const isl::set missing = points.subtract(there).params().intersect(writing_.context);
    if (missing.is_empty()) return;
    if (missing.intersect(LargeSizes(writing_)).is_empty()) {
      writing_.context = writing_.context.subtract(missing).coalesce();
    } else {
      writing_.boundaries.emplace(edge, ast::BoundaryKind::Clamp);
    }
  }

  Writing& writing_;
  const Model& model_;
  const Run& run_;
};

}  // namespace

void CompleteGroups(Writing& writing, const std::vector<WrittenStencil>& stencils) {
  for (const WrittenStencil& stencil : stencils) {
    Completer completer(writing, *stencil.run);
    for (const std::vector<std::size_t>& group : GroupsOf(writing.model, stencil.statements)) {
      completer.Complete(group);
    }
  }
}

}  // namespace stencilgen::scop
