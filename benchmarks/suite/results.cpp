#include "suite/results.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "driver/files.h"

namespace stencilgen::suite {
namespace {

/// What makes two results the same one.
Json KeyOf(const Json& result) {
  Json key = Json::array();
  for (const char* name : {"program", "type", "target", "sizes"}) {
    key.push_back(result.value(name, Json()));
  }
  return key;
}

}  // namespace

Json DescribeProgram(const Program& program, driver::Target target) {
  Json json;
  json["program"] = program.benchmark.name;
  json["suite"] = std::string(1, program.benchmark.suite);
  json["type"] = program.type();
  json["target"] = target == driver::Target::Cuda ? "cuda" : "cpp";
  json["sizes"] = program.sizes;
  json["iterates"] = program.iterates;
  json["points"] = program.Points();
  json["bytes"] = program.Bytes();
  json["flops"] = program.Flops();
  return json;
}

Json DescribeVersion(const Version& version, const std::string& check, const Samples& samples) {
  Json json;
  json["name"] = version.name;
  json["how"] = version.how;
  if (!version.same_as.empty()) {
    json["same_as"] = version.same_as;
    return json;
  }
  json["fused_steps"] = version.fused_steps;
  if (version.predicted > 0) json["predicted"] = version.predicted;
  json["build_seconds"] = version.build_seconds;
  json["correct"] = version.problem.empty() && check.empty();
  const std::string& problem = !version.problem.empty() ? version.problem
                               : !check.empty()         ? check
                                                        : samples.problem;
  if (!problem.empty()) json["problem"] = problem;
  if (samples.seconds.empty()) return json;
  json["steps"] = samples.steps;
  json["seconds"] = samples.seconds;
  std::vector<double> sorted = samples.seconds;
  std::sort(sorted.begin(), sorted.end());
  json["median"] = sorted[sorted.size() / 2];
  json["low"] = sorted.front();
  json["high"] = sorted.back();
  return json;
}

std::string ResultFile::Resume(const Json& revision) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return "";
  std::string error;
  const auto text = driver::ReadInput(path_, error);
  if (!text) return error;
  Json before = Json::parse(*text, nullptr, false);
  if (before.is_discarded() || !before.is_object() || before.value("schema", 0) != kSchema ||
      !before.value("results", Json()).is_array()) {
    return fmt::format("{} holds no results that could be gone on with", path_);
  }
  // Uncommitted changes do not count: the results may be a file of the repository.
  const auto commit = [](const Json& of) { return of.is_object() ? of.value("commit", "") : ""; };
  if (commit(before.value("revision", Json())) != commit(revision)) {
    return fmt::format("{} was measured at another revision; leave out --resume to begin anew",
                       path_);
  }
  document["results"] = before["results"];
  return "";
}

bool ResultFile::Has(const Json& program) const {
  const Json& results = document.at("results");
  return std::any_of(results.begin(), results.end(), [&](const Json& result) {
    return KeyOf(result) == KeyOf(program) && !result.contains("problem");
  });
}

void ResultFile::Add(Json result) {
  Json& results = document["results"];
  for (Json& old : results) {
    if (KeyOf(old) != KeyOf(result)) continue;
    old = std::move(result);
    return;
  }
  results.push_back(std::move(result));
}

std::string ResultFile::Write() const {
  const std::string text =
      fmt::format("{}\n", document.dump(1, ' ', false, Json::error_handler_t::replace));
  return driver::WriteOutputs({{path_, text}}).value_or("");
}

}  // namespace stencilgen::suite
