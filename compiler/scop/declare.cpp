#include "scop/declare.h"

#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scop/scalar_uses.h"

namespace stencilgen::scop {
namespace {

class Declarer {
 public:
  explicit Declarer(Writing& writing)
      : writing_(writing), model_(writing.model), region_(writing.region) {}

  void Run() {
    Declare();
    AddContext();
    AddAssumed();
  }

 private:
  bool IsArray(VariableId id) const { return !region_.variables[id].extents.empty(); }

  /// Dimensions in which nothing goes past the edges may have any mode.
  void AddBoundary(VariableId id, const ast::Name& name) {
    const ArrayViews& views = writing_.views.at(id.index);
    ast::BoundarySpec spec{name, {}, true};
    bool any = false;
    for (std::size_t d = views.dropped; d < writing_.extents.at(id.index).size(); ++d) {
      const auto found = writing_.boundaries.find({id.index, d});
      any = any || found != writing_.boundaries.end();
      spec.modes.push_back(
          {found == writing_.boundaries.end() ? ast::BoundaryKind::Clamp : found->second,
           std::nullopt, name.span});
    }
    if (any) writing_.out.program.boundaries.push_back(std::move(spec));
  }

  /// The sizes for which the program computes what the region does.
  void AddContext() {
    const bool assumes =
        !model_.affine->assumptions().empty() || !model_.region->equal_sizes.empty();
    if (assumes) writing_.out.keeps_code = true;
    // What the conditions on single sizes say already, is not said again.
    isl::set said(model_.ctx(), "{ : }");
    for (const auto& [number, shift] : writing_.shifts) {
      said = said.intersect(model_.Set(
          fmt::format("{{ : {} >= {} }}", AffineReader::NameOf(number), shift == 0 ? 1 : 0)));
    }
    const isl::set all(model_.ctx(), "{ : }");
    const isl::set context = writing_.context.coalesce().gist(said);
    if (said.is_subset(context)) return;
    const isl::ast_build build = isl::ast_build::from_context(all);
    const std::string condition = build.expr_from(context).to_C_str();
    static const std::regex kSymbol(R"(\bp(\d+)\b)");
    std::string text;
    auto from = condition.cbegin();
    for (std::sregex_iterator at(condition.begin(), condition.end(), kSymbol), end; at != end;
         ++at) {
      text.append(from, (*at)[0].first);
      const auto number = static_cast<std::size_t>(std::stoul((*at)[1].str()));
      text += fmt::format("({})", model_.affine->symbols()[number].text);
      from = (*at)[0].second;
    }
    text.append(from, condition.cend());
    std::string& all_conditions = writing_.out.condition;
    all_conditions += fmt::format("{}({})", all_conditions.empty() ? "" : " && ", text);
    writing_.out.keeps_code = true;
  }

  /// The values of scalars that the program takes for granted.
  void AddAssumed() {
    std::string& condition = writing_.out.condition;
    for (const auto& [scalar, value] : model_.region->assumed) {
      condition += fmt::format("{}{} == {}", condition.empty() ? "" : " && ",
                               model_.region->variables[scalar].text, value);
      writing_.out.keeps_code = true;
    }
    // Where the program is not called, the region's code leaves its values itself.
    const bool leaves = !model_.region->left.empty() || !model_.rotations.empty();
    if (leaves && !condition.empty()) writing_.out.keeps_code = true;
  }

  /// True for a scalar whose value before and behind the region does not matter: it may not even be
  /// declared there.
  bool IsOwn(VariableId scalar) const {
    return !region_.variables[scalar].used_after &&
           SetsBeforeReading(region_, region_.body, scalar);
  }

  void Declare() {
    ast::Program& program = writing_.out.program;
    std::set<VariableId> written;
    std::set<std::pair<VariableId, std::size_t>> used_parts, written_parts;
    for (const Step& step : model_.steps) {
      for (const Access& access : step.accesses) {
        if (!IsArray(access.variable)) continue;
        const std::pair part(access.variable, PartOf(writing_, step, access));
        used_parts.insert(part);
        if (access.write) written_parts.insert(part);
      }
      if (IsArray(step.target)) written.insert(step.target);
      if (!IsArray(step.target) && model_.privates.count(step.target) == 0) {
        writing_.scalars.insert(step.target);
      }
    }
    for (const Rotation& rotation : model_.rotations) {
      written.insert(rotation.pointers.begin(), rotation.pointers.end());
    }
    ast::NameList in{ast::ListKind::CopyIn, {}}, out{ast::ListKind::CopyOut, {}};
    std::map<std::pair<CType, ElementFormat>, std::size_t> by_type;
    for (const VariableId id : region_.variables.Ids()) {
      const Variable& variable = region_.variables[id];
      const auto extents = writing_.extents.find(id.index);
      const bool array = extents != writing_.extents.end();
      if (!array && writing_.scalars.count(id) == 0) continue;
      const ScalarType type = *ScalarTypeOf(variable.type);
      const auto [place, fresh] =
          by_type.emplace(std::pair(variable.type, variable.format), program.declarations.size());
      if (fresh) {
        program.declarations.push_back({type, {}, variable.used, variable.format});
        program.declarations.back().complex = IsComplex(variable.type);
      }
      auto& declarators = program.declarations[place->second].declarators;
      const bool own = !array && IsOwn(id);
      const bool reduced = !own && writing_.reduced.count(id) > 0;
      std::vector<std::string> names{variable.name}, bindings{variable.text};
      std::vector<ast::ExprId> sizes;
      if (array) {
        const ArrayViews& views = writing_.views.at(id.index);
        names = views.names;
        bindings = views.bindings;
        for (std::size_t d = views.dropped; d < extents->second.size(); ++d) {
          sizes.push_back(writing_.Write(extents->second[d], nullptr, variable.used));
        }
      }
      if (reduced) bindings[0] = "&" + bindings[0];
      if (own) bindings[0] = "0";
      for (std::size_t k = 0; k < names.size(); ++k) {
        // Where the names of parts change with the turns, all are used.
        const bool one_part = array && names.size() > 1 && !writing_.views.at(id.index).turns;
        if (one_part && used_parts.count({id, k}) == 0) continue;
        const ast::Name name{names[k], variable.used};
        declarators.push_back({name, sizes, std::nullopt});
        if (variable.is_scratch) continue;
        if (array || reduced) in.names.push_back(name);
        const bool changes =
            written.count(id) > 0 && (!one_part || written_parts.count({id, k}) > 0);
        if (changes || reduced) out.names.push_back(name);
        if (bindings[k] != names[k]) writing_.out.bindings[names[k]] = bindings[k];
        if (array) AddBoundary(id, name);
      }
    }
    if (!in.names.empty()) program.lists.push_back(std::move(in));
    if (!out.names.empty()) program.lists.push_back(std::move(out));
  }

  Writing& writing_;
  const Model& model_;
  const Region& region_;
};

}  // namespace

void Declare(Writing& writing) {
  Declarer(writing).Run();
}

}  // namespace stencilgen::scop
