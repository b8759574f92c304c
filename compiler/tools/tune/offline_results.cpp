#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/tune/offline.h"

namespace stencilgen::driver {

namespace {

using Json = nlohmann::ordered_json;

/// What makes a result one of another program, or of other options.
std::string WhyAnother(const TuningKey& theirs, const TuningKey& ours) {
  if (theirs.program != ours.program) return "it is of another program";
  if (theirs.version != ours.version) {
    return fmt::format("it is of version {}, this is {}", theirs.version, ours.version);
  }
  return "";
}

SearchResult ToResult(const Json& json, const Json& pack) {
  SearchResult result;
  result.ended = true;
  for (std::size_t k = 0; k < pack.at("candidates").size(); ++k) {
    Trial trial;
    trial.options = pack.at("candidates").at(k).get<OptionSet>();
    const Json& measured = json.at("candidates").at(k);
    if (measured.contains("ms")) trial.milliseconds = {measured.at("ms").get<double>()};
    if (measured.contains("failure")) trial.failure = measured.at("failure").get<std::string>();
    result.trials.push_back(std::move(trial));
  }
  std::vector<double> defaults;
  std::vector<double> tuned;
  std::vector<double> others;
  for (const Json& pair : json.at("pairs")) {
    defaults.push_back(pair.at(0).get<double>());
    tuned.push_back(pair.at(1).get<double>());
    if (pair.size() > 2) others.push_back(pair.at(2).get<double>());
    if (!(defaults.back() > 0) || !(tuned.back() > 0)) throw std::out_of_range("a time");
    result.decision.ratios.push_back(defaults.back() / tuned.back());
  }
  const auto best = json.at("best").get<std::size_t>();
  if (best >= result.trials.size()) throw std::out_of_range("the best");
  result.default_ms = result.tuned_ms =
      result.trials.at(0).measured() ? result.trials[0].Fastest() : 0;
  if (best == 0 || defaults.empty()) return result;
  result.default_ms = MedianOf(defaults);
  result.tuned_ms = MedianOf(tuned);
  const bool sane =
      result.trials.at(best).failure.empty() && std::isfinite(result.decision.Median());
  if (sane && result.decision.SecondIsFaster()) {
    result.fastest = best;
  } else {
    result.scattered = result.decision.Scatter();
  }
  if (!others.empty()) result.others = MedianOf(others);
  result.least_ms = *std::min_element(defaults.begin(), defaults.end());
  result.most_ms = *std::max_element(defaults.begin(), defaults.end());
  return result;
}

}  // namespace

std::variant<TuneReport, std::string> ReadOfflineResults(const std::string& file,
                                                         const std::string& text,
                                                         const TunedProgram& program,
                                                         const TuningKey& key) {
  auto parsed = ParseJson(file, text);
  if (const auto* error = std::get_if<std::string>(&parsed)) return *error;
  const Json& json = std::get<Json>(parsed);
  try {
    const Json& pack = json.at("pack");
    if (pack.at("stencilgen_pack").get<int>() != 1) {
      return fmt::format("{}: it is of another version of stencilgen", file);
    }
    auto read = KeyFromJson(pack.at("key"));
    if (const auto* error = std::get_if<std::string>(&read)) {
      return fmt::format("{}: its key: {}", file, *error);
    }
    TuningKey measured = std::get<TuningKey>(std::move(read));
    if (const std::string why = WhyAnother(measured, key); !why.empty()) {
      return fmt::format("{}: {}", file, why);
    }
    measured.device = json.at("device").get<std::string>();
    measured.compiler = json.at("compiler").get<std::string>();
    const SearchResult result = ToResult(json, pack);
    if (!result.trials.at(0).failure.empty()) {
      return fmt::format("{}: the default options did not work there: {}", file,
                         result.trials[0].failure);
    }
    if (!result.trials[0].measured()) return fmt::format("{}: nothing was measured", file);
    for (const Trial& trial : result.trials) {
      const auto options =
          WithOptions(program.options, trial.options, program.loaded->program->interface);
      if (const auto* error = std::get_if<UsageError>(&options)) {
        return fmt::format("{}: {}", file, error->message);
      }
    }
    TuneReport report;
    report.entry = MakeEntry(measured, pack.at("name").get<std::string>(), result);
    report.undecided = WhyUndecided(result);
    report.seconds = json.at("seconds").get<double>();
    CountTrials(result.trials, report);
    std::map<std::string, std::int64_t> sizes;
    const std::vector<std::string> names = graph::ParameterNames(program.graph);
    for (std::size_t k = 0; k < names.size(); ++k) {
      sizes[names[k]] = json.at("measured").at(k).get<std::int64_t>();
    }
    if (sizes != measured.sizes) report.measured_sizes = SizesText(sizes);
    return report;
  } catch (const Json::exception&) {
    return fmt::format("{}: it is no result of a folder that --offline has written", file);
  } catch (const std::out_of_range&) {
    return fmt::format("{}: it is no result of a folder that --offline has written", file);
  }
}

}  // namespace stencilgen::driver
