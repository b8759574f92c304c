#include "scop/extents.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <isl/set.h>

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kExtent{"c-extent", Severity::Error,
                                              "how many elements `{}` has is not known"};
constexpr DiagnosticKind<std::string> kExtentCases{
    "c-extent", Severity::Error,
    "how many elements `{}` has is not known: they end where one of several sizes is reached"};
constexpr DiagnosticKind<std::string> kOutside{
    "c-outside", Severity::Error, "this reaches outside of `{}` where the loops go so far"};

/// Sizes from here on are large: what a stencil reaches is less.
constexpr int kLarge = 64;

class ExtentFinder {
 public:
  explicit ExtentFinder(Writing& writing)
      : writing_(writing), model_(writing.model), region_(writing.region), sink_(writing.sink) {}

  void FindExtents() {
    for (const VariableId id : region_.variables.Ids()) {
      const Variable& variable = region_.variables[id];
      std::vector<isl::set> ranges;
      for (const Step& step : model_.steps) {
        for (const Access& access : step.accesses) {
          if (SameMemory(access.variable, id)) ranges.push_back(RangeAs(access.map, id));
        }
      }
      if (ranges.empty() || variable.extents.empty()) continue;
      isl::set all = ranges[0];
      for (const isl::set& range : ranges) all = all.unite(range);
      if (!FindExtents(id, variable, all)) {
        unknown_ = true;
        if (cases_) {
          sink_.Report(variable.used, kExtentCases, variable.text)
              .Hint(
                  "compute before the region where its loops end, in a variable of its own: "
                  "`int rows = n < m ? n : m;`");
          continue;
        }
        sink_.Report(variable.used, kExtent, variable.text)
            .Hint("declare it with its sizes, as `double (*u)[n]` or `double u[m][n]`");
        continue;
      }
    }
    if (unknown_) return;
    FindValidSizes();
    CheckPointers();
    for (const auto& [index, extents] : writing_.extents) CheckInside(VariableId{index});
  }

 private:
  /// Sizes for which all that is accessed without a condition is there: for others C's own code
  /// goes astray.
  void FindValidSizes() {
    for (const Step& step : model_.steps) {
      for (const Access& access : step.accesses) {
        const auto found = writing_.extents.find(access.variable.index);
        if (access.conditional || found == writing_.extents.end()) continue;
        const bool decided = std::any_of(step.guards.begin(), step.guards.end(),
                                         [](const Guard& guard) { return !guard.affine; });
        if (decided && access.write) continue;
        const isl::set there = ElementsOf(access.variable, found->second);
        const isl::map outside = access.map.subtract(access.map.intersect_range(there));
        if (!outside.is_empty())
          writing_.valid = writing_.valid.subtract(outside.domain().params());
      }
    }
    writing_.valid = writing_.valid.coalesce();
  }

  /// A pointer may be null where the loops that use it make no turn: there the region's own code
  /// runs.
  void CheckPointers() {
    const isl::set sizes = writing_.context.intersect(LargeSizes());
    for (const auto& each : writing_.extents) {
      const VariableId array{each.first};
      const Variable& variable = region_.variables[array];
      if (!variable.is_pointer || variable.is_local || variable.is_scratch) continue;
      isl::set used = model_.Set("{ : 1 = 0 }");
      for (const Step& step : model_.steps) {
        for (const Access& access : step.accesses) {
          if (SameMemory(access.variable, array)) used = used.unite(access.map.domain().params());
        }
      }
      // An empty container has no memory.
      const auto ids = region_.variables.Ids();
      const bool sized = std::any_of(ids.begin(), ids.end(), [&](VariableId id) {
        return IsSizeOf(region_.variables[id], array);
      });
      if (!sized && sizes.is_subset(used)) continue;
      std::string& condition = writing_.out.condition;
      if (!condition.empty()) condition += " && ";
      condition += fmt::format("{}{} != 0", variable.text, variable.data);
      writing_.out.keeps_code = true;
    }
  }

  /// The variables exchange their memory, or are one.
  bool SameMemory(VariableId a, VariableId b) const {
    const Rotation* rotation = RotationOf(model_.rotations, a);
    return a == b || (rotation != nullptr && rotation->PlaceOf(b) < rotation->pointers.size());
  }

  /// The elements, as those of one variable.
  static isl::set RangeAs(const isl::map& map, VariableId id) {
    return isl::manage(
        isl_set_set_tuple_name(map.range().release(), fmt::format("V{}", id.index).c_str()));
  }

  bool FindExtents(VariableId id, const Variable& variable, const isl::set& all) {
    std::vector<Linear>& extents = writing_.extents[id.index];
    cases_ = false;
    for (std::size_t d = 0; d < variable.extents.size(); ++d) {
      std::optional<Linear> extent;
      if (variable.extents[d]) {
        const auto pieces = model_.affine->Value(*variable.extents[d], {});
        if (!pieces || pieces->size() != 1) return false;
        const isl::pw_aff value(
            model_.ctx(), fmt::format("{}{{ [{}] }}", model_.Parameters(), (*pieces)[0].value));
        extent = ToLinear(value);
      } else {
        extent = ExtentBehindPointer(all, d);
        if (!extent) extent = OwnSize(id, all);
      }
      if (!extent) return false;
      extents.push_back(*extent);
    }
    return true;
  }

  /// The size of a container, where the region names it, or that of one it exchanges memory with.
  std::optional<Linear> OwnSize(VariableId id, const isl::set& all) {
    const auto& symbols = model_.affine->symbols();
    for (std::size_t p = 0; p < symbols.size(); ++p) {
      if (!symbols[p].variable || !IsSizeOf(region_.variables[*symbols[p].variable], id)) continue;
      const isl::set elements = isl::manage(isl_set_reset_tuple_id(all.copy()));
      const isl::set beyond = elements.intersect(
          model_.Set(fmt::format("{{ [l0] : l0 >= {} }}", AffineReader::NameOf(p))));
      const isl::set context = writing_.context.subtract(beyond.params()).coalesce();
      if (context.is_empty()) return std::nullopt;
      writing_.context = context;
      Linear size;
      size.symbols[p] = 1;
      return size;
    }
    return std::nullopt;
  }

  bool IsSizeOf(const Variable& size, VariableId array) const {
    const auto ids = region_.variables.Ids();
    return size.is_size && region_.variables[array].extents.size() == 1 &&
           std::any_of(ids.begin(), ids.end(), [&](VariableId id) {
             return SameMemory(id, array) && size.text == region_.variables[id].text + ".size()";
           });
  }

  /// One more than the largest subscript. Where that has several cases, it is the one for large
  /// sizes; for others the region's own code runs.
  std::optional<Linear> ExtentBehindPointer(const isl::set& all, std::size_t d) {
    auto largest = LargestOf(all, d);
    const std::vector<Linear> cases = largest ? std::vector{*largest} : LargestCasesOf(all, d);
    cases_ = cases.size() > 1;
    for (Linear extent : cases) {
      extent.constant += 1;
      if (largest) return extent;
      const auto rank = static_cast<unsigned>(isl_set_dim(all.get(), isl_dim_set));
      const auto k = static_cast<unsigned>(d);
      isl_set* only = isl_set_project_out(all.copy(), isl_dim_set, k + 1, rank - k - 1);
      only = isl_set_project_out(only, isl_dim_set, 0, k);
      const isl::set elements = isl::manage(isl_set_reset_tuple_id(only));
      const auto where = [&](const char* comparison) {
        const std::string value = IslText(extent, {});
        return elements
            .intersect(model_.Set(fmt::format("{{ [l0] : l0 + 1 {} {} }}", comparison, value)))
            .params();
      };
      // Neither are there more elements, nor fewer: these are copied.
      const isl::set wrong = elements.params().subtract(where("=")).unite(where(">"));
      if (!HoldsForLarge(writing_.context, writing_.context.subtract(wrong))) continue;
      writing_.context = writing_.context.subtract(wrong).coalesce();
      return extent;
    }
    return EqualSizes(cases);
  }

  /// One more than the cases, where one is a container's size: that containers which are computed
  /// together have one size is what a program says by `u.size()`. For others the region's own code
  /// runs.
  std::optional<Linear> EqualSizes(const std::vector<Linear>& cases) {
    isl::set equal = writing_.context;
    bool container = false;
    for (const Linear& each : cases) {
      equal = equal.intersect(
          model_.Set(fmt::format("{{ : {} = {} }}", IslText(cases[0], {}), IslText(each, {}))));
      for (const auto& [symbol, factor] : each.symbols) {
        const auto variable = model_.affine->symbols()[symbol].variable;
        container = container || (variable && region_.variables[*variable].is_size);
      }
    }
    if (!container || equal.is_empty()) return std::nullopt;
    writing_.context = equal.coalesce();
    Linear extent = cases[0];
    extent.constant += 1;
    return extent;
  }

  /// True where `some` has all large sizes of `all`, each with some value of what is no size:
  /// `b[x*m + y]` is inside of `b` or C's own code goes astray.
  bool HoldsForLarge(isl::set all, isl::set some) const {
    for (std::size_t p = 0; p < model_.affine->symbols().size(); ++p) {
      if (EndsLoops(p)) continue;
      for (isl::set* sizes : {&all, &some}) {
        *sizes = isl::manage(
            isl_set_eliminate(sizes->release(), isl_dim_param, static_cast<unsigned>(p), 1));
      }
    }
    return all.intersect(LargeSizes()).is_subset(some);
  }

  /// All sizes that end loops are.
  isl::set LargeSizes() const {
    std::string large;
    for (std::size_t p = 0; p < model_.affine->symbols().size(); ++p) {
      if (!EndsLoops(p)) continue;
      large +=
          fmt::format("{}{} >= {}", large.empty() ? "" : " and ", AffineReader::NameOf(p), kLarge);
    }
    return model_.Set(fmt::format("{{ : {} }}", large));
  }

  /// True for a symbol that bounds of loops name.
  bool EndsLoops(std::size_t symbol) const {
    return std::any_of(model_.steps.begin(), model_.steps.end(), [&](const Step& step) {
      const Scope scope = ScopeOf(region_, step.loops);
      return std::any_of(step.loops.begin(), step.loops.end(), [&](StatementId id) {
        const auto& loop = std::get<Loop>(region_.statements[id].node);
        return Names(loop.first, scope, symbol) ||
               std::any_of(loop.bounds.begin(), loop.bounds.end(),
                           [&](const Bound& bound) { return Names(bound.value, scope, symbol); });
      });
    });
  }

  bool Names(ExprId id, const Scope& scope, std::size_t symbol) const {
    const auto pieces = model_.affine->Value(id, scope);
    return pieces && std::any_of(pieces->begin(), pieces->end(), [&](const Piece& piece) {
             const isl::set equal = model_.Set(
                 fmt::format("{{ [{}] : {} = 0 }}", Tuple(scope.iterators.size()), piece.value));
             return isl_set_involves_dims(equal.get(), isl_dim_param, static_cast<unsigned>(symbol),
                                          1) == isl_bool_true;
           });
  }

  /// What C reads only where a condition holds, is read at all points here: the element must be
  /// there wherever the others of the statement are.
  void CheckConditional(const Step& step, const Access& access, const isl::set& elements) {
    const bool local = model_.privates.count(step.target) > 0;
    isl::set points = step.computed;
    for (const Access& other : step.accesses) {
      const auto found = writing_.extents.find(other.variable.index);
      if (other.conditional || found == writing_.extents.end() || local) continue;
      const isl::set there = ElementsOf(other.variable, found->second);
      points = points.intersect(other.everywhere.intersect_range(there).domain());
    }
    points = points.intersect_params(writing_.valid);
    const isl::map reads = access.everywhere.intersect_domain(points);
    const isl::map outside = reads.subtract(reads.intersect_range(elements));
    if (outside.intersect_params(writing_.context).is_empty()) return;
    // For sizes for which it may be outside, the region's own code runs.
    const isl::set sizes = writing_.context.subtract(outside.domain().params()).coalesce();
    if (!sizes.intersect(points.params()).is_empty()) {
      writing_.context = sizes;
      return;
    }
    // What is read where the condition does not hold is not chosen: any element will do.
    for (std::size_t d = 0; d < writing_.extents[access.variable.index].size(); ++d) {
      writing_.boundaries.emplace(std::pair(access.variable.index, d), ast::BoundaryKind::Clamp);
    }
  }

  isl::set ElementsOf(VariableId id, const std::vector<Linear>& extents) const {
    std::string inside;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      inside += fmt::format("{}0 <= l{} < {}", d > 0 ? " and " : "", d, IslText(extents[d], {}));
    }
    return model_.Set(fmt::format("{{ V{}[{}] : {} }}", id.index, Tuple(extents.size()), inside));
  }

  void CheckInside(VariableId id) {
    const std::vector<Linear>& extents = writing_.extents[id.index];
    const isl::set elements = ElementsOf(id, extents);
    for (const Step& step : model_.steps) {
      for (const Access& access : step.accesses) {
        if (access.variable != id) continue;
        if (access.conditional) {
          CheckConditional(step, access, elements);
          continue;
        }
        // What would be outside for all sizes; for some sizes the loops may be empty.
        const isl::set outside = access.map.subtract(access.map.intersect_range(elements)).domain();
        if (outside.is_empty() || !outside.params().is_equal(step.domain.params())) continue;
        sink_.Report(region_.exprs[access.expr].span, kOutside, region_.variables[id].text);
      }
    }
  }

  Writing& writing_;
  const Model& model_;
  const Region& region_;
  DiagnosticSink& sink_;
  bool unknown_ = false;  ///< the extents of an array
  bool cases_ = false;    ///< the one that was looked for last has several
};

}  // namespace

void FindExtents(Writing& writing) {
  ExtentFinder(writing).FindExtents();
}

}  // namespace stencilgen::scop
