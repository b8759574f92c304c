#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "driver/text_hash.h"
#include "graph/element_format.h"
#include "support/match.h"
#include "support/text_template.h"
#include "tools/run/verify_run.h"
#include "tools/tune/embedded_template.h"
#include "tools/tune/offline.h"

namespace stencilgen::driver {

namespace {

namespace fs = std::filesystem;

/// The sets that the model prices, in their order; none that takes much more than the least.
std::vector<std::pair<OptionSet, double>> Priced(const TunedProgram& program,
                                                 const std::vector<OptionSet>& sets, int jobs) {
  constexpr double kHopeless = 4;
  const std::vector<std::optional<double>> seconds = PredictAll(program, sets, jobs);
  std::vector<std::pair<OptionSet, double>> priced;
  double least = HUGE_VAL;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (!seconds[k] || !std::isfinite(*seconds[k])) continue;
    priced.emplace_back(sets[k], *seconds[k]);
    least = std::min(least, *seconds[k]);
  }
  std::erase_if(priced, [&](const auto& one) { return one.second > kHopeless * least; });
  return priced;
}

/// What measures in the folder: the same sources that are compiled here.
constexpr std::array kSources = {"tools/measure/elements.cpp",
                                 "tools/measure/elements.h",
                                 "tools/measure/gpu.cpp",
                                 "tools/measure/gpu.h",
                                 "tools/measure/json.cpp",
                                 "tools/measure/json.h",
                                 "tools/measure/other_load.cpp",
                                 "tools/measure/other_load.h",
                                 "tools/measure/process.cpp",
                                 "tools/measure/process.h",
                                 "tools/measure/visits.cpp",
                                 "tools/measure/visits.h",
                                 "tools/tune/offline/candidates.cpp",
                                 "tools/tune/offline/candidates.h",
                                 "tools/tune/offline/main.cpp",
                                 "tools/tune/offline/plan.cpp",
                                 "tools/tune/offline/plan.h"};

void SortByPrice(std::vector<std::pair<OptionSet, double>>& priced) {
  std::stable_sort(priced.begin(), priced.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
}

void AppendBytes(std::string& to, const graph::Values& values,
                 ElementFormat format = ElementFormat::Plain) {
  const std::size_t begin = to.size();
  to.resize(begin + graph::BytesOf(values, format));
  graph::StoreElements(values, format, to.data() + begin);
}

/// Inputs and expected results of the check.
std::string CheckData(const VisitInputs& inputs) {
  std::string data;
  for (const HostData& scalar : inputs.checked.scalars) AppendBytes(data, scalar.values);
  for (const HostData& array : inputs.checked.arrays) {
    AppendBytes(data, array.values, array.format);
  }
  const std::vector<std::string> outputs = OutputNames(*inputs.graph);
  for (const HostData& array : inputs.checked.arrays) {
    const auto at = std::find(outputs.begin(), outputs.end(), array.name);
    if (at == outputs.end()) continue;
    const auto k = static_cast<std::size_t>(at - outputs.begin());
    AppendBytes(data, inputs.reference.outputs[k], array.format);
    AppendBytes(data, graph::Values(inputs.reference.defined[k]));
  }
  return data;
}

/// How the driver of the folder calls the candidates.
std::string PlanText(const TunedProgram& program, std::size_t candidates) {
  const VisitInputs& inputs = program.inputs;
  std::string text = fmt::format("function {}\ncandidates {}\ncheck_parameters {}\nparameters {}\n",
                                 inputs.name, candidates, fmt::join(inputs.checked.parameters, " "),
                                 fmt::join(inputs.timed.parameters, " "));
  const ProgramIdentity identity = IdentityOf(*program.loaded->program);
  std::vector<std::size_t> steps;
  for (graph::ParameterId id : graph::SizesOf(program.graph)) {
    const std::string& name = program.graph.parameters[id].name;
    const auto& extents = identity.extents;
    if (std::find(extents.begin(), extents.end(), name) == extents.end()) steps.push_back(id.index);
  }
  text += fmt::format("steps {}\n", fmt::join(steps, " "));
  for (const HostData& scalar : inputs.checked.scalars) {
    text += fmt::format("scalar {}\n", stencilgen::ToString(scalar.type));
  }
  // The reference compared with itself says how exact results must be.
  const std::vector<Comparison> comparisons =
      CompareOutputs(program.graph, inputs.checked, inputs.reference.outputs, inputs.reference,
                     Executor::Cuda, inputs.fp);
  for (const HostData& array : inputs.checked.arrays) {
    const auto compared =
        std::find_if(comparisons.begin(), comparisons.end(),
                     [&](const Comparison& one) { return one.name == array.name; });
    const bool output = compared != comparisons.end();
    text += fmt::format("check_array {} {} {} {} {}\n", array.name, ElementName(array),
                        graph::SizeOf(array.values), output ? 1 : 0,
                        output ? compared->tolerance : 0.0);
  }
  for (const graph::Array& array : program.graph.arrays) {
    if (array.local || array.rank() == 0) continue;
    std::int64_t count = 1;
    for (const auto& extent : array.extents) {
      count *= graph::Evaluate(extent, inputs.timed.parameters);
    }
    text += fmt::format("array {} {} {} 0 0\n", array.name, ElementName(array), count);
  }
  return text;
}

}  // namespace

std::vector<OfflineCandidate> OfflineCandidates(const TunedProgram& program,
                                                const SearchSpace& space, int jobs) {
  constexpr std::size_t kFromStart = 32;
  constexpr std::size_t kCentres = 2;
  constexpr std::size_t kOfDimension = 2;
  std::vector<OptionSet> sets = {{}};
  auto start = Priced(program, space.start, jobs);
  for (std::size_t k = 0; k < std::min(kFromStart, start.size()); ++k) {
    sets.push_back(start[k].first);
  }
  SortByPrice(start);
  for (std::size_t k = 0; k < std::min(kCentres, start.size()); ++k) {
    for (const Dimension& dimension : space.dimensions) {
      auto around = Priced(program, Neighbours(start[k].first, {dimension}), jobs);
      SortByPrice(around);
      for (std::size_t n = 0; n < std::min(kOfDimension, around.size()); ++n) {
        sets.push_back(around[n].first);
      }
    }
  }
  std::vector<OfflineCandidate> candidates;
  std::set<std::string> known;
  for (const OptionSet& set : sets) {
    TunedCode code = CodeFor(program, set);
    if (!code.error.empty() || !known.insert(TextHash(code.text)).second) continue;
    candidates.push_back({set, std::move(code.text)});
  }
  return candidates;
}

std::vector<OutputFile> OfflineFolder(const fs::path& folder, const TunedProgram& program,
                                      const TuningKey& key,
                                      const std::vector<OfflineCandidate>& candidates) {
  nlohmann::ordered_json json;
  json["stencilgen_pack"] = 1;
  json["name"] = program.inputs.name;
  json["key"] = ToJson(key);
  json["candidates"] = nlohmann::ordered_json::array();
  std::vector<OutputFile> files;
  const auto add = [&](const std::string& name, std::string text) {
    files.push_back({(folder / name).string(), std::move(text)});
  };
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    json["candidates"].push_back(candidates[k].options);
    add(fmt::format("src/candidate_{:03}.cu", k),
        fmt::format("// Candidate {}: {}\n{}", k,
                    candidates[k].options.empty() ? "the default" : ToString(candidates[k].options),
                    candidates[k].text));
  }
  add("pack.json", json.dump(1) + "\n");
  add("plan.txt", PlanText(program, candidates.size()));
  add("check.bin", CheckData(program.inputs));
  for (const char* part : kSources) add(part, std::string(EmbeddedTemplate(part)));
  add("Makefile",
      FillTemplate(EmbeddedTemplate("templates/Makefile.tmpl"),
                   {{"name", program.inputs.name},
                    {"arch", key.arch},
                    {"minutes", fmt::format("{}", program.options.tune.budget_minutes)},
                    {"read_back", fmt::format("stencilgen tune {} --offline-results results.json",
                                              fs::path(program.options.input).filename().string())},
                    {"flags", program.options.fp == FpMode::Strict ? " --fmad=false" : ""}}));
  return files;
}

}  // namespace stencilgen::driver
