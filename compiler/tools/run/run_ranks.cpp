#include "tools/run/run_ranks.h"

#include <algorithm>
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

namespace stencilgen::driver {

namespace fs = std::filesystem;

namespace {

/// The array's elements as they are in memory.
std::string_view BytesOf(const graph::Values& values) {
  return Match(values, [](const auto& elements) {
    return std::string_view(reinterpret_cast<const char*>(elements.data()),
                            elements.size() * sizeof elements[0]);
  });
}

/// A scalar in C++, to the last bit.
std::string LiteralOf(const HostData& scalar) {
  const double value = graph::ElementAsDouble(scalar.values, 0);
  if (IsFloating(scalar.type)) return fmt::format("{}({:a})", ToString(scalar.type), value);
  return fmt::format("{}({})", ToString(scalar.type), static_cast<std::int64_t>(value));
}

std::string MainText(const LoweredRanks& lowered, const RunInputs& inputs, const Options& options) {
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
  for (const graph::ParameterId id : names.others) {
    arguments.push_back(fmt::format("{}", inputs.parameters[id.index]));
  }
  std::vector<std::string> arrays;
  for (const graph::ArrayId id : program.fields) {
    if (program.graph.arrays[id].local) continue;
    const HostData& array = inputs.Array(program.graph.arrays[id].name);
    arrays.push_back(fmt::format("{{\"{}\", {}, {}}}", array.name, BytesOf(array.values).size(),
                                 program.graph.arrays[id].copy_out));
  }
  std::vector<int> grid = options.run.ranks;
  if (grid.size() == 1) grid.assign(program.grid.axes.size(), 0);
  return FillTemplate(RanksTemplate("templates/ranks_main.cpp.tmpl"),
                      {{"function", names.function},
                       {"grid", fmt::format("{}", fmt::join(grid, ", "))},
                       {"sizes", sizes},
                       {"arrays", fmt::format("{}", fmt::join(arrays, ", "))},
                       {"run_arguments", fmt::format("{}", fmt::join(arguments, ", "))}});
}

bool Write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  return static_cast<bool>(file.flush());
}

/// Makes a program of the folder's source. Why not, empty where it is there.
std::string Compile(const MpiTools& mpi, const fs::path& path, FpMode fp) {
  BuildOptions build;
  build.fp = fp;
  std::vector<std::string> command = HostLibrary::CodeFlags(build);
  command.insert(command.begin(), mpi.compiler);
  command.insert(command.end(), {"-o", (path / "ranks").string(), (path / "ranks.cpp").string()});
  const ProcessResult compiled = RunProcess(command);
  return compiled.status == 0 ? "" : fmt::format("mpicxx fails:\n{}", compiled.output);
}

/// How many ranks there are: where some axes have any number, as many as there are cores.
int CountOf(const std::vector<int>& ranks) {
  int count = 1;
  for (const int along : ranks) count *= std::max(1, along);
  if (std::count(ranks.begin(), ranks.end(), 0) == 0) return count;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return count * std::max(1, cores / count);
}

/// The lines of the text that the program said, without what the starter adds.
std::string OwnWords(const std::string& output) {
  const std::size_t end = std::min(output.find("\n---"), output.size());
  std::string words = output.substr(0, end);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words;
}

/// Why the ranks have ended, where they did not end well.
std::string WhyNot(const ProcessResult& ran, double timeout) {
  if (ran.timed_out) {
    return fmt::format("the ranks were ended after {} s, which --ranks-timeout allows", timeout);
  }
  // The starter ends as the first rank did that a signal has ended.
  constexpr int kSignals = 128;
  if (ran.status > kSignals) {
    return fmt::format("a rank was ended by {}, and the others with it", HowItEnded(ran));
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
  ranks.counts.resize(static_cast<std::size_t>(size));
  for (auto& count : ranks.counts) {
    for (long long& number : count) file >> number;
  }
  return file ? "" : "the ranks have left no times";
}

}  // namespace

std::variant<MpiTools, UsageError> FindMpi() {
  const char* const hint =
      "install Open MPI or MPICH; on Debian: apt-get install openmpi-bin libopenmpi-dev";
  MpiTools mpi;
  for (const char* name : {"mpicxx", "mpic++"}) {
    if (mpi.compiler.empty()) mpi.compiler = FindProgram(name);
  }
  for (const char* name : {"mpirun", "mpiexec"}) {
    if (mpi.starter.empty()) mpi.starter = FindProgram(name);
  }
  if (mpi.compiler.empty()) return UsageError{"--ranks needs mpicxx, which is not in PATH", hint};
  if (mpi.starter.empty()) return UsageError{"--ranks needs mpirun, which is not in PATH", hint};
  const ProcessResult version = RunProcess({mpi.starter, "--version"});
  mpi.open_mpi = version.output.find("Open MPI") != std::string::npos ||
                 version.output.find("open-mpi") != std::string::npos;
  return mpi;
}

Execution ExecuteOnRanks(const MpiTools& mpi, const LoweredRanks& lowered, const RunInputs& inputs,
                         const Options& options, RanksRun& ranks) {
  Execution execution;
  const distribute::Distributed& program = lowered.program;
  const int size = CountOf(options.run.ranks);
  const TemporaryDirectory folder;
  const fs::path path = folder.path();
  const auto fail = [&](std::string why) {
    execution.error = std::move(why);
    return execution;
  };
  std::vector<std::string> fields;
  for (const graph::ArrayId id : program.fields) {
    if (!program.graph.arrays[id].local) fields.push_back(program.graph.arrays[id].name);
  }
  bool written = Write(path / "ranks.cpp", EmitRanks(lowered) + MainText(lowered, inputs, options));
  for (const std::string& name : fields) {
    written = written && Write(path / (name + ".in"), BytesOf(inputs.Array(name).values));
  }
  if (!written) return fail(fmt::format("cannot write files to `{}`", path.string()));

  if (const std::string wrong = Compile(mpi, path, options.fp); !wrong.empty()) return fail(wrong);

  ShareCores(size);
  std::vector<std::string> command = StartCommand(mpi, size);
  command.insert(command.end(), {(path / "ranks").string(), path.string(),
                                 fmt::format("{}", options.run.repeat.value_or(5))});
  const ProcessResult ran = RunProcess(command, options.run.ranks_timeout);
  if (ran.status != 0 || ran.timed_out) return fail(WhyNot(ran, options.run.ranks_timeout));
  for (const graph::Output& output : program.graph.outputs) {
    const HostData& array = inputs.Array(program.graph.arrays[output.array].name);
    graph::Values values = array.values;
    std::ifstream file(path / (array.name + ".out"), std::ios::binary);
    const std::string_view bytes = BytesOf(values);
    file.read(const_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) return fail(fmt::format("the ranks have left no array `{}`", array.name));
    execution.outputs.push_back(std::move(values));
  }
  for (const distribute::GridAxis& axis : program.grid.axes) {
    ranks.iterators.push_back(program.graph.iterators[static_cast<std::size_t>(axis.iterator)]);
  }
  ranks.together = program.together;
  execution.error = ReadCounts(path / "counts", program, size, execution, ranks);
  return execution;
}

}  // namespace stencilgen::driver
