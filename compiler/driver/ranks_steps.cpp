#include "driver/ranks_steps.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "distribute/exchange_depth.h"
#include "driver/ranks_collectives.h"
#include "support/check.h"
#include "support/code_writer.h"
#include "support/match.h"

namespace stencilgen::driver {

namespace {

using namespace distribute;

class StepsPrinter {
 public:
  StepsPrinter(const LoweredRanks& lowered, const RanksNames& names)
      : lowered_(lowered),
        program_(lowered.program),
        graph_(lowered.program.graph),
        names_(names) {}

  RanksSteps Run() {
    CodeWriter body;
    WriteSteps(program_.steps, body);
    return {body.str(), members_.str()};
  }

 private:
  std::string Form(const graph::LinearForm& form) const {
    return graph::ToString(form, names_.parameters);
  }
  std::string Turns(const graph::Turns& turns) const {
    const std::string count = Form(turns.count);
    if (turns.divisor == 1) return count;
    return fmt::format("({}) {} {}", count, turns.remainder ? "%" : "/", turns.divisor);
  }
  std::string FirstTurn(const graph::Turns& turns) const {
    if (!turns.remainder) return "0";
    return fmt::format("({0}) / {1} * {1}", Form(turns.count), turns.divisor);
  }
  int FieldNumber(ArrayId array) const { return driver::FieldNumber(program_, array); }

  /// `{{0, {1, 0}, {1, 2}}}`: fields with their depths.
  std::string ExchangeText(const Exchange& exchange) const {
    std::vector<std::string> fields;
    for (const FieldDepth& field : exchange) {
      const mpi::Depth depth = ExchangeDepth(program_, field);
      std::string text = fmt::format("{}, {}", depth.field, DepthText(depth.lo, depth.hi));
      std::vector<std::string> corners;
      for (const mpi::Corner& corner : depth.corners) {
        corners.push_back(fmt::format("{{{}}}", DepthText(corner.lo, corner.hi)));
      }
      if (!corners.empty()) text += fmt::format(", {{{}}}", fmt::join(corners, ", "));
      fields.push_back(fmt::format("{{{}}}", text));
    }
    return fmt::format("{{{}}}", fmt::join(fields, ", "));
  }

  /// `{1, 0}, {1, 2}`: below and above.
  template <typename Numbers>
  std::string DepthText(const Numbers& lo, const Numbers& hi) const {
    const auto axes = static_cast<std::ptrdiff_t>(program_.grid.axes.size());
    return fmt::format("{{{}}}, {{{}}}", fmt::join(lo.begin(), lo.begin() + axes, ", "),
                       fmt::join(hi.begin(), hi.begin() + axes, ", "));
  }

  /// `{{0, true}, {1, false}}`: the arrays of the segment that ranks have, and which it writes.
  std::string UsesText(std::size_t segment) const {
    std::vector<std::string> uses;
    for (const kernel::Array& array : lowered_.modules[segment].arrays) {
      if (array.IsScalar() || !(array.copy_in || array.copy_out)) continue;
      // The module may write what the segment leaves as it was.
      const auto& own = program_.segments[segment].graph.arrays;
      const bool written = std::any_of(own.begin(), own.end(), [&](const graph::Array& any) {
        return any.name == array.source_name && any.copy_out;
      });
      uses.push_back(fmt::format("{{{}, {}}}", FieldNumber(ArrayOf(array)), written));
    }
    return fmt::format("{{{}}}", fmt::join(uses, ", "));
  }
  ArrayId ArrayOf(const kernel::Array& array) const {
    const auto& all = graph_.arrays;
    const auto at = std::find_if(all.begin(), all.end(), [&](const graph::Array& any) {
      return any.name == array.source_name;
    });
    STENCILGEN_CHECK(at != all.end());
    return ArrayId{static_cast<std::uint32_t>(at - all.begin())};
  }

  void WriteSteps(const Steps& steps, CodeWriter& body) {
    for (std::size_t n = 0; n < steps.size(); ++n) {
      const auto* call = n + 1 < steps.size() ? std::get_if<CallStep>(&steps[n + 1].what) : nullptr;
      const auto* exchange = std::get_if<ExchangeStep>(&steps[n].what);
      if (exchange != nullptr && call != nullptr) {
        WriteOverlapped(AddOverlap({exchange->exchange}, call->segment), call->segment, "0", body);
        ++n;
      } else {
        WriteStep(steps[n], body);
      }
    }
  }

  void WriteStep(const Step& step, CodeWriter& body) {
    Match(
        step.what,
        [&](const ExchangeStep& exchange) {
          const std::string name = fmt::format("exchange{}", ++exchanges_);
          WriteWrapped(members_, fmt::format("stencilgen::mpi::Exchange {}{{fields, {}}};", name,
                                             ExchangeText(exchange.exchange)));
          body.Line("{}.Run();", name);
        },
        [&](const CallStep& call) { WriteCallOf(call.segment, "0", "", body); },
        [&](const HandOnStep& hand_on) {
          std::vector<std::string> moves;
          for (const auto& [to, from] : hand_on.moves) {
            moves.push_back(fmt::format("{{{}, {}}}", FieldNumber(to), FieldNumber(from)));
          }
          WriteWrapped(body, fmt::format("fields.HandOn({{{{{}}}}});", fmt::join(moves, "}, {")));
        },
        [&](const CollectStep& collect) { WriteWrapped(body, CollectText(program_, collect)); },
        [&](const ReduceStep& reduce) {
          const bool exact = lowered_.codegen.fp == FpMode::Strict;
          WriteWrapped(body, ReduceText(program_, names_, reduce, exact));
        },
        [&](const ChunksStep& chunks) { WriteChunks(chunks, body); },
        [&](const LookStep& look) {
          const auto block = body.Block("if ({})", looks_);
          WriteSteps(look.body, body);
        },
        [&](const RepeatStep& repeat) { WriteRepeat(repeat, body); });
  }

  /// Adds a member for each of the exchanges before the segment. Its name.
  std::string AddOverlap(const std::vector<Exchange>& exchanges, std::size_t segment) {
    const std::string name = fmt::format("exchange{}", ++exchanges_);
    const std::string uses = UsesText(segment);
    if (exchanges.size() == 1) {
      WriteWrapped(members_, fmt::format("stencilgen::mpi::Overlap {}{{fields, {}, {}}};", name,
                                         ExchangeText(exchanges[0]), uses));
      return name;
    }
    members_.Line("// By turns that follow.");
    members_.Line("stencilgen::mpi::Overlap {}[{}] = {{", name, exchanges.size());
    for (const Exchange& exchange : exchanges) {
      WriteWrapped(members_, fmt::format("    {{fields, {}, {}}},", ExchangeText(exchange), uses));
    }
    members_.Line("}};");
    return name;
  }

  std::string TurnName(graph::ParameterId turn, std::size_t number) const {
    return turn.Valid() ? names_.parameters[turn.index] : fmt::format("turn{}", number);
  }

  void WriteChunks(const ChunksStep& chunks, CodeWriter& body) {
    ++loops_;
    const bool exchanges = std::any_of(chunks.before.begin(), chunks.before.end(),
                                       [](const Exchange& exchange) { return !exchange.empty(); });
    const std::string all = fmt::format("all{}", loops_);
    const std::string most = fmt::format("most{}", loops_);
    body.Line("const long long {} = {};", all, Turns(chunks.turns));
    body.Line("const long long {} = stencilgen::ranks::EvenTurns({}, {});", most, all,
              chunks.together);
    const auto loop = body.Block("for (long long done = 0; done < {}; done += {})", all, most);
    body.Line("const long long turns = std::min({}, {} - done);", most, all);
    if (chunks.turn.Valid()) {
      body.Line("[[maybe_unused]] const long long {} = {} + done;",
                names_.parameters[chunks.turn.index], FirstTurn(chunks.turns));
    }
    if (!exchanges) return WriteCallOf(chunks.segment, "turns", "", body);
    std::string name = AddOverlap(chunks.before, chunks.segment);
    if (chunks.before.size() > 1) name += "[turns - 1]";
    WriteOverlapped(name, chunks.segment, "turns", body);
  }

  void WriteRepeat(const RepeatStep& repeat, CodeWriter& body) {
    const std::string turn = TurnName(repeat.turn, ++loops_);
    const std::string first = FirstTurn(repeat.turns);
    const auto loop =
        body.Block("for (long long {0} = {1}, end{2} = {3}; {0} < end{2}; ++{0})", turn, first,
                   loops_, first == "0" ? Turns(repeat.turns) : Form(repeat.turns.count));
    if (!repeat.stop) return WriteSteps(repeat.body, body);
    const std::string condition =
        fmt::format("stencilgen::mpi::Stops(fields, {})", FieldNumber(repeat.condition));
    const graph::LinearForm& every = repeat.stop->every;
    if (every == graph::LinearForm::Constant(1)) {
      WriteSteps(repeat.body, body);
      body.Line("if ({}) break;", condition);
      return;
    }
    const std::string outer = std::exchange(looks_, fmt::format("looks{}", loops_));
    WriteWrapped(body, fmt::format("const bool {} = ({} + 1) % std::max(1LL, 0LL + {}) == 0;",
                                   looks_, turn, Form(every)));
    WriteSteps(repeat.body, body);
    body.Line("if ({} && {}) break;", looks_, condition);
    looks_ = outer;
  }

  /// The exchange and the segment after it.
  void WriteOverlapped(const std::string& exchange, std::size_t segment, const std::string& turns,
                       CodeWriter& body) {
    const auto run = body.OpenBlock(
        fmt::format("{}([&]([[maybe_unused]] const stencilgen::mpi::View& view)", exchange), "});");
    WriteCallOf(segment, turns, "view.", body);
  }

  /// `from`: what has the arrays and the points, empty or `view.`.
  void WriteCallOf(std::size_t number, const std::string& turns, const std::string& from,
                   CodeWriter& body) {
    std::vector<std::string> arguments;
    for (const kernel::Array& array : lowered_.modules[number].arrays) {
      const ArrayId id = ArrayOf(array);
      if (array.IsScalar()) {
        arguments.push_back(names_.arrays[id.index]);
      } else if (array.copy_in || array.copy_out) {
        arguments.push_back(fmt::format("{}At<{}>({})", from, CppName(array), FieldNumber(id)));
      } else {
        arguments.emplace_back("nullptr");
      }
    }
    for (const SegmentParameter& parameter : program_.segments[number].parameters) {
      arguments.push_back(Argument(parameter, turns, from));
    }
    const bool cuda = lowered_.target == Target::Cuda;
    if (cuda) arguments.emplace_back("memory.stream()");
    const std::string function = fmt::format("{}_{}", names_.function, number + 1);
    const auto good = body.Block("if (Good())");
    WriteWrapped(body, fmt::format("Check({}{}({}), {}_error());", function, cuda ? "_device" : "",
                                   fmt::join(arguments, ", "), function));
  }

  std::string Argument(const SegmentParameter& parameter, const std::string& turns,
                       const std::string& from) const {
    using Kind = SegmentParameter::Kind;
    switch (parameter.kind) {
      case Kind::Size:
        return fmt::format("int({})", names_.parameters[parameter.parameter.index]);
      case Kind::Origin:
        return fmt::format("{}Origin({})", from, parameter.axis);
      case Kind::LocalSize:
        return fmt::format("{}Points({})", from, parameter.axis);
      case Kind::OwnFirst:
        return fmt::format("{}OwnFirst({}) + 1", from, parameter.axis);
      case Kind::OwnEnd:
        return fmt::format("{}OwnEnd({})", from, parameter.axis);
      case Kind::Turns:
        return fmt::format("int({})", turns);
      case Kind::Turn:
        return fmt::format("int({}) + 1", names_.parameters[parameter.parameter.index]);
    }
    return "";
  }

  const LoweredRanks& lowered_;
  const Distributed& program_;
  const graph::Graph& graph_;
  const RanksNames& names_;
  CodeWriter members_;
  std::size_t loops_ = 0, exchanges_ = 0;
  std::string looks_;  ///< whether the turn of the loop around looks at its condition
};

}  // namespace

RanksSteps PrintRanksSteps(const LoweredRanks& lowered, const RanksNames& names) {
  return StepsPrinter(lowered, names).Run();
}

}  // namespace stencilgen::driver
