#include "scop/exchanges.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scop/scalar_uses.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kInnerTurns{
    "c-turns", Severity::Error,
    "how often this loop runs is not the same in all turns of the loop around it"};
constexpr DiagnosticKind<> kIdleSwap{"c-swap", Severity::Error,
                                     "the loop around this exchange computes nothing in its turns"};
constexpr DiagnosticKind<std::string> kPartsSwap{
    "c-swap", Severity::Error,
    "`{}` is exchanged, and is several arrays by the numbers in its first brackets"};

class ExchangeWriter {
 public:
  explicit ExchangeWriter(Writing& writing) : writing_(writing) {}

  /// The parts of arrays that are named by the turn exchange their contents at its end. After the
  /// last one each goes where C has it.
  void AddSwaps(std::vector<ast::CallItem>& body) {
    const StatementId loop = writing_.turns.back().loop;
    const Span span = writing_.region.statements[loop].span;
    for (const auto& [id, views] : writing_.views) {
      if (views.turns != loop) continue;
      for (std::size_t k = 1; k < views.names.size(); ++k) {
        body.emplace_back(ast::Swap{{views.names[k - 1], span}, {views.names[k], span}, span});
      }
      AddReturn(id, views.bindings, views.dropped, writing_.TextOf(writing_.turns.back().count));
    }
    for (const Rotation& rotation : writing_.model.rotations) {
      if (rotation.loop() == loop) AddRotation(rotation, body);
    }
  }

  /// Scalars that the loop leaves with a value that depends on the number of its turns.
  void AddLeft() {
    const StatementId loop = writing_.turns.back().loop;
    const std::string count = writing_.TextOf(writing_.turns.back().count);
    for (const LeftValue& left : writing_.region.left) {
      if (left.loop != loop) continue;
      const std::string turn = fmt::format("({}) % {}", count, left.values.size());
      std::string value = std::to_string(left.values[0]);
      for (std::size_t k = left.values.size(); k-- > 1;) {
        value = fmt::format("{} == {} ? {} : {}", turn, k, left.values[k], value);
      }
      writing_.out.left.push_back(
          fmt::format("{} = {};", writing_.region.variables[left.scalar].text, value));
    }
  }

 private:
  /// Arrays of the program are exchanged by names; in C the pointers are.
  void AddRotation(const Rotation& rotation, std::vector<ast::CallItem>& body) {
    writing_.exchanged.insert(rotation.loop());
    std::vector<std::string> names, bindings, pointers;
    for (const VariableId pointer : rotation.pointers) {
      const auto found = writing_.views.find(pointer.index);
      if (found == writing_.views.end()) {
        writing_.sink.Report(rotation.span, kIdleSwap);
        return;
      }
      const ArrayViews& views = found->second;
      pointers.push_back(writing_.region.variables[pointer].text);
      if (views.names.size() > 1) writing_.sink.Report(rotation.span, kPartsSwap, pointers.back());
      names.push_back(views.names[0]);
      bindings.push_back(views.bindings[0]);
    }
    const Span span = writing_.region.statements[rotation.loop()].span;
    for (std::size_t k = 1; k < names.size(); ++k) {
      body.emplace_back(ast::Swap{{names[k - 1], span}, {names[k], span}, span});
    }
    const std::string turns = TurnsOf(rotation);
    AddReturn(rotation.pointers[0].index, bindings, 0, turns);
    if (pointers.size() == 2) {
      Exchange exchange = writing_.out.after.back();
      exchange.arrays = pointers;
      exchange.pointers = true;
      writing_.out.after.push_back(std::move(exchange));
      return;
    }
    std::string moves;
    const bool containers = !writing_.region.variables[rotation.pointers[0]].data.empty();
    for (std::size_t k = 1; containers && k < pointers.size(); ++k) {
      moves += fmt::format(" ::std::swap({}, {});", pointers[k - 1], pointers[k]);
    }
    if (containers) {
      writing_.out.left.push_back(
          fmt::format("for (long long left = ({}) % {}; left > 0; left--) {{{} }}", turns,
                      pointers.size(), moves));
      return;
    }
    for (std::size_t k = 1; k < pointers.size(); ++k) {
      moves += fmt::format(" {} = {};", pointers[k - 1], pointers[k]);
    }
    writing_.out.left.push_back(fmt::format(
        "for (long long left = ({}) % {}; left > 0; left--) {{ __typeof__({}) first = {};{} {} = "
        "first; }}",
        turns, pointers.size(), pointers[0], pointers[0], moves, pointers.back()));
  }

  /// How often the pointers are exchanged, as C.
  std::string TurnsOf(const Rotation& rotation) {
    std::string text;
    for (std::size_t k = 0; k < writing_.turns.size(); ++k) {
      const Turn& turn = writing_.turns[k];
      const auto& loop = std::get<Loop>(writing_.region.statements[turn.loop].node);
      bool same = turn.loop == rotation.loops[k];
      for (std::size_t outer = 0; outer < k; ++outer) {
        const auto& around =
            std::get<Loop>(writing_.region.statements[writing_.turns[outer].loop].node);
        same = same && !MentionsIn(writing_.region, loop.first, around.iterator);
        for (const Bound& bound : loop.bounds) {
          same = same && !MentionsIn(writing_.region, bound.value, around.iterator);
        }
      }
      if (!same) {
        writing_.sink.Report(writing_.region.statements[turn.loop].span, kInnerTurns)
            .Note(rotation.span, "pointers are exchanged at the end of each");
      }
      text += (text.empty() ? "" : " * ") + writing_.TextOf(turn.count);
    }
    return writing_.turns.size() == 1 ? text : "(" + text + ")";
  }

  std::string SizeOf(std::uint32_t variable, std::size_t dropped) const {
    const std::vector<Linear>& extents = writing_.extents.at(variable);
    std::string size = "1LL";
    for (std::size_t d = dropped; d < extents.size(); ++d) {
      size += " * " + writing_.TextOf(extents[d]);
    }
    return size;
  }

  void AddReturn(std::uint32_t variable, const std::vector<std::string>& parts, std::size_t dropped,
                 const std::string& turns) {
    const Variable& array = writing_.region.variables[VariableId{variable}];
    writing_.out.after.push_back(
        {parts, *ScalarTypeOf(array.type), array.format, SizeOf(variable, dropped), turns});
  }

  Writing& writing_;
};

}  // namespace

void AddExchanges(Writing& writing, std::vector<ast::CallItem>& body) {
  ExchangeWriter writer(writing);
  writer.AddSwaps(body);
  writer.AddLeft();
}

void CheckExchanges(const Writing& writing) {
  for (const Rotation& rotation : writing.model.rotations) {
    if (writing.exchanged.count(rotation.loop()) == 0)
      writing.sink.Report(rotation.span, kIdleSwap);
  }
}

}  // namespace stencilgen::scop
