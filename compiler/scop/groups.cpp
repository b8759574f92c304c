#include "scop/groups.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

#include "scop/domains.h"

namespace stencilgen::scop {
namespace {

/// Statements that run at the same points: those at which all of them can.
struct Group {
  VariableId target;
  std::string domain;
  bool open = true;  ///< updates may still join
  std::vector<std::size_t> steps;
};

/// The statements that the language takes together.
std::vector<Group> GroupsOf(const Model& model, const std::vector<WrittenStatement>& statements) {
  std::vector<Group> groups;
  for (const WrittenStatement& statement : statements) {
    const VariableId target = model.steps[statement.step].target;
    const bool array = !model.region->variables[target].extents.empty();
    auto joined = groups.end();
    for (auto group = groups.begin(); group != groups.end(); ++group) {
      if (!array || group->target != target) continue;
      if (!statement.updates) group->open = false;
      const bool fits = statement.domain.empty() || statement.domain == group->domain;
      if (group->open && fits && joined == groups.end()) joined = group;
    }
    if (joined == groups.end()) {
      groups.push_back({target, statement.domain, true, {statement.step}});
    } else {
      joined->steps.push_back(statement.step);
    }
  }
  return groups;
}

class Completer {
 public:
  Completer(Writing& writing, const Run& run)
      : writing_(writing), model_(writing.model), run_(run) {}

  void Complete(const Group& group) {
    isl::set points = PointsOf(group.steps[0]);
    std::set<std::size_t> reading;
    for (const std::size_t step : group.steps) {
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
    for (const Group& group : GroupsOf(writing.model, stencil.statements)) {
      completer.Complete(group);
    }
  }
}

}  // namespace stencilgen::scop
