#include "tools/run/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "graph/interpret.h"
#include "graph/turns.h"
#include "tools/run/npy.h"

namespace stencilgen::driver {

namespace {

using Json = nlohmann::ordered_json;

/// Smallest, largest and mean of the finite elements.
struct Statistics {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  std::size_t count = 0;
};

Statistics StatisticsOf(const graph::Values& values) {
  Statistics statistics;
  for (std::size_t i = 0; i < graph::SizeOf(values); ++i) {
    const double value = graph::ElementAsDouble(values, i);
    if (!std::isfinite(value)) continue;
    statistics.lowest = std::min(statistics.lowest, value);
    statistics.highest = std::max(statistics.highest, value);
    statistics.sum += value;
    ++statistics.count;
  }
  return statistics;
}

double PerSecond(double amount, double milliseconds) {
  return milliseconds > 0 ? amount / milliseconds * 1e-6 : 0;
}

/// Infinity and NaN have no JSON number.
Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// One line. File names and compiler messages may hold any bytes.
std::string Dump(const Json& json) {
  return fmt::format("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string ParametersText(const RunReport& report) {
  std::string text;
  for (const graph::ParameterId id : graph::SizesOf(*report.graph)) {
    text += fmt::format(", {} = {}", report.graph->parameters[id].name,
                        report.inputs->parameters[id.index]);
  }
  return text;
}

std::string_view ExecutorText(Executor executor) {
  switch (executor) {
    case Executor::Interpreter:
      return "interpreter (no C++ compiler found)";
    case Executor::Cpp:
      return "cpp";
    case Executor::CudaEmulated:
      return "cuda, on the emulator";
    case Executor::Cuda:
      return "cuda";
  }
  return "?";
}

/// What the values of the reference say about a comparison with it.
std::string ReferenceText(const Comparison& comparison) {
  if (comparison.not_finite > 0) {
    return fmt::format(
        "    the reference itself is not finite at {} of {} elements: --in and --scalar give other "
        "inputs\n",
        comparison.not_finite, comparison.elements);
  }
  // Values that grow so far have multiplied whatever the last bits of early ones were.
  constexpr double kGrown = 1e30;
  if (comparison.passed || comparison.largest < kGrown) return "";
  return fmt::format(
      "    values of the reference grow to {:.2g}, and what rounding changes grows with them: "
      "--fp strict compares bits, --in and --scalar give other inputs\n",
      comparison.largest);
}

std::string ComparisonText(const Comparison& comparison) {
  if (comparison.equal) {
    return fmt::format("  {}: equal to the reference ({} elements)\n{}", comparison.name,
                       comparison.elements, ReferenceText(comparison));
  }
  const std::string bound = comparison.tolerance > 0
                                ? fmt::format("tolerance {:.0e}", comparison.tolerance)
                                : std::string("must be equal");
  std::string text =
      fmt::format("  {}: {} the reference: relative RMS {:.2e} ({})\n", comparison.name,
                  comparison.passed ? "agrees with" : "differs from", comparison.rel_rms, bound);
  if (!comparison.passed && !comparison.worst.empty()) {
    text += fmt::format("    worst at {}: {:.17g}, and the reference has {:.17g}\n",
                        ElementText(comparison.name, comparison.worst), comparison.worst_value,
                        comparison.worst_reference);
  }
  return text + ReferenceText(comparison);
}

std::string CountersText(const Counters& counters) {
  return fmt::format(
      "  counted    {} launches, {} bytes loaded, {} bytes stored, {} shared loads, {} barriers, "
      "{} flops\n",
      counters.launches, counters.global_load_bytes, counters.global_store_bytes,
      counters.shared_loads, counters.barriers, counters.flops);
}

/// How near a run is to it, where it ran on the device.
double Fraction(const RunReport& report) {
  return 1e3 * report.execution->roofline->seconds() / report.execution->MedianMilliseconds();
}

std::string RooflineText(const RunReport& report) {
  const Roofline& roofline = *report.execution->roofline;
  const double milliseconds = 1e3 * roofline.seconds();
  const std::string reached =
      report.executor == Executor::Cuda
          ? fmt::format("; this run reaches {:.0f}%", 100 * Fraction(report))
          : std::string();
  return fmt::format("  roofline   {:.4g} GPts/s, {:.4g} GB/s: {} of {}{}\n",
                     PerSecond(report.work.points, milliseconds),
                     PerSecond(roofline.bytes, milliseconds), roofline.limit(), roofline.device,
                     reached);
}

Json RooflineJson(const RunReport& report) {
  if (!report.execution->roofline) return nullptr;
  const Roofline& roofline = *report.execution->roofline;
  Json json = {{"device", roofline.device},
               {"time_ms", 1e3 * roofline.seconds()},
               {"limit", roofline.limit()},
               {"bytes", roofline.bytes},
               {"flops", roofline.flops}};
  json["fraction"] = report.executor == Executor::Cuda ? Json(Fraction(report)) : Json(nullptr);
  return json;
}

Json ArrayJson(const RunReport& report, std::size_t output) {
  const graph::Array& array = report.graph->arrays[report.graph->outputs[output].array];
  const Statistics statistics = StatisticsOf(report.execution->outputs[output]);
  Json json;
  json["type"] = std::string(ElementName(array));
  json["shape"] = report.inputs->Array(array.name).shape;
  json["min"] = Number(statistics.lowest);
  json["max"] = Number(statistics.highest);
  json["mean"] = statistics.count > 0
                     ? Number(statistics.sum / static_cast<double>(statistics.count))
                     : Json(nullptr);
  if (report.comparisons) {
    const Comparison& comparison = (*report.comparisons)[output];
    json["verified"] = comparison.passed;
    if (!report.type_errors.empty()) {
      json["precision_rel_rms"] = Number(report.type_errors[output].rel_rms);
    }
    json["equal"] = comparison.equal;
    json["compared"] = comparison.elements;
    json["reference_not_finite"] = comparison.not_finite;
    json["rel_rms"] = Number(comparison.rel_rms);
    json["max_abs_error"] = Number(comparison.max_abs_error);
    if (!comparison.worst.empty()) json["worst"] = comparison.worst;
  }
  return json;
}

/// The most of any rank, by what is counted, but of `hidden` the least.
ExchangeCounts MostOf(const std::vector<ExchangeCounts>& ranks) {
  ExchangeCounts most;
  for (const ExchangeCounts& counts : ranks) {
    most.exchanges = std::max(most.exchanges, counts.exchanges);
    most.messages = std::max(most.messages, counts.messages);
    most.bytes = std::max(most.bytes, counts.bytes);
    most.waited_us = std::max(most.waited_us, counts.waited_us);
    most.overlapped = std::max(most.overlapped, counts.overlapped);
    if (counts.hidden < 0) continue;
    most.hidden = most.hidden < 0 ? counts.hidden : std::min(most.hidden, counts.hidden);
  }
  return most;
}

/// Which part of messages' time computing hides.
Json HiddenJson(long long thousandths) {
  return thousandths < 0 ? Json(nullptr) : Json(1e-3 * static_cast<double>(thousandths));
}

/// `milliseconds`: of a run.
std::string RanksText(const RanksRun& ranks, double milliseconds) {
  std::vector<ExchangeCounts> all;
  for (std::size_t rank = 0; rank < ranks.totals.size(); ++rank)
    all.push_back(ranks.CountsOf(rank));
  const ExchangeCounts most = MostOf(all);
  std::string text = fmt::format(
      "  ranks      {} along {}, {} of a loop between exchanges\n"
      "  exchanged  {} times; a rank sent at most {} messages, {} bytes, and waited {:.4g} ms\n"
      "  overlap    ranks computed during at most {} exchanges\n"
      "  messages   {}\n",
      fmt::join(ranks.grid, " x "), fmt::join(ranks.iterators, ", "),
      ranks.together == 1 ? "1 turn" : fmt::format("{} turns", ranks.together), most.exchanges,
      most.messages, most.bytes, static_cast<double>(most.waited_us) * 1e-3, most.overlapped,
      ranks.path);
  for (const RanksExchange& exchange : ranks.exchanges) {
    const ExchangeCounts one = MostOf(exchange.ranks);
    if (one.exchanges == 0) continue;
    text += fmt::format(
        "  exchange   {}: {} times; a rank sent at most {} messages, {} bytes, and waited {:.4g} "
        "ms",
        exchange.what, one.exchanges, one.messages, one.bytes,
        static_cast<double>(one.waited_us) * 1e-3);
    if (one.hidden >= 0) {
      text += fmt::format("; at least {:.0f}% of their time hidden",
                          0.1 * static_cast<double>(one.hidden));
    }
    text += "\n";
  }
  // Of more ranks --json has it.
  constexpr std::size_t kMostLines = 16;
  for (std::size_t rank = 0; rank < all.size() && rank < kMostLines; ++rank) {
    const ExchangeCounts& count = all[rank];
    // Counted in the last run, and times are the median's.
    const double waited = std::min(static_cast<double>(count.waited_us) * 1e-3, milliseconds);
    text += fmt::format(
        "  rank {:<5} waited {:.4g} of {:.4g} ms, computed during {} of {} exchanges, sent {} "
        "messages, {} bytes\n",
        rank, waited, milliseconds, count.overlapped, count.exchanges, count.messages, count.bytes);
  }
  return text;
}

/// `times`: the name of how often.
Json CountsJson(const ExchangeCounts& count, const char* times) {
  return {{times, count.exchanges},         {"messages", count.messages},
          {"bytes", count.bytes},           {"waited_us", count.waited_us},
          {"overlapped", count.overlapped}, {"hidden", HiddenJson(count.hidden)}};
}

Json RanksJson(const std::optional<RanksRun>& ranks) {
  if (!ranks) return nullptr;
  Json json;
  json["iterators"] = ranks->iterators;
  json["grid"] = ranks->grid;
  json["steps"] = ranks->together;
  json["message_path"] = ranks->path;
  for (std::size_t rank = 0; rank < ranks->totals.size(); ++rank) {
    json["counts"].push_back(CountsJson(ranks->CountsOf(rank), "exchanges"));
  }
  json["by_exchange"] = Json::array();
  for (const RanksExchange& exchange : ranks->exchanges) {
    Json by_rank = Json::array();
    for (const ExchangeCounts& count : exchange.ranks)
      by_rank.push_back(CountsJson(count, "times"));
    json["by_exchange"].push_back({{"arrays", exchange.what}, {"counts", by_rank}});
  }
  return json;
}

Json CountersJson(const std::optional<Counters>& counters) {
  if (!counters) return nullptr;
  return {{"global_load_bytes", counters->global_load_bytes},
          {"global_store_bytes", counters->global_store_bytes},
          {"global_load_sectors", counters->global_load_sectors},
          {"global_store_sectors", counters->global_store_sectors},
          {"shared_loads", counters->shared_loads},
          {"shared_stores", counters->shared_stores},
          {"barriers", counters->barriers},
          {"flops", counters->flops},
          {"launches", counters->launches}};
}

}  // namespace

bool RunReport::Passed() const {
  return !comparisons || std::all_of(comparisons->begin(), comparisons->end(),
                                     [](const Comparison& one) { return one.passed; });
}

std::string RunReport::Summary() const {
  for (const Comparison& one : *comparisons) {
    if (one.passed) continue;
    return fmt::format("`{}` differs from the reference by {:.2e} (relative RMS), most at `{}`",
                       one.name, one.rel_rms, ElementText(one.name, one.worst));
  }
  return "";
}

std::string ReportText(const RunReport& report) {
  const double milliseconds = report.execution->MedianMilliseconds();
  const std::size_t calls = report.execution->milliseconds.size();
  std::string text =
      fmt::format("{}: target {}, fp {}{}\n", report.program, ExecutorText(report.executor),
                  report.fp == FpMode::Fast ? "fast" : "strict", ParametersText(report));
  text += fmt::format("  time       {:.4g} ms{}\n", milliseconds,
                      calls > 1 ? fmt::format(" (median of {})", calls) : "");
  text += fmt::format("  speed      {:.4g} GPts/s, {:.4g} GB/s effective, {:.4g} GFLOP/s\n",
                      PerSecond(report.work.points, milliseconds),
                      PerSecond(report.work.bytes, milliseconds),
                      PerSecond(report.work.flops, milliseconds));
  if (report.ranks) text += RanksText(*report.ranks, report.execution->MedianMilliseconds());
  if (report.execution->roofline) text += RooflineText(report);
  if (graph::MayEndEarly(*report.graph)) {
    text += "  counted    with all turns of loops that a condition may have ended before\n";
  }
  if (report.execution->counters) text += CountersText(*report.execution->counters);
  if (report.comparisons) {
    text += report.Passed() ? "  verified\n" : "  VERIFICATION FAILED\n";
    for (const Comparison& comparison : *report.comparisons) text += ComparisonText(comparison);
  }
  for (const TypeError& error : report.type_errors) {
    text += fmt::format(
        "  precision  {} differs from the program's own types by {:.2g} (relative "
        "RMS), by {:.2g} at most\n",
        error.name, error.rel_rms, error.max_abs_error);
  }
  for (const std::string& file : report.written) text += fmt::format("  wrote      {}\n", file);
  return text;
}

std::string ReportJson(const RunReport& report) {
  const double milliseconds = report.execution->MedianMilliseconds();
  Json json;
  json["program"] = report.program;
  json["target"] = std::string(ToString(report.executor));
  json["fp"] = report.fp == FpMode::Fast ? "fast" : "strict";
  json["parameters"] = Json::object();
  for (const graph::ParameterId id : graph::SizesOf(*report.graph)) {
    json["parameters"][report.graph->parameters[id].name] = report.inputs->parameters[id.index];
  }
  json["verified"] = report.comparisons ? Json(report.Passed()) : Json(nullptr);
  double largest = 0;
  if (report.comparisons) {
    for (const Comparison& one : *report.comparisons) largest = std::max(largest, one.rel_rms);
  }
  json["max_rel_rms"] = report.comparisons ? Number(largest) : Json(nullptr);
  json["time_ms"] = milliseconds;
  json["times_ms"] = report.execution->milliseconds;
  json["gpts"] = PerSecond(report.work.points, milliseconds);
  json["gbps"] = PerSecond(report.work.bytes, milliseconds);
  json["gflops"] = PerSecond(report.work.flops, milliseconds);
  json["roofline"] = RooflineJson(report);
  json["arrays"] = Json::object();
  for (std::size_t i = 0; i < report.graph->outputs.size(); ++i) {
    json["arrays"][report.graph->arrays[report.graph->outputs[i].array].name] =
        ArrayJson(report, i);
  }
  json["counters"] = CountersJson(report.execution->counters);
  if (report.ranks) json["ranks"] = RanksJson(report.ranks);
  json["written"] = report.written;
  return Dump(json);
}

std::string ErrorJson(const std::string& message) {
  return Dump({{"error", message}});
}

}  // namespace stencilgen::driver
