#include "tools/tune/tune_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stencilgen::driver {

TuningEntry MakeEntry(const TuningKey& key, const std::string& name, const SearchResult& result) {
  TuningEntry entry;
  entry.key = key;
  entry.name = name;
  entry.default_ms = result.default_ms;
  entry.tuned_ms = result.default_ms;
  entry.pairs = static_cast<int>(result.decision.ratios.size());
  for (const Trial& trial : result.trials) entry.candidates += trial.measured() ? 1 : 0;
  if (result.fastest == 0) return entry;
  entry.options = result.trials[result.fastest].options;
  entry.tuned_ms = result.tuned_ms;
  entry.gain = result.decision.Median();
  return entry;
}

std::string WhyUndecided(const SearchResult& result) {
  if (result.too_long > 0) {
    return fmt::format("the budget is too small: one look at a set of options takes {:.0f}% of it",
                       100 * result.too_long);
  }
  if (!result.scattered) return "";
  return fmt::format(
      "times cannot be compared: the default took {:.4g} to {:.4g} ms, while other processes kept "
      "{:.1f} processors busy",
      result.least_ms, result.most_ms, result.others);
}

void CountTrials(const std::vector<Trial>& trials, TuneReport& report) {
  for (const Trial& trial : trials) {
    if (trial.failure.rfind("the same code as", 0) == 0) {
      ++report.same;
      continue;
    }
    ++report.tried;
    if (trial.failure.empty()) continue;
    ++report.failed;
    if (report.first_failure.empty()) {
      report.first_failure =
          fmt::format("{}: {}", ToString(trial.options), trial.failure.substr(0, 300));
    }
  }
}

std::string ReportText(const TuneReport& report) {
  const TuningEntry& entry = report.entry;
  std::string text =
      fmt::format("{}: tuned for {} on {}{}{}\n", entry.name, entry.key.target, entry.key.device,
                  entry.key.sizes.empty() ? "" : ", ", SizesText(entry.key.sizes));
  if (!report.measured_sizes.empty()) {
    text += fmt::format("  measured   with {}\n", report.measured_sizes);
  }
  text += fmt::format("  tried      {} sets of options in {:.3g} s", report.tried, report.seconds);
  if (report.failed > 0) text += fmt::format("; {} failed", report.failed);
  text += "\n";
  if (!report.first_failure.empty()) {
    text += fmt::format("  a failure  {}\n",
                        report.first_failure.substr(0, report.first_failure.find('\n')));
  }
  text += fmt::format("  default    {:.4g} ms\n", entry.default_ms);
  if (!report.undecided.empty()) {
    text += fmt::format("  undecided  {}; {} stays\n", report.undecided,
                        entry.options.empty() ? "the default" : ToString(entry.options));
  } else if (entry.options.empty()) {
    text += "  best       the default: nothing is faster beyond noise\n";
  } else {
    text += fmt::format("  best       {:.4g} ms, {:.3g} times as fast (median of {} pairs)\n",
                        entry.tuned_ms, entry.gain, entry.pairs);
    text += fmt::format("  options    {}\n", ToString(entry.options));
  }
  text += fmt::format("  kept in    {}\n", report.file.string());
  return text;
}

std::string ReportJson(const TuneReport& report) {
  nlohmann::ordered_json json = ToJson(report.entry);
  json["arguments"] = ArgumentsOf(report.entry.options);
  json["tried"] = report.tried;
  json["failed"] = report.failed;
  json["seconds"] = report.seconds;
  if (!report.undecided.empty()) json["undecided"] = report.undecided;
  json["database"] = report.file.string();
  return json.dump() + "\n";
}

}  // namespace stencilgen::driver
