#include "sema/every.h"

#include <utility>

#include "sema/affine.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<> kOutside{"every-outside", Severity::Error,
                                    "'every' stands in no loop whose turns it could count"};
constexpr DiagnosticKind<> kInEvery{"every-in-every", Severity::Error,
                                    "'every' stands in a part that does not run in each turn"};
constexpr DiagnosticKind<> kNumber{"every-number", Severity::Error,
                                   "how often must be a number of at least 1"};
constexpr DiagnosticKind<std::int64_t> kOther{
    "every-differs", Severity::Error, "the parts of a loop run equally often: every {} turns"};
constexpr DiagnosticKind<> kUntil{"every-and-until", Severity::Error,
                                  "a loop that ends by a condition has no parts that run every few "
                                  "turns"};

}  // namespace

void EveryParts::Enter(const ast::Iterate& iterate, graph::ParameterId turn,
                       const graph::LinearForm& count) {
  OpenLoop loop;
  loop.iterate = &iterate;
  loop.count = count;
  loop.turn = turn;
  loops_.push_back(std::move(loop));
}

graph::PeriodicParts EveryParts::Leave() {
  graph::PeriodicParts parts = std::move(loops_.back().parts);
  loops_.pop_back();
  return parts;
}

std::optional<std::int64_t> EveryParts::NumberOf(const ast::Every& every) {
  const auto form = ToLinear(context_, ProgramResolver(context_), every.turns, "how often");
  if (!form) return std::nullopt;
  if (form->IsConstant() && form->constant >= 1) return form->constant;
  auto report = context_.sink.Report(context_.ast.exprs[every.turns].span, kNumber);
  if (!form->IsConstant()) report.Hint("a parameter is a number where `-D` fixes it");
  return std::nullopt;
}

bool EveryParts::Begin(const ast::Every& every) {
  const Span span = context_.ast.exprs[every.turns].span;
  if (loops_.empty()) {
    context_.sink.Report(every.span, kOutside).Hint("`iterate T { ... every 10 : name (...); }`");
    return false;
  }
  OpenLoop& loop = loops_.back();
  if (loop.in_part) {
    context_.sink.Report(every.span, kInEvery).Hint("let it stand by itself in the loop");
    return false;
  }
  if (loop.iterate->until) {
    context_.sink.Report(every.span, kUntil)
        .Hint("call the stencil in each turn, or let the number of turns alone end the loop");
    return false;
  }
  const auto number = NumberOf(every);
  if (!number) return false;
  if (loop.parts.parts.empty()) {
    loop.parts.period = *number;
    loop.first = span;
    Name(loop);
  } else if (loop.parts.period != *number) {
    context_.sink.Report(span, kOther, loop.parts.period).Note(loop.first, "the first part");
    return false;
  }
  loop.in_part = true;
  context_.every.push_back({loop.turn, *number, loop.parts.execution});
  if (loop.turn.Valid()) context_.turns.emplace(loop.parts.execution, loop.count);
  return true;
}

/// The number of executions is a value where the turn is one.
void EveryParts::Name(OpenLoop& loop) {
  if (!loop.turn.Valid()) return;
  const graph::Parameter turn = context_.graph.parameters[loop.turn];
  graph::Parameter execution;
  execution.name = context_.UniqueName(fmt::format("{}_by_{}", turn.name, loop.parts.period));
  execution.span = turn.span;
  execution.turn = true;
  const graph::ParameterId added = context_.graph.parameters.Add(std::move(execution));
  loop.parts.execution = {added.index, true};
}

void EveryParts::End(graph::NodeId part) {
  OpenLoop& loop = loops_.back();
  loop.parts.parts.push_back(part);
  loop.in_part = false;
  context_.turns.erase(loop.parts.execution);
  context_.every.pop_back();
}

}  // namespace stencilgen::sema
