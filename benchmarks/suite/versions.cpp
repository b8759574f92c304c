#include "suite/versions.h"

#include <cfenv>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/plain_code.h"
#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "frontend/read_program.h"
#include "suite/tuned.h"
#include "tools/tune/search_space.h"

namespace stencilgen::suite {
namespace {

using driver::Target;

/// What the command line makes of the program.
struct Parsed {
  SourceFile source;
  driver::PipelineOptions options;
  std::optional<graph::Graph> graph;
  std::string problem;
};

Parsed ParseWith(const Program& program, Target target, const std::vector<std::string>& options) {
  const std::string file = fmt::format("{}.idsl", program.benchmark.name);
  Parsed parsed{SourceFile(file, program.text), {}, {}, ""};
  DiagnosticSink sink;
  const auto read = ReadProgram(parsed.source, sink);
  if (!read) {
    parsed.problem = RenderText(parsed.source, sink.diagnostics(), 0, false);
    return parsed;
  }
  std::vector<std::string> arguments = {file, "--target", target == Target::Cuda ? "cuda" : "cpp"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto command_line = driver::ParseCommandLine(arguments);
  if (const auto* error = std::get_if<driver::UsageError>(&command_line)) {
    parsed.problem = error->message;
    return parsed;
  }
  const auto& checked = std::get<driver::Options>(command_line);
  if (const auto error = driver::CheckAgainstProgram(checked, read->interface)) {
    parsed.problem = error->message;
    return parsed;
  }
  parsed.options = driver::MakePipelineOptions(checked, read->interface);
  parsed.graph = driver::CompileToGraph(*read, parsed.options, sink);
  if (!parsed.graph) parsed.problem = RenderText(parsed.source, sink.diagnostics(), 0, false);
  return parsed;
}

}  // namespace

double RunVersion(const Version& version, const CallArguments& arguments, int calls, bool cuda,
                  std::string& error) {
  if (version.elsewhere) return version.elsewhere(arguments, calls, error);
  const auto& [arrays, scalars, parameters] = arguments;
  if (cuda) {
    double seconds = 0;
    const std::vector<double> milliseconds =
        version.library->Time(version.function, arrays, scalars, parameters, 1, calls);
    for (const double one : milliseconds) seconds += one / 1000;
    if (milliseconds.empty()) error = version.library->Error(version.function);
    return milliseconds.empty() ? -1 : seconds;
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) {
    const int status = version.library->Call(version.function, arrays, scalars, parameters);
    if (status != 0) {
      error = fmt::format("status {}: {}", status, version.library->Error(version.function));
      return -1;
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Version MakeOurs(const Program& program, Target target, const std::string& name,
                 const std::vector<std::string>& options, bool standalone) {
  Version version;
  version.name = name;
  version.how = fmt::format("{}", fmt::join(options, " "));
  Parsed parsed = ParseWith(program, target, options);
  if (!parsed.graph) {
    version.problem = parsed.problem;
    return version;
  }
  parsed.options.codegen.standalone = standalone;
  version.function = fmt::format("{}_{}_{}", program.benchmark.Identifier(), program.type(), name);
  parsed.options.codegen.function = version.function;
  parsed.options.program_name = version.function;
  driver::ChosenPlan chosen = driver::CompileToChosenPlan(*std::move(parsed.graph), parsed.options);
  version.fused_steps = chosen.chosen.time_tile;
  if (target == Target::Cuda) {
    const plan::PlanCost cost = plan::EstimateCost(
        chosen.plan, parsed.options.device.value_or(machine::DefaultGpu()), chosen.sizes);
    const auto steps = program.benchmark.full.find("T");
    version.predicted =
        cost.seconds /
        static_cast<double>(steps == program.benchmark.full.end() ? 1 : steps->second);
    version.how = driver::ToString(chosen.chosen, chosen.plan.graph);
  }
  const driver::Compiled compiled =
      driver::EmitCode(std::move(chosen.plan), parsed.source, parsed.options);
  version.text = compiled.text + codegen::EmitTrampoline(compiled.module, parsed.options.codegen);
  return version;
}

std::optional<Version> MakeTuned(const Program& program, Target target, const std::string& arch,
                                 bool standalone) {
  const auto options = FindTunedOptions(program, target, arch);
  if (!options) return std::nullopt;
  Version version;
  if (options->empty()) {
    version.name = "tuned";
    version.same_as = "default";
    return version;
  }
  version = MakeOurs(program, target, "tuned", driver::ArgumentsOf(*options), standalone);
  version.how = driver::ToString(*options);
  return version;
}

std::string BodyOf(const Version& version) {
  std::string code =
      version.text.substr(std::min(version.text.find("#include"), version.text.size()));
  for (std::size_t at = 0; (at = code.find(version.function, at)) != std::string::npos;) {
    code.erase(at, version.function.size());
  }
  // Lines are broken at other places.
  code.erase(std::remove_if(code.begin(), code.end(), [](char c) { return c == ' ' || c == '\n'; }),
             code.end());
  return code;
}

Versions MakeVersions(const Program& program, Target target, const std::string& arch) {
  Versions versions;
  Parsed parsed = ParseWith(program, target, {});
  if (!parsed.graph) {
    versions.problem = parsed.problem;
    return versions;
  }
  versions.graph = *std::move(parsed.graph);

  Version plain;
  plain.name = "plain";
  plain.function = fmt::format("{}_{}_plain", program.benchmark.Identifier(), program.type());
  std::optional<std::string> text;
  if (target == Target::Cuda) {
    text = baseline::PlainCuda(versions.graph, plain.function, false, plain.problem);
    plain.how = "a kernel a statement, global memory";
  } else {
    text = baseline::PlainCpp(versions.graph, plain.function, plain.problem);
    plain.how = "loop nests, OpenMP, -ffast-math";
    plain.flags = {"-ffast-math", "-fno-wrapv"};
  }
  plain.text = text.value_or("");
  versions.all.push_back(std::move(plain));

  const std::vector<std::string> unfused =
      target == Target::Cuda ? std::vector<std::string>{"--fusion", "none",      "--shared-mem",
                                                        "false",    "--reorder", "none"}
                             : std::vector<std::string>{"--fusion", "none", "--reorder", "none"};
  versions.all.push_back(MakeOurs(program, target, "unfused", unfused, false));
  versions.all.push_back(MakeOurs(program, target, "default", {}, false));
  if (auto tuned = MakeTuned(program, target, arch, false)) {
    versions.all.push_back(*std::move(tuned));
  }
  for (std::size_t n = 2; n < versions.all.size(); ++n) {
    const Version& before = versions.all[n - 1];
    Version& version = versions.all[n];
    if (before.text.empty() || version.text.empty()) continue;
    if (BodyOf(before) == BodyOf(version)) version.same_as = before.name;
  }
  return versions;
}

std::vector<driver::OptionSet> CheapestPlans(const Program& program, std::size_t most) {
  constexpr double kDearest = 1.5;
  Parsed parsed = ParseWith(program, Target::Cuda, {});
  if (!parsed.graph) return {};
  const graph::Graph graph = *parsed.graph;
  driver::ChosenPlan chosen = driver::CompileToChosenPlan(*std::move(parsed.graph), parsed.options);
  const double least = chosen.ranked.empty() ? 0 : chosen.ranked.front().seconds;
  std::erase_if(chosen.ranked, [&](const driver::Candidate& candidate) {
    return candidate.seconds > kDearest * least;
  });
  std::vector<driver::OptionSet> plans = driver::CudaSpace(graph, chosen, parsed.options, {}).start;
  if (plans.size() > most) plans.resize(most);
  return plans;
}

void Build(Versions* versions, driver::Backend backend, const std::filesystem::path& directory,
           int optimize) {
  const auto build = [&](Version* version) {
    const auto begin = std::chrono::steady_clock::now();
    driver::BuildOptions options;
    options.backend = backend;
    options.optimize = optimize;
    options.directory = directory;
    options.flags = version->flags;
    options.arch = "native";
    std::string error;
    const auto library =
        driver::HostLibrary::Compile(version->text, version->function, options, error);
    if (library.empty()) {
      version->problem = "does not compile: " + error;
    } else {
      version->library = driver::HostLibrary::Load(library, backend, error);
      if (version->library == nullptr) version->problem = "cannot be loaded: " + error;
    }
    version->build_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> running;
  for (Version& version : versions->all) {
    if (version.text.empty() || !version.same_as.empty()) continue;
    if (running.size() >= most) running[running.size() - most].wait();
    running.push_back(std::async(std::launch::async, build, &version));
  }
  for (std::future<void>& one : running) one.wait();
  // A machine that is short of memory or disk for a moment kills compilers: each has another try,
  // alone.
  for (Version& version : versions->all) {
    if (version.text.empty() || version.problem.empty()) continue;
    const std::string before = std::exchange(version.problem, "");
    fmt::print(stderr, "{}: once more, since it {}\n", version.function, before);
    build(&version);
  }
  // Libraries of -ffast-math switch denormal numbers off for the process that loads them.
  std::fesetenv(FE_DFL_ENV);
}

}  // namespace stencilgen::suite
