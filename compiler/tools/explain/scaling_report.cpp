#include "tools/explain/scaling_report.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "distribute/distribute.h"
#include "distribute/scaling.h"
#include "driver/explain.h"
#include "driver/explain_nests.h"
#include "tools/explain/totals.h"

namespace stencilgen::driver {

namespace {

using distribute::Distributed;
using distribute::Prediction;
using Json = nlohmann::ordered_json;

/// One line of the report: the best number of turns for so many ranks.
struct Line {
  int ranks = 1;
  std::int64_t together = 1;
  Prediction prediction;
  double efficiency = 0;
};

/// All that is said about the program on ranks.
struct Scaling {
  std::string program, machine, sizes;
  ScalingOptions options;
  std::int64_t turns = 1;
  double one = 0;  ///< seconds of a run on one machine
  std::vector<Line> lines;
};

std::string_view KindOf(const Scaling& scaling) {
  return scaling.options.weak ? "weak" : "strong";
}

/// Which part of the messages' time computing hides; `-` without messages.
std::string HiddenText(const Prediction& predicted) {
  if (predicted.exchange == 0) return "-";
  return fmt::format("{:.0f}%", 100 * predicted.hidden / predicted.exchange);
}

std::string LineText(const Scaling& scaling, const Line& line) {
  const Prediction& predicted = line.prediction;
  if (predicted.shape.empty()) {
    return fmt::format("{:>7}  too many for these sizes\n", line.ranks);
  }
  const auto turns = static_cast<double>(scaling.turns);
  return fmt::format(
      "{:>7}  {:<12}  {:>5}  {:>10}  {:>8.3g}  {:>9.4g}  {:>6.0f}%  {:>6}  {:>9.0f}%\n", line.ranks,
      fmt::format("{}", fmt::join(predicted.shape, " x ")), line.together,
      TimeText(predicted.seconds / turns), static_cast<double>(predicted.most.messages) / turns,
      static_cast<double>(predicted.most.bytes) / turns,
      100 * predicted.waited() / predicted.seconds, HiddenText(predicted), 100 * line.efficiency);
}

std::string Text(const Scaling& scaling) {
  std::string text = fmt::format(
      "{} on many machines: {} scaling, each rank on {} with {}\n"
      "  network: {} and {:.4g} GB/s\n"
      "  one machine takes {}, {} a turn, of which there are {}\n",
      scaling.program, KindOf(scaling), scaling.machine,
      scaling.options.weak ? scaling.sizes + " of its own" : scaling.sizes,
      TimeText(scaling.options.latency), scaling.options.bytes_per_second * 1e-9,
      TimeText(scaling.one), TimeText(scaling.one / static_cast<double>(scaling.turns)),
      scaling.turns);
  text +=
      "  ranks  grid          turns  time a turn  messages  bytes/turn    waits  hidden  "
      "efficiency\n";
  for (const Line& line : scaling.lines) text += LineText(scaling, line);
  text +=
      "turns: between two exchanges, as `run` chooses them; messages and bytes: what a rank sends\n"
      "in a turn, at most; waits: part of the time that a rank does not compute its points;\n"
      "hidden: part of the messages' time in which it computes\n"
      "messages are sent from the memory of the CPU\n";
  return text;
}

std::string JsonText(const Scaling& scaling) {
  Json json = {{"program", scaling.program},
               {"scaling", KindOf(scaling)},
               {"machine", scaling.machine},
               {"network",
                {{"latency", scaling.options.latency},
                 {"bytes_per_second", scaling.options.bytes_per_second}}},
               {"turns", scaling.turns},
               {"one_machine_seconds", scaling.one},
               {"ranks", Json::array()}};
  for (const Line& line : scaling.lines) {
    const Prediction& predicted = line.prediction;
    if (predicted.shape.empty()) {
      json["ranks"].push_back({{"ranks", line.ranks}, {"grid", nullptr}});
      continue;
    }
    json["ranks"].push_back(
        {{"ranks", line.ranks},
         {"grid", predicted.shape},
         {"steps", line.together},
         {"seconds", predicted.seconds},
         {"seconds_a_turn", predicted.seconds / static_cast<double>(scaling.turns)},
         {"compute_seconds", predicted.compute},
         {"exchange_seconds", predicted.exchange},
         {"hidden_seconds", predicted.hidden},
         {"collective_seconds", predicted.collective},
         {"waited_seconds", predicted.waited()},
         {"exchanges", predicted.most.exchanges},
         {"messages", predicted.most.messages},
         {"bytes", predicted.most.bytes},
         {"all_messages", predicted.all_messages},
         {"all_bytes", predicted.all_bytes},
         {"efficiency", line.efficiency}});
  }
  return fmt::format("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::optional<std::string> ScalingText(const graph::Graph& graph, const ChosenPlan& chosen,
                                       const Options& options, DiagnosticSink& sink) {
  const auto any = distribute::Distribute(graph, {1}, sink);
  if (!any) return std::nullopt;
  Scaling scaling;
  scaling.program = graph.name;
  scaling.machine = ExplainedCpu(options).model;
  scaling.sizes = SizesText(chosen);
  scaling.options = options.scaling;
  scaling.turns = distribute::TurnsOf(*any, chosen.sizes);
  scaling.one = SecondsOnCpu(chosen);
  const distribute::Network network{options.scaling.latency, options.scaling.bytes_per_second};
  for (const int ranks : options.scaling.ranks) {
    Line best;
    best.ranks = ranks;
    const distribute::RanksSetting setting{chosen.sizes, ranks, {}, options.scaling.weak, network};
    const auto program = distribute::Distribute(graph, {options.mpi_steps, setting}, sink);
    if (!program) return std::nullopt;
    best.together = program->together;
    best.prediction = distribute::Predict(*program, setting, scaling.one);
    const double machines = options.scaling.weak ? 1 : ranks;
    if (best.prediction.seconds > 0) {
      best.efficiency = scaling.one / machines / best.prediction.seconds;
    }
    scaling.lines.push_back(std::move(best));
  }
  return options.run.json ? JsonText(scaling) : Text(scaling);
}

}  // namespace stencilgen::driver
