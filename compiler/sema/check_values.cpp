#include "sema/check_values.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "graph/regions.h"
#include "graph/turns.h"
#include "sema/written_parts.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

using graph::Interval;
using graph::LinearForm;
using graph::VersionId;

constexpr DiagnosticKind<std::string_view> kNoValue{
    "read-before-write", Severity::Error,
    "'{}' has no value here: it is not copied in and nothing has written it"};
constexpr DiagnosticKind<std::string_view> kMayBeUndefined{
    "may-be-undefined", Severity::Warning, "'{}' may be read here where nothing has written it"};
constexpr DiagnosticKind<std::string_view> kPartlyWritten{
    "copyout-partly-written", Severity::Warning,
    "'{}' is copied out but not copied in, and may not be written everywhere"};

constexpr std::size_t kMaxParts = 32;
/// Sizes below this are not thought of: nearly every statement on an edge would be warned of, as
/// what is next to it is no more than the edge across.
constexpr std::int64_t kLeastSize = 16;
constexpr int kMaxRepeatedDepth = 3;  // deeper loops are walked once: more would multiply

/// Where a version has values.
struct Extent {
  enum class Kind { None, Partial, All } kind = Kind::None;
  std::vector<Part> parts;  ///< Partial: known to have values
};

Extent Meet(const Extent& a, const Extent& b) {
  if (a.kind == b.kind && a.kind != Extent::Kind::Partial) return a;
  if (a.kind == Extent::Kind::All)
    return b.kind == Extent::Kind::None ? Extent{Extent::Kind::Partial, {}} : b;
  if (b.kind == Extent::Kind::All)
    return a.kind == Extent::Kind::None ? Extent{Extent::Kind::Partial, {}} : a;
  Extent both{Extent::Kind::Partial, {}};
  for (const Part& part : a.parts) {
    if (std::any_of(b.parts.begin(), b.parts.end(),
                    [&](const Part& other) { return Contains(other, part); })) {
      both.parts.push_back(part);
    }
  }
  return both;
}

/// By carried array of a loop.
using Extents = std::vector<Extent>;

/// A row of an array that turn t writes: `at` + `step` * t along a dimension, with a step of 1 or
/// -1.
struct Row {
  Part part;
  std::size_t dimension = 0;
  LinearForm at;
  std::int64_t step = 1;
};

bool IsOfTurn(const Part& part) {
  return AnyForm(part, [](const LinearForm& form) { return graph::HasTurn(form); });
}

bool Names(const LinearForm& form, graph::ParameterId id) {
  return std::any_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& term) { return term.first == id; });
}

/// The part as a row of the turn; empty where it is none.
std::optional<Row> RowOf(const Part& part, graph::ParameterId turn) {
  const auto names = [&](const LinearForm& form) { return Names(form, turn); };
  std::optional<Row> row;
  for (std::size_t d = 0; d < part.box.size(); ++d) {
    const Interval& interval = part.box[d];
    if (names(part.phases[d].first)) return std::nullopt;
    if (!AnyForm(interval, names)) continue;
    if (row || interval.lower.size() != 1 || interval.lower != interval.upper ||
        interval.lower.front().divisor != 1) {
      return std::nullopt;
    }
    const LinearForm& at = interval.lower.front().numerator;
    const LinearForm first = graph::Replace(at, turn, LinearForm::Constant(0));
    for (const std::int64_t step : {1, -1}) {
      if (at - first == LinearForm::Parameter(turn) * step) row = Row{part, d, first, step};
    }
    if (!row) return std::nullopt;
  }
  return row;
}

/// The rows of the turns from 0 to `last`.
Part RowsOf(const Row& row, const graph::Bound& last) {
  Part part = row.part;
  const graph::Bound from{row.at, 1};
  const graph::Bound to{row.at * last.divisor + last.numerator * row.step, last.divisor};
  part.box[row.dimension] = row.step > 0 ? Interval{{from}, {to}} : Interval{{to}, {from}};
  return part;
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
      for (const Part& written : next.parts) {
        if (IsOfTurn(written)) result.parts.push_back(written);
      }
      At(c.result) = std::move(result);
    }
  }

  void Visit(graph::NodeId node, const graph::Loop& loop, int depth) {
    const auto has_parts = [&](const graph::PeriodicParts& parts) { return parts.loop == node; };
    const auto found = std::find_if(context_.periodic.begin(), context_.periodic.end(), has_parts);
    const graph::PeriodicParts* parts = found == context_.periodic.end() ? nullptr : &*found;
    const bool runs = AlwaysNonNegative(AtUsualSizes(loop.turns.count) - 1);
    const Extents left = AfterTurns(loop, parts, depth);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const graph::Carried& c = loop.carried[i];
      At(c.result) = runs ? left[i] : Meet(At(c.initial), left[i]);
    }
  }

  /// What the loop leaves where it has turns. A row that each turn has of its own is filled turn by
  /// turn, and later turns find what earlier ones have left.
  Extents AfterTurns(const graph::Loop& loop, const graph::PeriodicParts* parts, int depth) {
    Extents initial;
    for (const graph::Carried& c : loop.carried) initial.push_back(At(c.initial));
    if (depth >= kMaxRepeatedDepth) {
      WalkTurn(loop, initial, depth, {});
      return Completed(loop, parts, LeftByTurn(loop), 0);
    }
    const auto turn = LinearForm::Parameter(loop.turn);
    Extents later = initial;
    if (loop.turn.Valid()) {
      const bool silent = std::exchange(silent_, true);
      WalkTurn(loop, initial, depth, turn + 1);
      silent_ = silent;
      later = LeftByTurn(loop);
    }
    WalkTurn(loop, initial, depth, LinearForm::Constant(0));
    if (!loop.turn.Valid()) later = LeftByTurn(loop);
    if (loop.turns.count != LinearForm::Constant(1)) {
      WalkTurn(loop, EntryOf(loop, later), depth, turn + 1);
    }
    return Completed(loop, parts, later, 1);
  }

  Extents LeftByTurn(const graph::Loop& loop) {
    Extents left;
    for (const graph::Carried& c : loop.carried) left.push_back(At(c.next));
    return left;
  }

  void WalkTurn(const graph::Loop& loop, const Extents& entry, int depth,
                std::optional<LinearForm> turn) {
    for (std::size_t i = 0; i < entry.size(); ++i) At(loop.carried[i].entry) = entry[i];
    around_.emplace_back(loop.turn, std::move(turn));
    Walk(loop.body, depth + 1);
    around_.pop_back();
  }

  /// What later turns find: what the first one has left, and the rows of those between. `later`:
  /// what a later turn leaves. Requires: the first turn has just been walked.
  Extents EntryOf(const graph::Loop& loop, const Extents& later) {
    Extents entry;
    for (std::size_t i = 0; i < later.size(); ++i) {
      const graph::Carried& c = loop.carried[i];
      if (!Grows(c)) {
        entry.push_back(Meet(OfAnyTurn(At(c.next)), OfAnyTurn(later[i])));
        continue;
      }
      Extent found = OfAnyTurn(At(c.next));
      const bool written = later[i].kind != Extent::Kind::None;
      if (found.kind == Extent::Kind::None && written) found.kind = Extent::Kind::Partial;
      std::vector<Part> with_rows = found.parts;
      for (const Row& row : RowsIn(later[i], loop.turn)) {
        Join(with_rows, RowsOf(row, {LinearForm::Parameter(loop.turn) - 1, 1}));
      }
      // What rows have been merged with stays known by itself: it holds in all turns.
      std::erase_if(with_rows, [&](const Part& part) {
        return !AnyForm(part, [&](const LinearForm& form) { return Names(form, loop.turn); });
      });
      found.parts.insert(found.parts.end(), with_rows.begin(), with_rows.end());
      entry.push_back(std::move(found));
    }
    return entry;
  }

  /// With the rows that all turns have written, of which `first` is the one that rows of `later`
  /// begin with.
  Extents Completed(const graph::Loop& loop, const graph::PeriodicParts* parts,
                    const Extents& later, std::int64_t first) {
    Extents result;
    const LinearForm count = AtUsualSizes(loop.turns.count);
    for (std::size_t i = 0; i < later.size(); ++i) {
      const graph::Carried& c = loop.carried[i];
      result.push_back(OfAnyTurn(At(c.next)));
      // A loop that may end after any turn may leave rows of later ones.
      if (!loop.turn.Valid() || loop.stop || !Grows(c)) continue;
      const graph::Array& array = graph_.arrays[c.array];
      for (const Row& row : RowsIn(later[i], loop.turn)) {
        Add(result.back(), RowsOf(row, {count - 1 - first, 1}), array);
      }
      if (parts == nullptr) continue;
      for (const Row& row : RowsIn(later[i], parts->execution)) {
        Add(result.back(), RowsOf(row, {count - parts->period, parts->period}), array);
      }
    }
    return result;
  }

  static std::vector<Row> RowsIn(const Extent& extent, graph::ParameterId turn) {
    std::vector<Row> rows;
    if (extent.kind != Extent::Kind::Partial || !turn.Valid()) return rows;
    for (const Part& part : extent.parts) {
      if (auto row = RowOf(part, turn)) rows.push_back(std::move(*row));
    }
    return rows;
  }

  /// What a turn writes to the array stays until the next: nothing else takes its place.
  bool Grows(const graph::Carried& carried) const {
    VersionId version = carried.next;
    while (version != carried.entry) {
      const graph::Version& at = graph_.versions[version];
      if (at.def == graph::DefKind::Operator) {
        version = std::get<graph::Operator>(graph_.nodes[at.node]).background;
      } else if (at.def == graph::DefKind::LoopResult) {
        const auto& inner = std::get<graph::Loop>(graph_.nodes[at.node]).carried;
        const auto found = std::find_if(inner.begin(), inner.end(), [&](const graph::Carried& c) {
          return c.result == version;
        });
        if (!Grows(*found)) return false;
        version = found->initial;
      } else {
        return false;
      }
      if (!version.Valid()) return false;
    }
    return true;
  }

  /// What has values in every turn alike, of one turn of the loops around.
  Extent OfAnyTurn(Extent extent) const {
    std::erase_if(extent.parts, [&](const Part& part) {
      return AnyForm(part, [&](const LinearForm& form) { return Changes(form); });
    });
    return extent;
  }

  /// True where the form names a turn, but for those of the loops around.
  bool Changes(const LinearForm& form) const {
    return std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
      return term.first.turn && std::none_of(around_.begin(), around_.end(), [&](const auto& turn) {
               return turn.first == term.first;
             });
    });
  }

  /// The form, of sizes that are not very small: parameters of at least 1 stand for those from
  /// kLeastSize on.
  LinearForm AtUsualSizes(LinearForm form) const {
    const LinearForm at = form;
    for (const auto& [id, factor] : at.terms) {
      if (id.turn) continue;
      form = graph::Replace(form, id, LinearForm::Parameter(id) + (kLeastSize - 1));
    }
    return form;
  }

  /// In the turns that are being walked.
  LinearForm InTurns(LinearForm form) const {
    for (const auto& [id, turn] : around_) {
      if (id.Valid() && turn) form = graph::Replace(form, id, *turn);
    }
    return form;
  }
  Part Here(Part part) const {
    ForEachForm(part, [&](LinearForm& form) { form = AtUsualSizes(InTurns(form)); });
    return part;
  }

  void Add(Extent& extent, Part part, const graph::Array& array) const {
    if (extent.kind == Extent::Kind::All) return;
    extent.kind = Extent::Kind::Partial;
    if (extent.parts.size() >= kMaxParts) return;
    Join(extent.parts, std::move(part));
    const Part whole = Here(WholeBox(graph::WholeArray(array)));
    if (std::any_of(extent.parts.begin(), extent.parts.end(),
                    [&](const Part& any) { return Contains(any, whole); })) {
      extent = {Extent::Kind::All, {}};
    }
  }

  void Visit(const graph::Operator& op) {
    Extent& result = At(op.result);
    result = op.background.Valid() ? At(op.background) : Extent{};
    bool certain = true;
    for (const LinearForm& guard : op.domain.guards) {
      const LinearForm here = InTurns(guard);
      if (AlwaysNegative(here)) return;
      certain = certain && AlwaysNonNegative(here);
    }
    for (const graph::ExprId id : graph::Accesses(graph_, op)) CheckRead(op, id);
    if (result.kind == Extent::Kind::All) return;
    result.kind = Extent::Kind::Partial;
    auto part = PartWritten(op);
    // A reduction without points leaves its identity.
    if (!part || !(certain || op.reduction)) return;
    Add(result, Here(std::move(*part)), graph_.arrays[graph_.versions[op.result].array]);
  }

  void CheckRead(const graph::Operator& op, graph::ExprId id) {
    const graph::Expr& expr = graph_.exprs[id];
    const auto& access = std::get<graph::Access>(expr.node);
    const graph::Array& array = graph_.arrays[graph_.versions[access.version].array];
    if (array.local || silent_) return;  // reads of locals stay where they are computed
    const Extent& extent = At(access.version);
    if (extent.kind == Extent::Kind::All) return;
    if (extent.kind == Extent::Kind::None) {
      context_.sink.Report(expr.span, kNoValue, array.name)
          .Note(array.span, "declared here")
          .Hint(fmt::format("add `copyin {};`", array.name));
      return;
    }
    const Part read = Here(PartRead(op, access, array));
    if (std::any_of(extent.parts.begin(), extent.parts.end(),
                    [&](const Part& part) { return Contains(part, read); })) {
      return;
    }
    if (!warned_.insert(graph_.versions[access.version].array).second) return;
    context_.sink.Report(expr.span, kMayBeUndefined, array.name).Note(array.span, "declared here");
  }

  Context& context_;
  const graph::Graph& graph_;
  std::vector<Extent> extents_;
  /// Turns of the loops that are being walked, and what stands for them.
  std::vector<std::pair<graph::ParameterId, std::optional<LinearForm>>> around_;
  bool silent_ = false;              // nothing is reported
  std::set<graph::NodeId> parts_;    // that do not run in each turn
  std::set<graph::ArrayId> warned_;  // arrays whose reads have been warned of
};

}  // namespace

void CheckValues(Context& context) {
  ValueChecker(context).Run();
}

}  // namespace stencilgen::sema
