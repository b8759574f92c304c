#include "driver/tuning_key.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "driver/subprocess.h"
#include "driver/text_hash.h"
#include "graph/print.h"
#include "support/count_text.h"
#include "support/parallel.h"

namespace stencilgen::driver {

namespace {

std::string Trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  const std::size_t end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

}  // namespace

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = Trimmed(line.substr(0, colon));
    if (name == "model name" || name == "Hardware") return Trimmed(line.substr(colon + 1));
  }
  return "unknown CPU";
}

std::string SizesText(const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::string> texts;
  texts.reserve(sizes.size());
  for (const auto& [name, value] : sizes) texts.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ToString(const TuningKey& key) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", key.program, key.type, key.target, key.arch,
                     key.device, SizesText(key.sizes), ToString(key.given), key.compiler,
                     key.version);
}

ProgramIdentity IdentityOf(const graph::Program& program) {
  PipelineOptions options;
  options.verify = false;
  DiagnosticSink unheard;
  std::optional<graph::Graph> graph = CompileToGraph(program, options, unheard);
  ProgramIdentity identity;
  if (!graph) return identity;
  for (graph::Parameter& parameter : graph->parameters) {
    if (parameter.default_value) identity.defaults[parameter.name] = *parameter.default_value;
    parameter.default_value.reset();
  }
  std::set<std::string> extents;
  std::set<ScalarType> types;
  for (const graph::Array& array : graph->arrays) {
    if (array.rank() > 0) types.insert(array.type);
    for (const graph::LinearForm& extent : array.extents) {
      for (const auto& [id, factor] : extent.terms) extents.insert(graph->parameters[id].name);
    }
  }
  identity.hash = TextHash(graph::Print(*graph));
  identity.type = types.size() == 1 ? std::string(stencilgen::ToString(*types.begin())) : "mixed";
  identity.extents.assign(extents.begin(), extents.end());
  return identity;
}

std::string CpuName() {
  std::size_t threads = Cores();
  if (const char* given = std::getenv("OMP_NUM_THREADS"); given != nullptr) {
    const int wanted = std::atoi(given);
    if (wanted > 0) threads = static_cast<std::size_t>(wanted);
  }
  return fmt::format("{}, {}", CpuModel(), CountText(threads, "thread"));
}

std::string CompilerVersion(Target target) {
  const std::string compiler = FindCompiler(target == Target::Cuda ? Backend::Cuda : Backend::Cpp);
  if (compiler.empty()) return "";
  std::istringstream words(compiler);
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  command.emplace_back("--version");
  std::istringstream lines(RunProcess(command).output);
  std::string first;
  std::string line;
  while (std::getline(lines, line)) {
    if (first.empty()) first = Trimmed(line);
    if (target == Target::Cuda && line.find("release") != std::string::npos) return Trimmed(line);
  }
  return first;
}

}  // namespace stencilgen::driver
