#include "tools/run/run_ranks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "driver/embedded_ranks.h"
#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/ranks_names.h"
#include "driver/subprocess.h"
#include "support/match.h"
#include "support/text_template.h"
#include "tools/measure/gpu.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;

namespace {

/// A scalar in C++, to the last bit.
std::string LiteralOf(const HostData& scalar) {
  const double value = graph::ElementAsDouble(scalar.values, 0);
  if (IsFloating(scalar.type)) return fmt::format("{}({:a})", ToString(scalar.type), value);
  return fmt::format("{}({})", ToString(scalar.type), static_cast<std::int64_t>(value));
}

/// The fields of those names, by number.
std::string FieldNumbers(const distribute::Distributed& program,
                         const std::vector<std::string>& names) {
  std::vector<int> numbers;
  for (const std::string& name : names) {
    for (std::size_t n = 0; n < program.fields.size(); ++n) {
      const graph::Array& array = program.graph.arrays[program.fields[n]];
      if (!array.local && array.name == name) numbers.push_back(static_cast<int>(n));
    }
  }
  return fmt::format("{}", fmt::join(numbers, ", "));
}

std::string MainText(const LoweredRanks& lowered, const RunInputs& inputs,
                     const RanksFiles& files) {
  const distribute::Distributed& program = lowered.program;
  const RanksNames names(program, lowered.codegen.function);
  std::string sizes;
  for (const graph::ParameterId id : names.sizes) {
    sizes += fmt::format("{}, ", inputs.parameters[id.index]);
  }
  std::vector<std::string> arguments = {"ranks"};
  for (const graph::ArrayId id : names.scalars) {
    const auto& all = inputs.scalars;
    const auto scalar = std::find_if(all.begin(), all.end(), [&](const HostData& any) {
      return any.name == program.graph.arrays[id].name;
    });
    arguments.push_back(LiteralOf(*scalar));
  }
  const auto& frames = files.frames();
  const std::int64_t turns = frames ? inputs.parameters[frames->parameter.index] : 0;
  for (const graph::ParameterId id : names.others) {
    const bool counts = frames && frames->parameter == id;
    arguments.push_back(counts ? "turns" : fmt::format("{}", inputs.parameters[id.index]));
  }
  std::vector<std::string> arrays;
  for (const graph::ArrayId id : files.arrays()) {
    arrays.push_back(program.graph.arrays[id].name);
  }
  return FillTemplate(RanksTemplate("templates/ranks_main.cpp.tmpl"),
                      {{"function", names.function},
                       {"sizes", sizes},
                       {"arrays", FieldNumbers(program, arrays)},
                       {"shown", frames ? FieldNumbers(program, frames->arrays) : ""},
                       {"turns", fmt::format("{}", turns)},
                       {"goes_on", frames && frames->goes_on ? "true" : "false"},
                       {"run_arguments", fmt::format("{}", fmt::join(arguments, ", "))}});
}

/// Why frames cannot be had of ranks; empty where they can.
std::string WhyNoFrames(const LoweredRanks& lowered, const RanksFiles& files) {
  const RanksNames names(lowered.program, lowered.codegen.function);
  const auto& frames = files.frames();
  if (!frames) return "";
  const bool shapes =
      std::find(names.sizes.begin(), names.sizes.end(), frames->parameter) != names.sizes.end();
  if (!shapes) return "";
  return fmt::format(
      "pictures over time and snapshots need a run on one machine: the shape of an "
      "array follows from `{}`",
      lowered.program.graph.parameters[frames->parameter].name);
}

/// The command that makes a program of the source.
std::vector<std::string> CompileCommand(const MpiTools& mpi, const BuildOptions& build,
                                        const fs::path& source, const fs::path& program) {
  std::vector<std::string> command = {mpi.compiler};
  if (build.backend == Backend::Cuda)
    command = {FindCompiler(build.backend), "-ccbin", mpi.compiler};
  for (const auto& part : {HostLibrary::CodeFlags(build),
                           {"-o", program.string()},
                           HostLibrary::SourceArguments(build, source)}) {
    command.insert(command.end(), part.begin(), part.end());
  }
  return command;
}

/// Makes the program `ranks` of the folder's source. Why not, empty where it is there.
std::string Compile(const MpiTools& mpi, const BuildOptions& build, const fs::path& source) {
  const std::vector<std::string> command =
      CompileCommand(mpi, build, source, build.directory / "ranks");
  const ProcessResult compiled = RunProcess(command);
  if (compiled.status == 0) return "";
  const bool nvcc = build.backend == Backend::Cuda;
  return fmt::format("{} fails:\n{}", nvcc ? "nvcc" : "mpicxx", compiled.output);
}

/// How the program is built for what it runs on.
BuildOptions BuildOf(const Options& options, Executor executor, const fs::path& folder) {
  BuildOptions build;
  build.fp = options.fp;
  build.directory = folder;
  if (executor == Executor::CudaEmulated) {
    build.backend = Backend::CudaEmulated;
  } else if (executor == Executor::Cuda) {
    build.backend = Backend::Cuda;
    const std::string arch = measure::AskGpu().arch;
    if (!arch.empty()) build.arch = arch;
  }
  return build;
}

/// The lines of the text that the program said, without what the starter adds.
std::string OwnWords(const std::string& output) {
  const std::size_t end = std::min({output.find("\n---"), output.find("\n====="), output.size()});
  std::string words = output.substr(0, end);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words;
}

/// How the starter ended: as the first rank did that a signal has ended. MPICH's says that in
/// words, and ends with the signal's number.
ProcessResult EndOfRanks(const ProcessResult& ran) {
  constexpr int kSignals = 128;
  const std::size_t said = ran.output.find("WITH THE EXIT STRING: ");
  const std::size_t number = said == std::string::npos ? said : ran.output.find("(signal ", said);
  if (number == std::string::npos) return ran;
  ProcessResult ended = ran;
  ended.status = kSignals + std::atoi(ran.output.c_str() + number + std::strlen("(signal "));
  return ended;
}

/// Why the ranks have ended, where they did not end well.
std::string WhyNot(const ProcessResult& ran, double timeout) {
  if (ran.timed_out) {
    return fmt::format("the ranks were ended after {} s, which --ranks-timeout allows", timeout);
  }
  const ProcessResult ended = EndOfRanks(ran);
  if (EndedBySignal(ended)) {
    return fmt::format("a rank was ended by {}, and the others with it", HowItEnded(ended));
  }
  const std::string words = OwnWords(ran.output);
  return words.empty() ? fmt::format("the ranks ended with {}", HowItEnded(ran)) : words;
}

/// Without threads of its own a rank has a core; with, ranks share the cores.
void ShareCores(int ranks) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  setenv("OMP_NUM_THREADS", fmt::format("{}", std::max(1, cores / ranks)).c_str(), 0);
}

std::vector<std::string> StartCommand(const MpiTools& mpi, int ranks) {
  std::vector<std::string> command = {mpi.starter, "-n", fmt::format("{}", ranks)};
  if (mpi.open_mpi) {
    command.insert(command.end(), {"--oversubscribe", "--bind-to", "none", "--quiet"});
    if (geteuid() == 0) command.emplace_back("--allow-run-as-root");
  }
  return command;
}

std::string ReadCounts(const fs::path& path, const distribute::Distributed& program, int size,
                       Execution& execution, RanksRun& ranks) {
  std::ifstream file(path);
  std::array<int, 3> grid{};
  std::size_t times = 0;
  file >> grid[0] >> grid[1] >> grid[2] >> times;
  for (std::size_t n = 0; n < times && file; ++n) {
    double time = 0;
    file >> time;
    execution.milliseconds.push_back(time);
  }
  ranks.grid.assign(grid.begin(),
                    grid.begin() + static_cast<std::ptrdiff_t>(program.grid.axes.size()));
  std::size_t exchanges = 0;
  file >> std::ws;
  std::getline(file, ranks.path);
  file >> exchanges >> std::ws;
  if (!file) return "the ranks have left no times";
  for (std::size_t n = 0; n < exchanges && file; ++n) {
    ranks.exchanges.emplace_back();
    std::getline(file, ranks.exchanges.back().what);
  }
  const auto read = [&](ExchangeCounts& counts) {
    file >> counts.exchanges >> counts.messages >> counts.bytes >> counts.waited_us >>
        counts.overlapped;
  };
  for (int rank = 0; rank < size; ++rank) {
    read(ranks.totals.emplace_back());
    for (RanksExchange& exchange : ranks.exchanges) {
      read(exchange.ranks.emplace_back());
      file >> exchange.ranks.back().hidden;
    }
  }
  return file ? "" : "the ranks have left no times";
}

}  // namespace

ExchangeCounts RanksRun::CountsOf(std::size_t rank) const {
  ExchangeCounts all = totals[rank];
  double hidden = 0;
  long long with_messages = 0;
  for (const RanksExchange& exchange : exchanges) {
    const ExchangeCounts& counts = exchange.ranks[rank];
    if (counts.hidden < 0) continue;
    hidden += static_cast<double>(counts.hidden * counts.exchanges);
    with_messages += counts.exchanges;
  }
  if (with_messages > 0) all.hidden = std::llround(hidden / static_cast<double>(with_messages));
  return all;
}

int RanksOf(const std::vector<int>& ranks) {
  int count = 1;
  for (const int along : ranks) count *= std::max(1, along);
  if (std::count(ranks.begin(), ranks.end(), 0) == 0) return count;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return count * std::max(1, cores / count);
}

std::variant<MpiTools, UsageError> FindMpi() {
  const char* const hint =
      "install Open MPI or MPICH; on Debian: apt-get install openmpi-bin libopenmpi-dev";
  MpiTools mpi;
  struct Tool {
    const char* variable;
    std::array<const char*, 2> names;
    std::string& found;
  };
  for (const Tool& tool : {Tool{"MPICXX", {"mpicxx", "mpic++"}, mpi.compiler},
                           Tool{"MPIRUN", {"mpirun", "mpiexec"}, mpi.starter}}) {
    const char* const wanted = std::getenv(tool.variable);
    if (wanted != nullptr && *wanted != '\0') {
      tool.found = FindProgram(wanted);
      if (!tool.found.empty()) continue;
      return UsageError{
          fmt::format("--ranks needs `{}`, which {} names, and there is no such program", wanted,
                      tool.variable),
          hint};
    }
    for (const char* name : tool.names) {
      if (tool.found.empty()) tool.found = FindProgram(name);
    }
    if (!tool.found.empty()) continue;
    return UsageError{fmt::format("--ranks needs {}, which is not in PATH", tool.names.front()),
                      hint};
  }
  const ProcessResult version = RunProcess({mpi.starter, "--version"});
  mpi.open_mpi = version.output.find("Open MPI") != std::string::npos ||
                 version.output.find("open-mpi") != std::string::npos;
  return mpi;
}

Execution ExecuteOnRanks(const MpiTools& mpi, Executor executor, const LoweredRanks& lowered,
                         const RunInputs& inputs, const Options& options, RanksFiles& files,
                         const TakeFrame& take, RanksRun& ranks) {
  Execution execution;
  const distribute::Distributed& program = lowered.program;
  const int size = RanksOf(options.run.ranks);
  const fs::path path = files.folder();
  const auto fail = [&](std::string why) {
    execution.error = std::move(why);
    return execution;
  };
  if (std::string wrong = WhyNoFrames(lowered, files); !wrong.empty()) return fail(wrong);
  if (std::string wrong = files.Prepare(); !wrong.empty()) return fail(wrong);
  const std::string code = EmitRanks(lowered) + MainText(lowered, inputs, files);
  const BuildOptions build = BuildOf(options, executor, path);
  const fs::path source = path / (build.backend == Backend::Cpp ? "ranks.cpp" : "ranks.cu");
  if (auto wrong = WriteOutputs({{source, code}})) return fail(*wrong);
  if (const std::string wrong = Compile(mpi, build, source); !wrong.empty()) return fail(wrong);

  ShareCores(size);
  // The emulator's time means nothing.
  const int repeats = executor == Executor::CudaEmulated ? 0 : 5;
  std::vector<std::string> command = StartCommand(mpi, size);
  command.insert(command.end(), {(path / "ranks").string(), path.string(),
                                 fmt::format("{}", options.run.repeat.value_or(repeats))});
  std::vector<int> grid = options.run.ranks;
  if (grid.size() == 1) grid.assign(program.grid.axes.size(), 0);
  for (const int along : grid) command.push_back(fmt::format("{}", along));
  const ProcessResult ran = RunProcess(command, options.run.ranks_timeout);
  if (ran.status != 0 || ran.timed_out) return fail(WhyNot(ran, options.run.ranks_timeout));
  const std::string unread = files.Read(execution.outputs, take);
  if (!unread.empty()) return fail(unread);
  for (const distribute::GridAxis& axis : program.grid.axes) {
    ranks.iterators.push_back(program.graph.iterators[static_cast<std::size_t>(axis.iterator)]);
  }
  ranks.together = program.together;
  execution.error = ReadCounts(path / "counts", program, size, execution, ranks);
  return execution;
}

}  // namespace stencilgen::driver
