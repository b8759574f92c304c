#include "driver/explain_ranks.h"

#include <cstddef>
#include <variant>

#include <fmt/format.h>

#include "distribute/print.h"
#include "support/match.h"

namespace stencilgen::driver {

namespace {

using namespace distribute;

struct Counted {
  int hidden = 0;  ///< exchanges with a segment right behind them
  int waited = 0;  ///< others
};

void Count(const Steps& steps, Counted& counted) {
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const bool called = n + 1 < steps.size() && std::holds_alternative<CallStep>(steps[n + 1].what);
    Match(
        steps[n].what, [&](const ExchangeStep&) { ++(called ? counted.hidden : counted.waited); },
        [&](const ChunksStep& chunks) {
          if (!chunks.before.empty() && !chunks.before.back().empty()) ++counted.hidden;
        },
        [&](const LookStep& look) { Count(look.body, counted); },
        [&](const RepeatStep& repeat) { Count(repeat.body, counted); }, [](const auto&) {});
  }
}

}  // namespace

std::string ExplainRanks(const LoweredRanks& lowered) {
  const Distributed& program = lowered.program;
  std::string text = fmt::format("{} on ranks of MPI\n", lowered.codegen.function);
  const std::string steps = PrintSteps(program);
  for (std::size_t at = 0; at < steps.size();) {
    const std::size_t end = steps.find('\n', at);
    text += fmt::format("  {}\n", steps.substr(at, end - at));
    at = end + 1;
  }
  Counted counted;
  Count(program.steps, counted);
  text += fmt::format(
      "  overlap    {} of {} exchanges can be hidden: ranks run the segment behind them meanwhile, "
      "where that takes less than waiting\n",
      counted.hidden, counted.hidden + counted.waited);
  text += lowered.target == Target::Cuda
              ? "  messages   from the GPU's memory where MPI says that it sends from there, else "
                "from pinned memory of the CPU; ranks ask it at the start, and "
                "STENCILGEN_MPI_CUDA=direct or staged decides it\n"
              : "  messages   from the memory of the CPU\n";
  return text;
}

}  // namespace stencilgen::driver
