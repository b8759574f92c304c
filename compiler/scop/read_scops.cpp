#include "scop/read_scops.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "frontend/syntax_program.h"
#include "scop/changes.h"
#include "scop/clang_file.h"
#include "scop/cyclic_scalars.h"
#include "scop/data_conditions.h"
#include "scop/delinearise.h"
#include "scop/expand_arrays.h"
#include "scop/extrema.h"
#include "scop/forward_parameters.h"
#include "scop/index_scalars.h"
#include "scop/local_arrays.h"
#include "scop/model.h"
#include "scop/order.h"
#include "scop/separate_scalars.h"
#include "scop/spread_diagonals.h"
#include "scop/translation.h"
#include "scop/unroll_loops.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kGaveUp{"scop-gave-up", Severity::Error,
                                   "it could not be found out what this region computes"};

/// What is said of a region, and at which stage.
struct Attempt {
  std::optional<Translation> translation;
  DiagnosticSink sink;
  bool in_order = false;  ///< array assignments keep its dependences
  bool in_turns = false;  ///< in loops that would else be points
};

/// Scalars that each turn of loops sets for itself, not each point: `r = 0; for (i...) r += u[i];`.
std::set<VariableId> ScalarsOfTurns(const Model& model, const Order& order) {
  std::set<VariableId> scalars;
  for (const auto& [scalar, found] : model.privates) scalars.insert(scalar);
  for (const Step& step : model.steps) {
    const std::vector<bool>& stays = order.placements[step.number].stays;
    const bool at_points = std::find(stays.begin(), stays.end(), false) != stays.end();
    if (at_points && model.region->variables[step.target].extents.empty()) {
      scalars.erase(step.target);
    }
  }
  return scalars;
}

/// The order, with scalars of turns taken for such in the model.
Order ChooseWithTurns(Model& model, const std::set<StatementId>& kept) {
  Order order = ChooseOrder(model, kept);
  const std::set<VariableId> shared = ScalarsOfTurns(model, order);
  if (shared.empty()) return order;
  SharePrivates(model, shared);
  return ChooseOrder(model, kept);
}

/// With loops that carry dependences as loops around array assignments: `u[t+1][i] = u[t][i]`, and
/// solvers along a line for all other lines at once. Empty where that does not help. Where all that
/// is in the way then is something else, that is said.
std::optional<Attempt> TryInTurns(Model& model, std::set<StatementId> kept) {
  for (;;) {
    Attempt attempt;
    const Order order = ChooseWithTurns(model, kept);
    const OrderCheck check = CheckOrder(model, order, attempt.sink);
    attempt.in_order = check.holds;
    attempt.in_turns = true;
    if (check.holds) attempt.translation = Translate(model, order, attempt.sink);
    if (attempt.in_order) return attempt;
    const std::size_t before = kept.size();
    kept.insert(check.carriers.begin(), check.carriers.end());
    if (kept.size() == before) return std::nullopt;
  }
}

std::set<StatementId> Union(std::set<StatementId> a, const std::set<StatementId>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

Attempt Try(const Region& region) {
  Attempt attempt;
  auto model = BuildModel(region, attempt.sink);
  if (!model) return attempt;
  const std::set<StatementId> rotating = LoopsOf(model->rotations);
  const Order order = ChooseWithTurns(*model, rotating);
  const OrderCheck check = CheckOrder(*model, order, attempt.sink);
  attempt.in_order = check.holds;
  if (check.holds) {
    attempt.translation = Translate(*model, order, attempt.sink);
  } else if (auto other = TryInTurns(*model, Union(check.carriers, rotating))) {
    attempt = *std::move(other);
  }
  return attempt;
}

/// Makes subscripts of arrays with dimensions of what the code has.
void ReadSubscripts(Region& region) {
  ForwardParameters(region);
  ReplaceCyclicScalars(region);
  UnrollLoops(region);
  SplitLocalArrays(region);
  SeparateIndices(region);
  Delinearise(region);
}

/// What is wrong with the subscripts and bounds of a region whose other statements have been
/// refused.
void ReportSubscripts(Region region, DiagnosticSink& sink) {
  for (const Statement& statement : region.statements) {
    const auto* loop = std::get_if<Loop>(&statement.node);
    if (loop != nullptr && !loop->first.Valid()) return;  // a copy whose loops are not known yet
  }
  ReadSubscripts(region);
  DiagnosticSink all;
  BuildModel(region, all);
  for (const Diagnostic& diagnostic : all.diagnostics()) {
    if (diagnostic.id == std::string_view("c-not-affine")) sink.Add(diagnostic);
  }
}

/// Counters of the region's loops, and scalars that it sets for itself, declared before it.
std::vector<std::string> OwnVariables(const Region& region) {
  std::set<std::string> names;
  const auto add = [&](VariableId id) {
    const Variable& variable = region.variables[id];
    const bool plain = variable.extents.empty() && variable.text == variable.name;
    if (!variable.is_local && !variable.used_after && plain) names.insert(variable.text);
  };
  for (const Statement& statement : region.statements) {
    if (const auto* loop = std::get_if<Loop>(&statement.node)) add(loop->iterator);
    const auto* assign = std::get_if<Assign>(&statement.node);
    const auto* use =
        assign == nullptr ? nullptr : std::get_if<Use>(&region.exprs[assign->target].node);
    if (use != nullptr) add(use->variable);
  }
  return {names.begin(), names.end()};
}

/// Pointers without `restrict` to elements of one type, and arrays of objects that may be the same,
/// where the region writes through one of them.
std::vector<std::string> TakenApart(const Region& region) {
  const std::set<VariableId> written = WrittenArrays(region);
  using Kind = std::tuple<CType, ElementFormat, std::string>;
  std::map<Kind, std::set<std::string>> kinds;
  std::set<Kind> written_kinds;
  for (const VariableId id : region.variables.Ids()) {
    const Variable& variable = region.variables[id];
    const bool pointer = variable.is_pointer && !variable.no_alias;
    if ((!pointer && variable.member.empty()) || variable.extents.empty()) continue;
    const Kind kind(variable.type, variable.format, pointer ? "" : variable.member);
    kinds[kind].insert(variable.text);
    if (written.count(id) > 0) written_kinds.insert(kind);
  }
  std::vector<std::string> names;
  for (const Kind& kind : written_kinds) {
    if (kinds[kind].size() < 2) continue;
    names.insert(names.end(), kinds[kind].begin(), kinds[kind].end());
  }
  return names;
}

/// The region after a change that gives more of its iterations elements of their own.
Attempt TryChanged(Region region) {
  SplitPaths(region);
  SeparateScalars(region);
  return Try(region);
}

/// What stands in the way may be that branches run one after the other, that iterations share
/// elements and scalars, or that a diagonal is written. `attempt`: what is known without these
/// changes.
void TryOtherForms(const Region& region, Attempt& attempt) {
  Region joined = region, expanded = region, separated = region, spread = region;
  if (JoinBranches(joined)) {
    Attempt other = TryChanged(std::move(joined));
    if (other.translation && (!attempt.translation || !other.in_turns)) attempt = std::move(other);
    if (attempt.translation && !attempt.in_turns) return;
  }
  if (ExpandArrays(expanded)) {
    Attempt other = TryChanged(std::move(expanded));
    // Points at once rather than turns.
    const bool better = !attempt.translation || !other.in_turns;
    if (other.translation && better) attempt = std::move(other);
  }
  if (attempt.translation) return;
  SeparateScalars(separated);  // loops that use one name for theirs
  if (ExpandArrays(separated)) {
    Attempt other = TryChanged(std::move(separated));
    if (other.translation) attempt = std::move(other);
  }
  // Elements of a diagonal that need each other would be computed one by one. Where it was all that
  // was in the way, what is left says more.
  if (attempt.translation || !attempt.in_order || !SpreadDiagonals(spread)) return;
  attempt = TryChanged(std::move(spread));
}

std::optional<ScopProgram> ReadScop(Region region, DiagnosticSink& sink) {
  const std::vector<std::string> own = OwnVariables(region);
  const std::vector<std::string> apart = TakenApart(region);
  ReadSubscripts(region);
  FindExtrema(region);
  PrepareDataConditions(region);
  const Region read = region;
  const bool split = SplitPaths(region);
  SeparateScalars(region);
  Attempt attempt = Try(region);
  if (!attempt.translation && split) {
    // Branches one after the other may be in the way of each other.
    Region whole = read;
    SeparateScalars(whole);
    Attempt other = Try(whole);
    if (other.translation || !other.in_order) attempt = std::move(other);
  }
  if (!attempt.translation || attempt.in_turns) TryOtherForms(read, attempt);
  for (const Diagnostic& diagnostic : attempt.sink.diagnostics()) sink.Add(diagnostic);
  if (!attempt.translation) return std::nullopt;
  Translation& translation = *attempt.translation;
  ScopProgram program;
  program.program = ProgramOf(std::move(translation.program));
  program.bindings = std::move(translation.bindings);
  program.condition = std::move(translation.condition);
  program.keeps_code = translation.keeps_code;
  program.after = std::move(translation.after);
  program.left = std::move(translation.left);
  program.choices = std::move(translation.choices);
  program.own_variables = own;
  program.taken_apart = apart;
  return program;
}

}  // namespace

std::optional<ScopFile> ReadScops(const SourceFile& source,
                                  const std::vector<EmbeddedBlock>& regions,
                                  const std::vector<std::string>& compiler_arguments,
                                  DiagnosticSink& sink) {
  const std::size_t errors = sink.ErrorCount();
  const auto file = ClangFile::Parse(source, compiler_arguments, sink);
  if (!file) return std::nullopt;
  ScopFile out;
  for (const EmbeddedBlock& block : regions) {
    bool skipped = false, complete = false;
    auto region = file->Read(block.begin, block.end, skipped, complete, sink);
    try {
      std::optional<ScopProgram> program;
      if (region && complete) {
        program = ReadScop(*std::move(region), sink);
      } else if (region) {
        ReportSubscripts(*std::move(region), sink);
      }
      out.programs.push_back(std::move(program));
    } catch (const isl::exception&) {
      sink.Report(block.begin, kGaveUp)
          .Hint("write its loops without tiles of their own, each over all points");
    }
  }
  if (sink.ErrorCount() > errors) return std::nullopt;
  out.includes = file->Includes();
  return out;
}

}  // namespace stencilgen::scop
