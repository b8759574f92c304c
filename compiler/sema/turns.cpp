#include "sema/turns.h"

#include <set>

#include "sema/messages.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kTurnOutside{
    "turn-outside", Severity::Error, "'{}' is the turn of a loop, and this call is outside of it"};

class TurnDeclarer {
 public:
  explicit TurnDeclarer(Context& context) : context_(context) {}

  void Run(const std::vector<ast::CallItem>& items) {
    for (const ast::CallItem& item : items) {
      if (const auto* every = std::get_if<ast::Every>(&item)) Run(every->body);
      const auto* iterate = std::get_if<ast::Iterate>(&item);
      if (iterate == nullptr) continue;
      const bool named = iterate->turn && Introduce(*iterate->turn);
      Run(iterate->body);
      if (named) around_.erase(iterate->turn->text);
    }
  }

 private:
  /// False where the name is taken (reported).
  bool Introduce(const ast::Name& name) {
    const auto index = static_cast<std::uint32_t>(context_.graph.parameters.size());
    const auto [place, fresh] =
        context_.symbols.try_emplace(name.text, Symbol{SymbolKind::Parameter, index, name.span});
    const Symbol& symbol = place->second;
    const bool again = !fresh && symbol.kind == SymbolKind::Parameter &&
                       context_.graph.parameters[graph::ParameterId{symbol.index}].turn;
    if ((!fresh && !again) || !around_.insert(name.text).second) {
      context_.sink.Report(name.span, kRedeclared, name.text)
          .Note(symbol.span, "declared here first")
          .Hint("the turn of a loop needs a name of its own");
      return false;
    }
    if (again) return true;
    graph::Parameter turn;
    turn.name = name.text;
    turn.span = name.span;
    turn.turn = true;
    context_.graph.parameters.Add(std::move(turn));
    context_.taken.insert(name.text);
    return true;
  }

  Context& context_;
  std::set<std::string> around_;  ///< turns of the loops around
};

/// With the end of each turn's range that `last` picks by its factor.
template <typename PickLast>
graph::LinearForm AtEnds(const Context& context, graph::LinearForm form, const PickLast& last) {
  for (const auto& [turn, count] : context.turns) {
    for (const auto& [id, factor] : form.terms) {
      if (id != turn) continue;
      // A loop without turns is as good as one with a single one: nothing in it runs.
      const bool one = !last(factor) || AlwaysNegative(count - 1);
      form = Replace(form, turn, one ? graph::LinearForm{} : count - 1);
      break;
    }
  }
  return form;
}

}  // namespace

void DeclareTurns(Context& context) {
  TurnDeclarer(context).Run(context.ast.calls);
}

graph::ParameterId TurnOf(const Context& context, const ast::Iterate& iterate) {
  if (!iterate.turn) return {};
  const auto found = context.symbols.find(iterate.turn->text);
  if (found == context.symbols.end() || found->second.kind != SymbolKind::Parameter) return {};
  const graph::ParameterId id{found->second.index, true};
  return context.graph.parameters[id].turn ? id : graph::ParameterId{};
}

bool RequireTurn(Context& context, graph::ParameterId parameter, Span span) {
  const graph::Parameter& turn = context.graph.parameters[parameter];
  if (!turn.turn || context.turns.count(parameter) > 0) return true;
  context.sink.Report(span, kTurnOutside, turn.name)
      .Note(turn.span, "the loop")
      .Hint(fmt::format("call the stencil inside `iterate {} : ...`", turn.name));
  return false;
}

graph::LinearForm Smallest(const Context& context, graph::LinearForm form) {
  return AtEnds(context, std::move(form), [](std::int64_t factor) { return factor < 0; });
}

graph::LinearForm Largest(const Context& context, graph::LinearForm form) {
  return AtEnds(context, std::move(form), [](std::int64_t factor) { return factor > 0; });
}

}  // namespace stencilgen::sema
