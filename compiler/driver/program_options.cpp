#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "driver/option_values.h"
#include "driver/options.h"
#include "machine/gpu.h"

namespace stencilgen::driver {

namespace {

constexpr int kMostThreads = 1024;

/// The thread axis that the stream takes: 1 for y, 2 for z; -1 where there is none.
int StreamAxis(const Options& options, const std::vector<std::string>& iterators) {
  const auto found = std::find(iterators.begin(), iterators.end(), options.stream);
  if (options.stream.empty() || found == iterators.end()) return -1;
  return static_cast<int>(iterators.end() - found) - 1;
}

std::optional<UsageError> CheckStream(const Options& options,
                                      const std::vector<std::string>& iterators) {
  if (options.stream.empty()) return std::nullopt;
  const int axis = StreamAxis(options, iterators);
  if (axis < 0) {
    return UsageError{
        fmt::format("{}: the program has no iterator `{}`", options.stream_option, options.stream),
        NameHint(options.stream, iterators, "iterators")};
  }
  if (axis == 0) {
    return UsageError{fmt::format("{}: cannot stream along `{}`, the unit-stride iterator",
                                  options.stream_option, options.stream),
                      "neighbouring threads must read neighbouring elements; stream along an "
                      "outer iterator"};
  }
  if (options.block[static_cast<std::size_t>(axis)].value_or(1) > 1) {
    return UsageError{fmt::format("--blockdim: a block is 1 thread along `{}`, which is streamed",
                                  options.stream),
                      fmt::format("leave out {}, or say {}=1", "xyz"[axis], "xyz"[axis])};
  }
  return std::nullopt;
}

/// Threads along x, y, z for this many iterators.
std::array<int, 3> BlockOf(const Options& options, const std::vector<std::string>& names) {
  const std::size_t iterators = names.size();
  plan::Schedule defaults;
  if (const int stream = StreamAxis(options, names); stream > 0) {
    const auto axis = static_cast<std::size_t>(stream);
    // What the streamed axis gives up, x takes.
    defaults.block[0] *= defaults.block[axis];
    defaults.block[axis] = 1;
  }
  std::array<int, 3> block = {1, 1, 1};
  int left = kMostThreads;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!options.block[axis]) continue;
    block[axis] = *options.block[axis];
    left /= std::max(1, std::min(left, block[axis]));
  }
  for (std::size_t axis = 0; axis < std::min<std::size_t>(iterators, 3); ++axis) {
    if (options.block[axis]) continue;
    block[axis] = std::max(1, std::min(defaults.block[axis], left));
    left /= block[axis];
  }
  return block;
}

/// Shared memory that a block may have on the GPU that is asked for: what every GPU gives where it
/// is not a known one.
std::int64_t SharedLimitOf(std::string_view arch) {
  constexpr std::int64_t kEverywhere = std::int64_t{48} * 1024;
  const machine::Gpu* device = machine::FindGpu(arch);
  return device == nullptr ? kEverywhere : device->shared_per_block_most;
}

/// The schedule that the command line asks for, but for points a thread.
plan::Schedule ScheduleOf(const Options& options, const std::vector<std::string>& iterators) {
  plan::Schedule schedule;
  schedule.block = BlockOf(options, iterators);
  if (!options.stream.empty()) {
    const auto found = std::find(iterators.begin(), iterators.end(), options.stream);
    schedule.stream = {static_cast<int>(found - iterators.begin()), options.stream_chunk};
    if (options.fitted_chunks) schedule.stream->shortest = plan::ShortestChunk(iterators.size());
  }
  schedule.fusion = options.fusion.value_or(schedule.fusion);
  if (options.objective || options.fusion_recompile) schedule.fusion = plan::Fusion::Greedy;
  schedule.most_operators = options.fusion_limit.value_or(schedule.most_operators);
  schedule.objective = options.objective.value_or(schedule.objective);
  schedule.shared_memory = options.shared_memory.value_or(schedule.shared_memory);
  schedule.shuffle = options.shuffle.value_or(schedule.shuffle);
  schedule.prefetch = options.prefetch.value_or(schedule.prefetch);
  schedule.barriers = options.barriers.value_or(schedule.barriers);
  schedule.halo = options.halo.value_or(schedule.halo);
  schedule.stages = options.stages.value_or(schedule.stages);
  schedule.shape = options.shape.value_or(schedule.shape);
  schedule.form = options.form.value_or(schedule.form);
  schedule.shared_limit = SharedLimitOf(ArchOf(options));
  if (options.device) schedule.shared_limit = options.device->shared_per_block_most;
  schedule.warp = WarpOf(options);
  if (options.shared_kib == 0) schedule.shared_memory = false;
  if (options.shared_kib) {
    schedule.shared_limit =
        std::min(schedule.shared_limit, std::int64_t{*options.shared_kib} * 1024);
  }
  return schedule;
}

GivenOptions GivenOf(const Options& options) {
  GivenOptions given;
  for (std::size_t axis = 0; axis < 3; ++axis) given.block[axis] = options.block[axis].has_value();
  given.stream = !options.stream_option.empty();
  given.fusion = options.fusion || options.objective || options.fusion_recompile;
  given.shared_memory = options.shared_memory.has_value() || options.shared_kib == 0;
  given.shuffle = options.shuffle.has_value();
  given.prefetch = options.prefetch.has_value();
  given.barriers = options.barriers.has_value();
  given.halo = options.halo.has_value();
  given.stages = options.stages.has_value();
  given.shape = options.shape.has_value();
  given.form = options.form.has_value();
  given.reorder = options.reorder.has_value();
  given.time_tile = options.time_tile.has_value();
  return given;
}

}  // namespace

std::string ArchOf(const Options& options) {
  if (options.arch) return *options.arch;
  if (options.device) return options.device->arch;
  return machine::DefaultGpu(options.language.value_or(GpuLanguage::Cuda)).arch;
}

GpuLanguage LanguageOf(const Options& options) {
  return machine::LanguageOf(ArchOf(options));
}

std::string_view TargetName(GpuLanguage language) {
  return language == GpuLanguage::Hip ? "hip" : "cuda";
}

int WarpOf(const Options& options) {
  return options.device ? options.device->warp : machine::WarpOf(ArchOf(options));
}

std::string UsualFile(Target target, GpuLanguage language) {
  if (target == Target::Cpp) return "out.cpp";
  return language == GpuLanguage::Hip ? "out.hip" : "out.cu";
}

std::vector<std::string> TypedNames(const graph::ProgramInterface& program) {
  std::vector<std::string> names = Texts(program.locals);
  for (const graph::InterfaceArray& array : program.arrays) names.push_back(array.name.text);
  return names;
}

namespace {

/// What a name of `--precision` stands for: one of these, or the parts of a complex one; else
/// nothing.
std::vector<std::string> NamesOfType(const std::string& name,
                                     const std::vector<std::string>& names) {
  const auto known = [&](const std::string& each) {
    return std::find(names.begin(), names.end(), each) != names.end();
  };
  if (known(name)) return {name};
  const std::vector<std::string> parts = {name + "_re", name + "_im"};
  return known(parts[0]) && known(parts[1]) ? parts : std::vector<std::string>{};
}

}  // namespace

std::optional<UsageError> CheckAgainstProgram(const Options& options,
                                              const graph::ProgramInterface& program) {
  const std::vector<std::string> parameters = Texts(program.parameters);
  const std::vector<std::string> iterators = graph::KernelIterators(program);
  const auto known = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };

  for (const auto& [name, value] : options.defines) {
    if (!known(parameters, name)) {
      return UsageError{fmt::format("-D: the program has no parameter `{}`", name),
                        NameHint(name, parameters, "parameters")};
    }
  }
  for (const auto& [name, type] : options.types) {
    if (NamesOfType(name, TypedNames(program)).empty()) {
      return UsageError{
          fmt::format("--precision: the program declares no array or scalar `{}`", name),
          NameHint(name, TypedNames(program), "arrays and scalars")};
    }
  }
  for (const auto& [name, factor] : options.unroll) {
    if (!known(iterators, name)) {
      return UsageError{fmt::format("--unroll: the program has no iterator `{}`", name),
                        NameHint(name, iterators, "iterators")};
    }
  }
  for (const auto& [name, points] : options.tile) {
    if (!known(iterators, name)) {
      return UsageError{fmt::format("--tile: the program has no iterator `{}`", name),
                        NameHint(name, iterators, "iterators")};
    }
    if (name == iterators.front()) {
      return UsageError{fmt::format("--tile: `{}` is what the threads share", name),
                        "tiles are along the other iterators"};
    }
  }
  if (auto error = CheckStream(options, iterators)) return error;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (options.block[axis].value_or(1) > 1 && axis >= iterators.size()) {
      return UsageError{
          fmt::format("--blockdim: the program has no axis `{}`", "xyz"[axis]),
          fmt::format("its iterators are {}, the last one along x", Enumerate(iterators))};
    }
  }
  const int threads =
      options.block[0].value_or(1) * options.block[1].value_or(1) * options.block[2].value_or(1);
  if (threads > kMostThreads) {
    return UsageError{fmt::format("--blockdim: a block of {} threads is too large", threads),
                      "a block has at most 1024 threads"};
  }
  return std::nullopt;
}

PipelineOptions MakePipelineOptions(const Options& options,
                                    const graph::ProgramInterface& program) {
  PipelineOptions result;
  result.program_name =
      options.host_function.empty() ? ProgramNameOf(options.input) : options.host_function;
  result.fixed = options.defines;
  result.types = options.types;
  for (const auto& [name, type] : options.types) {
    for (const std::string& part : NamesOfType(name, TypedNames(program))) {
      result.types.emplace(part, type);
    }
  }
  const std::vector<std::string> iterators = graph::KernelIterators(program);
  result.schedule = ScheduleOf(options, iterators);
  result.time_tile = options.time_tile.value_or(result.time_tile);
  result.sharing = options.sharing;
  result.choose = true;
  result.given = GivenOf(options);
  result.graphs = options.graphs.value_or(result.graphs);
  result.arch = ArchOf(options);
  result.device = options.device;
  result.cpu = options.cpu;
  if (options.split) result.split = SplitOptions{*options.split, passes::Crossing::Cheaper};
  const std::size_t dimensions = iterators.size();
  for (std::size_t i = 0; i < dimensions && i < 3; ++i) {
    const auto found = options.unroll.find(iterators[i]);
    if (found == options.unroll.end()) continue;
    result.schedule.unroll[dimensions - 1 - i] = found->second;
    result.unroll_given[dimensions - 1 - i] = true;
  }
  result.target = options.target.value_or(Target::Cuda);
  if (options.stage == Stage::Cuda) result.target = Target::Cuda;
  if (options.stage == Stage::Cpp) result.target = Target::Cpp;
  result.codegen.fp = options.fp;
  result.codegen.reorder.how = options.reorder.value_or(passes::Reorder::None);
  result.codegen.reorder.max_permutations =
      options.max_permutations.value_or(result.codegen.reorder.max_permutations);
  result.codegen.distribute = options.distribute;
  result.nests.choose_points = true;
  for (const std::string& iterator : iterators) {
    const auto found = options.tile.find(iterator);
    result.nests.tile.push_back(found == options.tile.end() ? 0 : found->second);
  }
  result.nests.threads = options.threads;
  result.codegen.registers = options.registers;
  result.codegen.standalone = options.standalone;
  result.codegen.language = LanguageOf(options);
  if (result.codegen.language == GpuLanguage::Hip) result.codegen.arch = ArchOf(options);
  // Only a header makes it known to anybody.
  result.codegen.resident = !options.header_file.empty();
  result.codegen.command_line = CommandLineText(options);
  result.codegen.source_name =
      options.input == "-" ? "stdin" : std::filesystem::path(options.input).filename().string();
  return result;
}

}  // namespace stencilgen::driver
