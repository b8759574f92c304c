#include "codegen/print_steps.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/host_code.h"
#include "support/literal_text.h"
#include "support/match.h"

namespace stencilgen::codegen {
namespace {

using kernel::Expr;

class StepPrinter {
 public:
  StepPrinter(const kernel::Module& module, const StepStyle& style)
      : module_(module), style_(style) {}

  std::string Print() {
    Print(module_.steps);
    return writer_.str();
  }

 private:
  const std::string& Name(std::size_t buffer) const { return module_.buffers[buffer].name(); }

  void Print(const kernel::Steps& steps) {
    for (const kernel::Step& step : steps) Print(step);
  }
  void Print(const kernel::Step& step) {
    Match(
        step.what, [&](const kernel::LaunchStep& launch) { style_.launch(writer_, launch.kernel); },
        [&](const kernel::CodeStep& code) {
          kernel::Print(writer_, code.code, kernel::Target::Host);
        },
        [&](const kernel::ReadStep& read) { style_.read(writer_, read); },
        [&](const kernel::CopyStep& copy) { Print(copy); },
        [&](const kernel::RotateStep& rotate) { Print(rotate); },
        [&](const kernel::RepeatStep& repeat) {
          if (repeat.graph) return PrintGraph(repeat, *repeat.graph);
          const Expr goes_on =
              kernel::Apply(BinaryOp::Less, kernel::Read(repeat.var), repeat.turns);
          const auto loop = writer_.Block(
              "for ({0}{1} = {2}; {3}; ++{1})", IsMember(repeat.var) ? "" : "long long ",
              repeat.var->name, FirstText(repeat), kernel::Print(goes_on));
          Print(repeat.body);
          if (repeat.until.Valid()) writer_.Line("if ({}) break;", kernel::Print(repeat.until));
        },
        [&](const kernel::BandStep& band) { Print(band); },
        [&](const kernel::ScopeStep& scope) { Print(scope); });
  }

  void Print(const kernel::ScopeStep& scope) {
    {
      const auto block = scope.condition.Valid()
                             ? writer_.Block("if ({})", kernel::Print(scope.condition))
                             : writer_.Block("");
      Print(scope.body);
    }
    if (scope.otherwise.empty()) return;
    const auto block = writer_.Block("else");
    for (const kernel::Step& step : scope.otherwise) {
      const auto* band = std::get_if<kernel::BandStep>(&step.what);
      if (band != nullptr && &step == &scope.otherwise.back()) {
        PrintInScope(*band);
      } else {
        Print(step);
      }
    }
  }

  /// The loop counts with what kernels see as well.
  bool IsMember(const kernel::VarRef& var) const {
    return std::find(module_.turns.begin(), module_.turns.end(), var) != module_.turns.end();
  }
  static std::string FirstText(const kernel::RepeatStep& repeat) {
    return repeat.first.Valid() ? kernel::Print(repeat.first) : "0";
  }

  void PrintGraph(const kernel::RepeatStep& repeat, const kernel::TurnGraph& graph) {
    const auto scope = writer_.Block("");
    {
      // The last turn alone is another one, if any is.
      const std::string counter = graph.alike.Valid() ? " " + repeat.var->name : "";
      const auto turn = writer_.OpenBlock(
          fmt::format("const auto {} = [&](long long{})", graph.turn, counter), "};");
      Print(repeat.body);
      writer_.Line("return true;");
    }
    writer_.Line("{}TurnGraph {}{{{}, {}, {}}};", graph.bytes.Valid() ? "" : "const ", graph.rule,
                 graph.period, graph.turns, graph.least);
    if (graph.bytes.Valid()) {
      writer_.Line("// Where a turn moves more, kernels take longer than it takes to launch them.");
      WriteWrapped(writer_, fmt::format("if ({} > {}) {} = {{}};", kernel::Print(graph.bytes),
                                        IndexText(graph.most_bytes), graph.rule));
    }
    const std::string turns = kernel::Print(repeat.turns);
    const std::string alike = graph.alike.Valid() ? kernel::Print(graph.alike) : turns;
    WriteUnless(
        writer_,
        fmt::format("RepeatTurns(error, stream, {}, {}, {}, graphs[{}], CurrentState(), {})", turns,
                    alike, graph.rule, graph.number, graph.turn),
        "return false;");
  }

  void PrintCall(const kernel::BandStep& band, const std::string& tiles, const std::string& strip) {
    std::vector<std::string> arguments;
    for (const Expr& argument : band.call.arguments) arguments.push_back(kernel::Print(argument));
    const std::string threads = band.threads > 0 ? IndexText(band.threads) : "Threads()";
    arguments.insert(arguments.end(), {kernel::Print(band.turns), threads, tiles});
    if (band.strips) arguments.push_back(strip);
    WriteCall(writer_, band.call.function, arguments, ";");
    Print(band.after);
  }

  void Print(const kernel::BandStep& band) {
    if (band.turns_of_tile > 0) return PrintInScope(band);
    const auto scope = writer_.Block("");
    PrintInScope(band);
  }
  /// In a scope in which the names that it declares are free.
  void PrintInScope(const kernel::BandStep& band) {
    if (band.turns_of_tile > 0) {
      const std::int64_t width = band.slope * band.turns_of_tile;
      const std::string tiles =
          fmt::format("CeilDiv({}, {})", kernel::Print(band.rows), IndexText(width));
      return PrintCall(band, tiles, IndexText(2 * width));
    }
    std::vector<std::string> extent = {kernel::Print(band.rows), kernel::Print(band.columns),
                                       kernel::Print(band.bytes), IndexText(band.slope),
                                       kernel::Print(band.turns)};
    if (band.points > 1) extent.push_back(IndexText(band.points));
    WriteCall(writer_, fmt::format("const BandTile {} = ChooseBandTile", band.tile), extent, ";");
    {
      const auto pays = writer_.Block("if ({}.tiles > 0)", band.tile);
      PrintCall(band, band.tile + ".tiles", band.tile + ".strip");
    }
    const auto otherwise = writer_.Block("else");
    Print(band.otherwise);
  }

  void Print(const kernel::CopyStep& copy) {
    const std::string shape = ShapeText(module_.buffers[copy.to].extents);
    if (!copy.outside) {
      return style_.copy(writer_, "CopyAll", {Name(copy.to), Name(copy.from), shape});
    }
    std::vector<std::string> ranges;
    for (const kernel::CopyStep::Range& range : *copy.outside) {
      ranges.push_back(
          fmt::format("Range{{{}, {}}}", kernel::Print(range.first), kernel::Print(range.last)));
    }
    std::string box = fmt::format("Box({})", fmt::join(ranges, ", "));
    if (copy.condition.Valid()) {
      box = fmt::format("{} ? {} : Box(Range{{}})", kernel::Print(copy.condition), box);
    }
    style_.copy(writer_, "CopyOutside", {Name(copy.to), Name(copy.from), shape, box});
  }

  void Print(const kernel::RotateStep& rotate) {
    const std::vector<std::size_t>& cycle = rotate.cycle;
    if (cycle.size() == 2) {
      return writer_.Line("std::swap({}, {});", Name(cycle[0]), Name(cycle[1]));
    }
    const auto block = writer_.Block("");
    writer_.Line("{}* const {} = {};", ElementType(module_.buffers[cycle[0]]), rotate.old,
                 Name(cycle[0]));
    for (std::size_t k = 0; k + 1 < cycle.size(); ++k) {
      writer_.Line("{} = {};", Name(cycle[k]), Name(cycle[k + 1]));
    }
    writer_.Line("{} = {};", Name(cycle.back()), rotate.old);
  }

  const kernel::Module& module_;
  const StepStyle& style_;
  CodeWriter writer_;
};

}  // namespace

std::string StepStatements(const kernel::Module& module, const StepStyle& style) {
  return StepPrinter(module, style).Print();
}

}  // namespace stencilgen::codegen
