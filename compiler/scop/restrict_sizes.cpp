#include "scop/restrict_sizes.h"

#include <fmt/format.h>

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kNotAffine{
    "c-not-affine", Severity::Error,
    "this {} is not a sum of loops' counters and sizes, each times a number"};
constexpr DiagnosticKind<std::string> kRows{
    "c-rows", Severity::Error, "this leaves the row of `{}` that its subscript begins in"};

class Restriction {
 public:
  Restriction(Model& model, DiagnosticSink& sink)
      : model_(model), region_(*model.region), sink_(sink) {}

  void Run() {
    CompareSizes();
    CheckTotal();
    CheckRows();
    ApplyContext();
  }

 private:
  /// Sizes that must be the same, and numbers that C would take for large ones below zero.
  void CompareSizes() {
    std::set<std::string> conditions = model_.affine->assumptions();
    for (const auto& [a, b] : region_.equal_sizes) {
      conditions.insert(fmt::format("{} = {}", (*model_.affine->Value(a, {}))[0].value,
                                    (*model_.affine->Value(b, {}))[0].value));
    }
    for (const std::string& condition : conditions) {
      const isl::set context =
          model_.context.intersect(model_.Set(fmt::format("{{ : {} }}", condition)));
      if (!context.is_empty()) model_.context = context.coalesce();
    }
  }

  /// A subscript may be affine only in parts of the domain (`% n`): these must be all.
  void CheckTotal() {
    for (const Step& step : model_.steps) {
      for (const Access& access : step.accesses) {
        if (!access.expr.Valid()) continue;
        if (!Assume(step, step.domain.subtract(access.everywhere.domain()))) {
          ReportNotAffine(region_.exprs[access.expr].span, "subscript", sink_);
        }
      }
    }
  }

  /// Rows that subscripts like `i*n + j` are taken for: the element stays in its row.
  void CheckRows() {
    for (const Step& step : model_.steps) {
      for (const Access& access : step.accesses) {
        const Variable& variable = region_.variables[access.variable];
        if (!variable.is_linear) continue;
        std::string inside;
        for (std::size_t d = 1; d < variable.extents.size(); ++d) {
          const auto extent = model_.affine->Value(*variable.extents[d], {});
          inside += fmt::format("{}0 <= l{} < {}", d > 1 ? " and " : "", d, (*extent)[0].value);
        }
        const isl::set rows = model_.Set(fmt::format("{{ V{}[{}] : {} }}", access.variable.index,
                                                     Tuple(variable.extents.size()), inside));
        const isl::map outside = access.map.subtract(access.map.intersect_range(rows));
        if (!Assume(step, outside.domain())) {
          sink_.Report(region_.exprs[access.expr].span, kRows, variable.text)
              .Hint("give the array its dimensions: `double (*u)[n]`");
        }
      }
    }
  }

  /// Takes it that no instance is in the set: the program is called where sizes say so. False where
  /// that is never.
  bool Assume(const Step& step, const isl::set& none) {
    if (none.is_empty()) return true;
    const isl::set context = model_.context.subtract(none.params()).coalesce();
    if (context.intersect(step.domain.params()).is_empty()) return false;
    model_.context = context;
    return true;
  }

  void ApplyContext() {
    for (Step& step : model_.steps) {
      step.domain = step.domain.intersect_params(model_.context);
      step.loop_domain = step.loop_domain.intersect_params(model_.context);
      step.computed = step.computed.intersect_params(model_.context);
      for (Access& access : step.accesses) {
        access.map = access.map.intersect_params(model_.context);
        access.place = access.place.intersect_params(model_.context);
      }
    }
  }

  Model& model_;
  const Region& region_;
  DiagnosticSink& sink_;
};

}  // namespace

void RestrictSizes(Model& model, DiagnosticSink& sink) {
  Restriction(model, sink).Run();
}

void ReportNotAffine(Span span, const std::string& what, DiagnosticSink& sink) {
  sink.Report(span, kNotAffine, what)
      .Hint(
          "as `2*i + n - 1`; what the region changes, elements of arrays and products of "
          "counters cannot stand there");
}

}  // namespace stencilgen::scop
