#include "sema/check_values.h"

#include <algorithm>
#include <set>

#include "graph/regions.h"
#include "graph/turns.h"
#include "sema/point_set.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

using graph::Box;
using graph::VersionId;

constexpr DiagnosticKind<std::string_view> kNoValue{
    "read-before-write", Severity::Error,
    "'{}' has no value here: it is not copied in and nothing has written it"};
constexpr DiagnosticKind<std::string_view> kMayBeUndefined{
    "may-be-undefined", Severity::Warning, "'{}' may be read here where nothing has written it"};
constexpr DiagnosticKind<std::string_view> kPartlyWritten{
    "copyout-partly-written", Severity::Warning,
    "'{}' is copied out but not copied in, and may not be written everywhere"};

constexpr std::size_t kMaxBoxes = 8;
/// Sizes below this are not thought of: nearly every statement on an edge would be warned of, as
/// what is next to it is no more than the edge across.
constexpr std::int64_t kLeastSize = 16;
constexpr int kMaxRepeatedDepth = 3;  // deeper loops are walked once: twice each would double

/// Where a version has values.
struct Extent {
  enum class Kind { None, Partial, All } kind = Kind::None;
  std::vector<Box> boxes;  ///< Partial: known to have values
};

bool Contains(const Box& outer, const Box& inner) {
  for (std::size_t d = 0; d < outer.size(); ++d) {
    if (!AlwaysContains(outer[d], inner[d])) return false;
  }
  return true;
}

Extent Meet(const Extent& a, const Extent& b) {
  if (a.kind == b.kind && a.kind != Extent::Kind::Partial) return a;
  if (a.kind == Extent::Kind::All)
    return b.kind == Extent::Kind::None ? Extent{Extent::Kind::Partial, {}} : b;
  if (b.kind == Extent::Kind::All)
    return a.kind == Extent::Kind::None ? Extent{Extent::Kind::Partial, {}} : a;
  Extent both{Extent::Kind::Partial, {}};
  for (const Box& box : a.boxes) {
    if (std::any_of(b.boxes.begin(), b.boxes.end(),
                    [&](const Box& other) { return Contains(other, box); })) {
      both.boxes.push_back(box);
    }
  }
  return both;
}

class ValueChecker {
 public:
  explicit ValueChecker(Context& context)
      : context_(context), graph_(context.graph), extents_(context.graph.versions.size()) {
    for (const graph::PeriodicParts& each : context.periodic) {
      parts_.insert(each.parts.begin(), each.parts.end());
    }
  }

  void Run() {
    for (const VersionId id : graph_.versions.Ids()) {
      const graph::Version& version = graph_.versions[id];
      if (version.def != graph::DefKind::Initial) continue;
      if (graph_.arrays[version.array].copy_in) At(id).kind = Extent::Kind::All;
    }
    Walk(graph_.root, 0);
    for (const graph::Output& output : graph_.outputs) {
      const graph::Array& array = graph_.arrays[output.array];
      if (array.copy_in || At(output.version).kind == Extent::Kind::All) continue;
      context_.sink
          .Report(context_.arrays[output.array.index].copy_out_span, kPartlyWritten, array.name)
          .Hint(fmt::format("add it to copyin: elements that are not written keep the caller's "
                            "values"));
    }
  }

 private:
  Extent& At(VersionId id) { return extents_[id.index]; }

  void Walk(graph::RegionId region, int depth) {
    for (const graph::NodeId node : graph_.regions[region].nodes) {
      Match(
          graph_.nodes[node], [&](const graph::Operator& op) { Visit(op); },
          [&](const graph::Loop& loop) {
            parts_.count(node) > 0 ? VisitPart(loop, depth) : Visit(node, loop, depth);
          });
    }
  }

  /// What a turn may leave out has values only where it has had some before, and in rows of its
  /// own.
  void VisitPart(const graph::Loop& part, int depth) {
    for (const graph::Carried& c : part.carried) At(c.entry) = At(c.initial);
    Walk(part.body, depth);
    for (const graph::Carried& c : part.carried) {
      const Extent& next = At(c.next);
      Extent result = Meet(At(c.initial), next);
      for (const Box& box : next.boxes) {
        if (IsOfTurn(box)) result.boxes.push_back(box);
      }
      At(c.result) = std::move(result);
    }
  }

  void Visit(graph::NodeId node, const graph::Loop& loop, int depth) {
    for (const graph::Carried& c : loop.carried) At(c.entry) = At(c.initial);
    WalkTurn(loop, depth + 1);
    if (depth < kMaxRepeatedDepth) {
      std::vector<Extent> next;
      for (const graph::Carried& c : loop.carried) next.push_back(OfAnyTurn(At(c.next)));
      for (std::size_t i = 0; i < next.size(); ++i) At(loop.carried[i].entry) = next[i];
      WalkTurn(loop, depth + 1);
    }
    const bool runs = AlwaysNonNegative(loop.turns.count - 1);
    const auto has_parts = [&](const graph::PeriodicParts& parts) { return parts.loop == node; };
    const auto parts = std::find_if(context_.periodic.begin(), context_.periodic.end(), has_parts);
    for (const graph::Carried& c : loop.carried) {
      const Extent next = AfterTurns(loop, parts == context_.periodic.end() ? nullptr : &*parts, c);
      At(c.result) = runs ? next : Meet(At(c.initial), next);
    }
  }

  void WalkTurn(const graph::Loop& loop, int depth) {
    around_.push_back(loop.turn);
    Walk(loop.body, depth);
    around_.pop_back();
  }

  /// What has values in every turn alike, of one turn of the loops around.
  Extent OfAnyTurn(Extent extent) const {
    std::erase_if(extent.boxes, [&](const Box& box) {
      const auto changes = [&](const std::vector<graph::Bound>& bounds) {
        return std::any_of(bounds.begin(), bounds.end(),
                           [&](const graph::Bound& bound) { return Changes(bound.numerator); });
      };
      return std::any_of(box.begin(), box.end(), [&](const graph::Interval& interval) {
        return changes(interval.lower) || changes(interval.upper);
      });
    });
    return extent;
  }

  /// True where the form names a turn, but for those of the loops around.
  bool Changes(const graph::LinearForm& form) const {
    return std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
      return term.first.turn &&
             std::find(around_.begin(), around_.end(), term.first) == around_.end();
    });
  }

  static bool IsOfTurn(const Box& box) {
    return std::any_of(box.begin(), box.end(),
                       [](const graph::Interval& interval) { return HasTurn(interval); });
  }

  /// What the loop leaves: a row that each turn has of its own is filled turn by turn.
  Extent AfterTurns(const graph::Loop& loop, const graph::PeriodicParts* parts,
                    const graph::Carried& carried) {
    Extent extent = OfAnyTurn(At(carried.next));
    // A loop that may end after any turn may leave rows of later ones.
    if (extent.kind == Extent::Kind::All || !loop.turn.Valid() || loop.stop) return extent;
    const graph::LinearForm count = AtUsualSizes(loop.turns.count);
    AddRows(loop.turn, count, 1, carried, extent);
    if (parts != nullptr) {
      AddRows(parts->execution, count, parts->period, carried, extent);
    }
    return extent;
  }

  /// The form, of sizes that are not very small: parameters of at least 1 stand for those from
  /// kLeastSize on.
  graph::LinearForm AtUsualSizes(graph::LinearForm form) const {
    const graph::LinearForm at = form;
    for (const auto& [id, factor] : at.terms) {
      if (id.turn) continue;
      form = graph::Replace(form, id, graph::LinearForm::Parameter(id) + (kLeastSize - 1));
    }
    return form;
  }
  Box AtUsualSizes(Box box) const {
    for (graph::Interval& interval : box) {
      for (auto* bounds : {&interval.lower, &interval.upper}) {
        for (graph::Bound& bound : *bounds) bound.numerator = AtUsualSizes(bound.numerator);
      }
    }
    return box;
  }
  PointSet WholeOf(const graph::Array& array) const {
    return {AtUsualSizes(graph::WholeArray(array)), {}};
  }

  /// The rows of the values of a turn, of which there are floor(count / period).
  void AddRows(graph::ParameterId id, const graph::LinearForm& count, std::int64_t period,
               const graph::Carried& carried, Extent& extent) {
    const graph::Array& array = graph_.arrays[carried.array];
    const auto turn = graph::LinearForm::Parameter(id);
    for (Box box : At(carried.next).boxes) {
      std::size_t rows = 0;
      for (graph::Interval& interval : box) {
        if (!HasTurn(interval)) continue;
        ++rows;
        const graph::LinearForm start = interval.lower.front().numerator - turn;
        if (interval.lower != interval.upper || HasTurn(start)) rows = box.size() + 1;
        interval = {{{start, 1}}, {{start * period + count - period, period}}};
      }
      if (rows != 1) continue;
      Join(extent, PointSet{std::move(box), {}}, WholeOf(array));
      if (extent.kind == Extent::Kind::All) break;
    }
  }

  void Visit(const graph::Operator& op) {
    for (const graph::ExprId id : graph::Accesses(graph_, op)) CheckRead(op, id);
    Extent& result = At(op.result);
    result = op.background.Valid() ? At(op.background) : Extent{};
    if (result.kind == Extent::Kind::All) return;
    const graph::Array& array = graph_.arrays[graph_.versions[op.result].array];
    result.kind = Extent::Kind::Partial;
    if (!graph::WritesWholeBox(op) || result.boxes.size() >= kMaxBoxes) return;
    Join(result, PointSet{AtUsualSizes(graph::WrittenBox(op)), {}}, WholeOf(array));
  }

  /// Adds a box, merging it with one that it extends.
  static void Join(Extent& extent, const PointSet& box, const PointSet& whole) {
    Coverage merged{true, true, box};
    std::vector<Box> rest;
    for (const Box& old : extent.boxes) {
      Coverage trial = merged;
      AddBox(trial, PointSet{old, {}});
      if (trial.is_box) {
        merged = trial;
      } else {
        rest.push_back(old);
      }
    }
    if (AlwaysContains(merged.box, whole)) {
      extent = {Extent::Kind::All, {}};
      return;
    }
    rest.push_back(merged.box.intervals);
    extent.boxes = std::move(rest);
  }

  void CheckRead(const graph::Operator& op, graph::ExprId id) {
    const graph::Expr& expr = graph_.exprs[id];
    const auto& access = std::get<graph::Access>(expr.node);
    const graph::Array& array = graph_.arrays[graph_.versions[access.version].array];
    if (array.local) return;  // reads of locals stay where they are computed
    const Extent& extent = At(access.version);
    if (extent.kind == Extent::Kind::All) return;
    if (extent.kind == Extent::Kind::None) {
      context_.sink.Report(expr.span, kNoValue, array.name)
          .Note(array.span, "declared here")
          .Hint(fmt::format("add `copyin {};`", array.name));
      return;
    }
    const Box read = AtUsualSizes(graph::ReadBox(op, access, array));
    if (std::any_of(extent.boxes.begin(), extent.boxes.end(),
                    [&](const Box& box) { return Contains(box, read); })) {
      return;
    }
    if (!warned_.insert(graph_.versions[access.version].array).second) return;
    context_.sink.Report(expr.span, kMayBeUndefined, array.name).Note(array.span, "declared here");
  }

  Context& context_;
  const graph::Graph& graph_;
  std::vector<Extent> extents_;
  std::vector<graph::ParameterId> around_;  // turns of the loops that are being walked
  std::set<graph::NodeId> parts_;           // that do not run in each turn
  std::set<graph::ArrayId> warned_;         // arrays whose reads have been warned of
};

}  // namespace

void CheckValues(Context& context) {
  ValueChecker(context).Run();
}

}  // namespace stencilgen::sema
