#include "distribute/print.h"

#include "distribute/exchange_depth.h"
#include "graph/nodes.h"
#include "graph/print.h"
#include "graph/reduction.h"
#include "support/code_writer.h"
#include "support/match.h"

namespace stencilgen::distribute {

namespace {

class Printer {
 public:
  explicit Printer(const Distributed& program)
      : program_(program), names_(graph::ParameterNames(program.graph)) {}

  std::string Run(bool graphs) {
    for (std::size_t a = 0; a < program_.grid.axes.size(); ++a) {
      const GridAxis& axis = program_.grid.axes[a];
      writer_.Line("axis {}: {} points{}, ghosts {} and {}",
                   program_.graph.iterators[static_cast<std::size_t>(axis.iterator)],
                   graph::ToString(axis.extent, names_), axis.periodic ? " around" : "",
                   program_.ghosts[a].lo, program_.ghosts[a].hi);
    }
    PrintSteps(program_.steps, "");
    if (!graphs) return writer_.str();
    for (const Segment& segment : program_.segments) {
      writer_.Line();
      writer_.Text(graph::Print(segment.graph));
    }
    return writer_.str();
  }

 private:
  const std::string& Name(ArrayId array) const { return program_.graph.arrays[array].name; }

  std::string ExchangeText(const Exchange& exchange) const {
    std::string text;
    for (const FieldDepth& field : exchange) {
      const mpi::Depth depth = ExchangeDepth(program_, field);
      text += fmt::format(" {}{}", Name(field.array), DepthText(depth.lo, depth.hi));
      for (std::size_t n = 0; n < depth.corners.size(); ++n) {
        const mpi::Corner& corner = depth.corners[n];
        text += fmt::format("{}{}", n == 0 ? " corners" : " and", DepthText(corner.lo, corner.hi));
      }
      text += ",";
    }
    if (text.empty()) return " nothing";
    text.pop_back();
    return text;
  }

  template <typename Numbers>
  std::string DepthText(const Numbers& lo, const Numbers& hi) const {
    std::string text;
    for (std::size_t a = 0; a < program_.grid.axes.size(); ++a) {
      text += fmt::format(" {}:{}", lo[a], hi[a]);
    }
    return text;
  }

  void PrintSteps(const Steps& steps, const std::string& indent) {
    for (const Step& step : steps) {
      Match(
          step.what,
          [&](const ExchangeStep& exchange) {
            writer_.Line("{}exchange{}", indent, ExchangeText(exchange.exchange));
          },
          [&](const CallStep& call) { writer_.Line("{}run {}", indent, NameOf(call.segment)); },
          [&](const HandOnStep& hand_on) {
            for (const auto& [to, from] : hand_on.moves) {
              writer_.Line("{}{} takes what {} had", indent, Name(to), Name(from));
            }
          },
          [&](const ChunksStep& chunks) {
            writer_.Line("{}loop {}, at most {} turns together", indent,
                         graph::ToString(chunks.turns, names_), chunks.together);
            for (std::size_t n = 0; n < chunks.before.size(); ++n) {
              writer_.Line("{}  before {}: exchange{}", indent, n + 1,
                           ExchangeText(chunks.before[n]));
            }
            writer_.Line("{}  run {}", indent, NameOf(chunks.segment));
          },
          [&](const CollectStep& collect) {
            for (const ArrayId array : collect.arrays) {
              writer_.Line("{}complete {}", indent, Name(array));
            }
          },
          [&](const ReduceStep& reduce) {
            const graph::Operator& op = graph::OperatorOf(program_.graph, reduce.node);
            writer_.Line("{}{} = {} of {}", indent, Name(reduce.lanes),
                         graph::ToString(*op.reduction), Name(reduce.values));
          },
          [&](const LookStep& look) {
            writer_.Line("{}in turns that look", indent);
            PrintSteps(look.body, indent + "  ");
          },
          [&](const RepeatStep& repeat) {
            std::string stop;
            if (repeat.stop) {
              stop = fmt::format(" until {} every {}", Name(repeat.condition),
                                 graph::ToString(repeat.stop->every, names_));
            }
            writer_.Line("{}loop {}{}", indent, graph::ToString(repeat.turns, names_), stop);
            PrintSteps(repeat.body, indent + "  ");
          });
    }
  }
  std::string NameOf(std::size_t segment) const {
    return fmt::format("{}_{}", program_.graph.name, segment + 1);
  }

  const Distributed& program_;
  const std::vector<std::string> names_;
  CodeWriter writer_;
};

}  // namespace

std::string Print(const Distributed& program) {
  return Printer(program).Run(true);
}

std::string PrintSteps(const Distributed& program) {
  return Printer(program).Run(false);
}

}  // namespace stencilgen::distribute
