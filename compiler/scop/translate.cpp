#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

#include "scop/declare.h"
#include "scop/domains.h"
#include "scop/exchanges.h"
#include "scop/extents.h"
#include "scop/groups.h"
#include "scop/program_writer.h"
#include "scop/runs.h"
#include "scop/translation.h"
#include "scop/write_steps.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kTurns{"c-turns", Severity::Error,
                                             "how often this loop runs is {}"};
constexpr DiagnosticKind<std::string> kScalarLeft{
    "c-value-after", Severity::Error, "the region leaves a value in `{}` that is used after it"};

class Translator {
 public:
  Translator(const Model& model, const Order& order, DiagnosticSink& sink)
      : writing_(model, order, sink),
        model_(model),
        region_(*model.region),
        order_(order),
        sink_(sink) {}

  std::optional<Translation> Translated() {
    const std::size_t errors = sink_.ErrorCount();
    CheckRotations(model_, order_, sink_);
    NameVariables();
    runs_ = FindRuns(model_, order_, sink_);
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      for (const std::size_t step : runs_[k].steps) run_of_[step] = k;
    }
    CheckScalars();
    if (sink_.ErrorCount() == errors) FindExtents(writing_);
    if (sink_.ErrorCount() == errors) FindViews(writing_);
    if (sink_.ErrorCount() > errors) return std::nullopt;
    NameIterators();
    writing_.out.program.calls = WriteItems(order_.items);
    if (sink_.ErrorCount() > errors) return std::nullopt;
    CheckExchanges(writing_);
    CompleteGroups(writing_, stencils_);
    if (sink_.ErrorCount() > errors) return std::nullopt;
    Declare(writing_);
    return std::move(writing_.out);
  }

 private:
  /// Counters may share names with each other, as iterators do.
  void NameVariables() {
    for (const Statement& statement : region_.statements) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) counters_.insert(loop->iterator);
    }
    for (const VariableId id : region_.variables.Ids()) {
      if (counters_.count(id) == 0) writing_.names.insert(region_.variables[id].name);
    }
  }

  bool IsArray(VariableId id) const { return !region_.variables[id].extents.empty(); }

  void CheckScalars() {
    for (const Step& step : model_.steps) {
      if (IsArray(step.target) || !order_.placements[step.number].reduces) continue;
      writing_.reduced.insert(step.target);
    }
    for (const Step& step : model_.steps) {
      if (IsArray(step.target) || writing_.reduced.count(step.target) > 0) continue;
      const Variable& variable = region_.variables[step.target];
      if (!variable.used_after) continue;
      sink_.Report(*variable.used_after, kScalarLeft, variable.text)
          .Note(step.span, "it gets its value here")
          .Hint(
              "a scalar leaves a region only as a sum, a minimum or a maximum over points: `s += "
              "u[i]`, "
              "`m = fmax(m, u[i])`");
    }
  }

  void NameIterators() {
    std::size_t count = 1;
    for (const auto& [id, extents] : writing_.extents) {
      count = std::max(count, extents.size() - writing_.views.at(id).dropped);
    }
    // What is before them has no points.
    count = std::min<std::size_t>(count, 3);
    for (const Run& run : runs_) {
      for (const std::size_t place : run.from_last) count = std::max(count, place);
    }
    writing_.iterators.assign(count, "");
    for (Run& run : runs_) {
      const Step& step = model_.steps[run.steps[0]];
      std::size_t at = 0;
      for (const std::size_t place : run.from_last) {
        run.frame.iterators.push_back(count - place);
        // The counter's own name, where the coordinate is the counter.
        std::string& name = writing_.iterators[count - place];
        if (name.empty()) name = CounterOf(step, run.frame, at);
        ++at;
      }
    }
    static constexpr const char* kUsual[] = {"i", "j", "k"};
    for (std::size_t k = 0; k < count; ++k) {
      std::string& name = writing_.iterators[k];
      if (name.empty()) name = writing_.NewName(kUsual[count - 1 - k]);
      writing_.names.insert(name);
      writing_.out.program.iterators.push_back({name, region_.begin});
    }
  }

  /// The name of the counter that a coordinate mostly is; empty where it has been taken.
  std::string CounterOf(const Step& step, const Frame& frame, std::size_t coordinate) {
    const isl::map map = frame.MapOf(model_, step);
    const auto form = ToLinear(OutputOf(map, frame.turns.size() + coordinate));
    for (std::size_t k = 0; form && k < step.loops.size(); ++k) {
      if (form->dims[k] == 0) continue;
      const auto& loop = std::get<Loop>(region_.statements[step.loops[k]].node);
      const std::string& name = region_.variables[loop.iterator].text;
      if (writing_.names.insert(name).second) return name;
    }
    return "";
  }

  std::vector<ast::CallItem> WriteItems(const std::vector<OrderItem>& items) {
    std::vector<ast::CallItem> calls;
    for (std::size_t at = 0; at < items.size();) {
      if (items[at].loop) {
        if (auto iterate = WriteLoop(items[at])) calls.emplace_back(*std::move(iterate));
        ++at;
        continue;
      }
      const Run& run = runs_[run_of_[items[at].step]];
      WriteRun(run, calls);
      at += run.steps.size();
    }
    return calls;
  }

  /// The steps inside of an item.
  static void AddSteps(const OrderItem& item, std::vector<std::size_t>& steps) {
    if (!item.loop) steps.push_back(item.step);
    for (const OrderItem& inner : item.items) AddSteps(inner, steps);
  }

  /// The values of a loop's counter in the turns of which some step inside of it has something to
  /// do; with `all`, also in those of which none may have.
  isl::set TurnsOf(const OrderItem& item, bool all) const {
    std::vector<std::size_t> steps;
    AddSteps(item, steps);
    isl::set turns = model_.Set("{ [c] : false }");
    for (const std::size_t number : steps) {
      const Step& step = model_.steps[number];
      const auto level = static_cast<std::size_t>(
          std::find(step.loops.begin(), step.loops.end(), *item.loop) - step.loops.begin());
      turns = turns.unite(all ? CounterValuesAround(step, level) : CounterValues(step, level));
    }
    return turns.coalesce();
  }

  std::optional<ast::Iterate> WriteLoop(const OrderItem& item) {
    const Statement& statement = region_.statements[*item.loop];
    const auto& loop = std::get<Loop>(statement.node);
    // The loop's own turns, whatever conditions there are inside. Pointers are exchanged in all.
    isl::set turns = TurnsOf(item, LoopsOf(model_.rotations).count(*item.loop) > 0);
    auto low = SmallestOf(turns, 0);
    auto high = LargestOf(turns, 0);
    if (!low || !high) {
      // In some turns loops inside may have nothing to do: they are counted, too.
      turns = TurnsOf(item, true);
      low = SmallestOf(turns, 0);
      high = LargestOf(turns, 0);
    }
    if (!low || !high || (loop.step != 1 && loop.step != -1 && !low->symbols.empty())) {
      sink_.Report(statement.span, kTurns, std::string("no sum of sizes"))
          .Hint("compute the bound before the region, in a variable of its own");
      return std::nullopt;
    }
    const std::string values = fmt::format(
        "{{ [c] : {0} <= c <= {1} and (c - {2}) mod {3} = 0 }}", IslText(*low, {}),
        IslText(*high, {}), loop.step > 0 ? low->constant : high->constant, std::abs(loop.step));
    Turn turn{*item.loop,
              region_.variables[loop.iterator].text,
              loop.step > 0 ? *low : *high,
              loop.step,
              false,
              model_.Set(values),
              {}};
    Linear count = Sum(Sum(*high, *low, -1), Number(1));
    if (loop.step != 1 && loop.step != -1) {
      const std::int64_t width = std::abs(loop.step);
      if (!count.IsConstant()) {
        sink_.Report(statement.span, kTurns, std::string("a quotient of sizes"))
            .Hint("count by one: for (int t = 0; t < turns; t++)");
        return std::nullopt;
      }
      count.constant = (count.constant - 1) / width + 1;
    }
    // A loop may begin behind its end; the number of a program's turns is not negative.
    writing_.context =
        writing_.context.intersect(model_.Set(fmt::format("{{ : {} >= 0 }}", IslText(count, {}))));
    ast::Iterate iterate;
    iterate.span = statement.span;
    iterate.count = writing_.Write(count, nullptr, statement.span);
    turn.name = TurnName(turn.name);
    turn.count = count;
    writing_.turns.push_back(std::move(turn));
    iterate.body = WriteItems(item.items);
    AddExchanges(writing_, iterate.body);
    if (writing_.turns.back().is_named) {
      iterate.turn = ast::Name{writing_.turns.back().name, statement.span};
    }
    writing_.turns.pop_back();
    return iterate;
  }

  std::string TurnName(const std::string& name) {
    const auto& iterators = writing_.iterators;
    const bool iterator = std::find(iterators.begin(), iterators.end(), name) != iterators.end();
    const bool around = std::any_of(writing_.turns.begin(), writing_.turns.end(),
                                    [&](const Turn& turn) { return turn.name == name; });
    return iterator || around || writing_.names.count(name) > 0 ? writing_.NewName(name) : name;
  }

  void WriteRun(const Run& run, std::vector<ast::CallItem>& calls) {
    const Step& first = model_.steps[run.steps[0]];
    ast::Stencil stencil;
    stencil.span = first.span;
    std::set<VariableId> declared;
    std::vector<std::optional<ast::DomainSpec>> domains;
    std::vector<std::size_t> assignments, numbers;
    std::string target;
    for (const std::size_t number : run.steps) {
      const Step& step = model_.steps[number];
      const bool local = model_.privates.count(step.target) > 0;
      if (local && declared.insert(step.target).second) DeclareLocal(writing_, step, stencil);
      auto assignment = WriteStep(writing_, step, run.frame, stencil);
      if (!assignment) continue;
      if (!local) {
        domains.push_back(assignment->domain);
        assignments.push_back(stencil.items.size());
        numbers.push_back(number);
        if (target.empty()) target = region_.variables[step.target].name;
      }
      stencil.items.emplace_back(*std::move(assignment));
    }
    if (assignments.empty()) return;
    stencil.name = {writing_.NewName(fmt::format("compute_{}", target)), first.span};
    ast::StencilCall call{std::nullopt, stencil.name, {}, first.span};
    TakeCommonDomain(domains, assignments, stencil, call);
    AddStatements(run, stencil, assignments, numbers);
    AddFormals(run, stencil, call);
    writing_.out.program.stencils.push_back(std::move(stencil));
    calls.emplace_back(std::move(call));
  }

  /// One domain for the call, where all statements have the same.
  void TakeCommonDomain(const std::vector<std::optional<ast::DomainSpec>>& domains,
                        const std::vector<std::size_t>& assignments, ast::Stencil& stencil,
                        ast::StencilCall& call) {
    for (const auto& domain : domains) {
      if (TextOf(domain) != TextOf(domains[0])) return;
    }
    call.domain = domains[0];
    for (const std::size_t at : assignments) {
      std::get<ast::Assignment>(stencil.items[at]).domain.reset();
    }
  }

  /// What the language will make of the stencil's assignments, of these steps.
  void AddStatements(const Run& run, const ast::Stencil& stencil,
                     const std::vector<std::size_t>& assignments,
                     const std::vector<std::size_t>& steps) {
    WrittenStencil written{&run, {}};
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const Step& step = model_.steps[steps[k]];
      const auto& assignment = std::get<ast::Assignment>(stencil.items[assignments[k]]);
      const auto& value = writing_.out.program.exprs[assignment.value].node;
      const bool reads = std::any_of(
          step.accesses.begin(), step.accesses.end(),
          [&](const Access& access) { return !access.write && access.variable == step.target; });
      // A choice may keep the old value.
      const bool updates = reads || std::holds_alternative<ast::Conditional>(value);
      std::string place;
      const auto& target = writing_.out.program.exprs[assignment.target].node;
      if (const auto* element = std::get_if<ast::Access>(&target)) {
        for (const ast::ExprId index : element->indices) place += TextOfLinear(index) + ";";
      }
      written.statements.push_back(
          {steps[k], std::move(place), TextOf(assignment.domain), updates});
    }
    stencils_.push_back(std::move(written));
  }

  std::string TextOf(const std::optional<ast::DomainSpec>& domain) const {
    std::string out;
    if (!domain) return out;
    for (const ast::Range& range : domain->ranges) {
      out += TextOfLinear(range.lo) + ":" + TextOfLinear(range.hi) + ";";
    }
    return out;
  }

  std::string TextOfLinear(ast::ExprId id) const {
    const auto& exprs = writing_.out.program.exprs;
    return Match(
        exprs[id].node, [](const ast::IntLiteral& n) { return std::to_string(n.value); },
        [](const ast::NameRef& n) { return n.name; },
        [&](const ast::Unary& n) { return "-" + TextOfLinear(n.operand); },
        [&](const ast::Binary& n) {
          return fmt::format("({}{}{})", TextOfLinear(n.lhs), ToString(n.op), TextOfLinear(n.rhs));
        },
        [](const auto&) { return std::string("?"); });
  }

  /// The arrays, those that are written first.
  void AddFormals(const Run& run, ast::Stencil& stencil, ast::StencilCall& call) {
    std::vector<std::string> arrays;
    const auto add = [&](const Step& step, const Access& access) {
      if (!IsArray(access.variable)) return;
      const std::string& name =
          writing_.views.at(access.variable.index).names[PartOf(writing_, step, access)];
      if (std::find(arrays.begin(), arrays.end(), name) == arrays.end()) arrays.push_back(name);
    };
    for (const std::size_t number : run.steps) {
      const Step& step = model_.steps[number];
      add(step, step.accesses.back());
    }
    for (const std::size_t number : run.steps) {
      const Step& step = model_.steps[number];
      for (const Access& access : step.accesses) add(step, access);
    }
    for (const std::string& name : arrays) {
      stencil.formals.push_back({{name, stencil.span}, false});
      call.actuals.push_back(writing_.Name(name, stencil.span));
    }
  }

  Writing writing_;
  const Model& model_;
  const Region& region_;
  const Order& order_;
  DiagnosticSink& sink_;
  std::vector<Run> runs_;
  std::map<std::size_t, std::size_t> run_of_;  ///< by step
  std::set<VariableId> counters_;              ///< of loops
  std::vector<WrittenStencil> stencils_;
};

}  // namespace

std::optional<Translation> Translate(const Model& model, const Order& order, DiagnosticSink& sink) {
  return Translator(model, order, sink).Translated();
}

}  // namespace stencilgen::scop
