#include "driver/gpu_options.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "driver/device_file.h"
#include "driver/option_values.h"

namespace stencilgen::driver {

namespace {

using Result = std::optional<UsageError>;

Result SetStreamOption(Options& options, std::string_view option) {
  if (!options.stream_option.empty()) {
    return UsageError{fmt::format("{} and {} exclude each other", options.stream_option, option),
                      "a program streams along one iterator, serially or in chunks"};
  }
  options.stream_option = option;
  return std::nullopt;
}

Result SetStream(Options& options, std::string_view option, const std::string& iterator,
                 std::int64_t chunk) {
  if (iterator.empty()) {
    return UsageError{fmt::format("{}: which iterator?", option),
                      fmt::format("for example {} k", option)};
  }
  if (auto error = SetStreamOption(options, option)) return error;
  options.stream = iterator;
  options.stream_chunk = chunk;
  return std::nullopt;
}

/// Stores what an option or its opposite says; not both may be there.
template <typename Value>
Result SetEither(std::optional<Value>& choice, Value value, std::string_view option) {
  if (choice && *choice != value) {
    const bool no = option.rfind("--no-", 0) == 0;
    const std::string_view name = option.substr(no ? 5 : 2);
    return UsageError{fmt::format("--{0} and --no-{0} exclude each other", name),
                      "keep one of them"};
  }
  choice = value;
  return std::nullopt;
}

Result ApplyBlockdim(Options& options, const std::string& value) {
  constexpr std::array<int, 3> kMost = {1024, 1024, 64};
  auto values = ReadNamedValues("--blockdim", value, "x=32,y=4");
  if (auto* error = std::get_if<UsageError>(&values)) return *error;
  for (const auto& [name, text] : std::get<0>(values)) {
    const std::size_t axis = std::string_view("xyz").find(name);
    if (name.size() != 1 || axis == std::string_view::npos) {
      return UsageError{fmt::format("--blockdim: there is no axis `{}`", name),
                        "the axes are x (the last iterator), y and z, as in --blockdim x=32,y=4"};
    }
    auto size = ReadInteger("--blockdim", name, text, 1, kMost[axis]);
    if (auto* error = std::get_if<UsageError>(&size)) {
      return UsageError{fmt::format("--blockdim: {}={} is not a block size", name, text),
                        error->hint};
    }
    if (options.block[axis]) {
      return UsageError{fmt::format("--blockdim: `{}` is given twice", name), "keep one of them"};
    }
    options.block[axis] = static_cast<int>(std::get<0>(size));
  }
  return std::nullopt;
}

Result ApplyUnroll(Options& options, const std::string& value) {
  constexpr int kMostUnroll = 32;
  auto values = ReadNamedValues("--unroll", value, "k=2,j=1");
  if (auto* error = std::get_if<UsageError>(&values)) return *error;
  for (const auto& [name, text] : std::get<0>(values)) {
    auto factor =
        ReadInteger("--unroll", fmt::format("the factor of `{}`", name), text, 1, kMostUnroll);
    if (auto* error = std::get_if<UsageError>(&factor)) return *error;
    if (!options.unroll.emplace(name, static_cast<int>(std::get<0>(factor))).second) {
      return UsageError{fmt::format("--unroll: `{}` is given twice", name), "keep one of them"};
    }
  }
  return std::nullopt;
}

/// `gfx90a`, `gfx1100`: a generation of one digit or two, and two hexadecimal ones.
bool IsAmdArch(std::string_view value) {
  constexpr std::string_view kPrefix = "gfx";
  if (value.substr(0, kPrefix.size()) != kPrefix) return false;
  value.remove_prefix(kPrefix.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_last = [&](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
  return (value.size() == 3 || value.size() == 4) && value[0] != '0' &&
         std::all_of(value.begin(), value.end() - 2, is_digit) &&
         std::all_of(value.end() - 2, value.end(), is_last);
}

Result ApplyArch(Options& options, const std::string& value) {
  if (IsAmdArch(value)) {
    options.arch = value;
    return std::nullopt;
  }
  constexpr std::string_view kPrefix = "sm_";
  constexpr int kOldest = 50;
  constexpr int kNewest = 999;
  const bool suffix = !value.empty() && (value.back() == 'a' || value.back() == 'f');
  const std::string digits = value.substr(0, value.size() - (suffix ? 1 : 0));
  const bool prefixed = digits.rfind(kPrefix, 0) == 0;
  if (!prefixed ||
      !std::holds_alternative<std::int64_t>(ReadInteger(
          "--arch", "", std::string_view(digits).substr(kPrefix.size()), kOldest, kNewest))) {
    return UsageError{fmt::format("--arch: `{}` is not a GPU architecture", value),
                      "for example --arch sm_90; the oldest is sm_50, of AMD gfx900"};
  }
  options.arch = value;
  return std::nullopt;
}

Result ApplyDeviceFile(Options& options, const std::string& value) {
  auto device = ReadDeviceFile(value);
  if (auto* error = std::get_if<UsageError>(&device)) return *error;
  const auto& target = std::get<machine::Target>(device);
  if (const auto* gpu = std::get_if<machine::Gpu>(&target)) options.device = *gpu;
  if (const auto* cpu = std::get_if<machine::Cpu>(&target)) options.cpu = *cpu;
  options.device_file = DeviceFilePath(value);
  return std::nullopt;
}

Result ApplyStream(Options& options, const std::string& value) {
  return SetStream(options, "--stream", value, 0);
}
Result ApplySerialStream(Options& options, const std::string& value) {
  return SetStream(options, "--serial-stream", value, 0);
}
Result ApplyNoStream(Options& options, const std::string&) {
  return SetStreamOption(options, "--no-stream");
}
Result ApplyConcurrentStream(Options& options, const std::string& value) {
  constexpr std::int64_t kDefaultChunk = 64;
  constexpr std::int64_t kLongestChunk = 1 << 20;
  const std::size_t colon = value.find(':');
  std::int64_t chunk = kDefaultChunk;
  if (colon != std::string::npos && value.substr(colon + 1) == "auto") {
    options.fitted_chunks = true;
    chunk = 0;
  } else if (colon != std::string::npos) {
    auto number = ReadInteger("--concurrent-stream", "the length of a chunk",
                              std::string_view(value).substr(colon + 1), 1, kLongestChunk);
    if (auto* error = std::get_if<UsageError>(&number)) return *error;
    chunk = std::get<0>(number);
  }
  return SetStream(options, "--concurrent-stream", value.substr(0, colon), chunk);
}
Result ApplyCregs(Options& options, const std::string& value) {
  return SetInteger<int>(options.registers, "--cregs", "the number of registers", value, 16, 255);
}

Result ApplyReorder(Options& options, const std::string& value) {
  return SetChoice<passes::Reorder>(options.reorder, "--reorder", value,
                                    {"none", "trees", "lars", "auto"});
}

Result ApplyReorderScore(Options& options, const std::string& value) {
  return SetChoice<ReorderScore>(options.reorder_score, "--reorder-score", value,
                                 {"static", "ptxas"});
}

Result ApplyMaxPermutations(Options& options, const std::string& value) {
  return SetInteger<int>(options.max_permutations, "--max-permutations",
                         "the number of permutations", value, 1, 10000000);
}
Result ApplyDistribute(Options& options, const std::string&) {
  options.distribute = true;
  return std::nullopt;
}

Result ApplyTimeTile(Options& options, const std::string& value) {
  return SetInteger<int>(options.time_tile, "--time-tile", "the number of time steps", value, 1,
                         64);
}
Result ApplyFusion(Options& options, const std::string& value) {
  return SetChoice<plan::Fusion>(options.fusion, "--fusion", value, {"none", "max", "greedy"});
}
Result ApplyFusionLimit(Options& options, const std::string& value) {
  return SetInteger<int>(options.fusion_limit, "--fusion-limit", "the number of statements", value,
                         1, 64);
}
Result ApplyFusionObjective(Options& options, const std::string& value) {
  return SetChoice<plan::FusionObjective>(options.objective, "--fusion-objective", value,
                                          {"data-movement", "registers", "shared-memory"});
}
Result ApplySplit(Options& options, const std::string& value) {
  constexpr int kMostParts = 64;
  if (value == "auto") {
    options.split = 0;
    return std::nullopt;
  }
  auto parts = ReadInteger("--split", "the number of kernels", value, 1, kMostParts);
  if (auto* error = std::get_if<UsageError>(&parts)) {
    error->hint = fmt::format("a number from 1 to {}, or auto", kMostParts);
    return *error;
  }
  options.split = static_cast<int>(std::get<0>(parts));
  return std::nullopt;
}
Result ApplyFusionRecompile(Options& options, const std::string&) {
  options.fusion_recompile = true;
  return std::nullopt;
}
Result ApplyRecompileBypass(Options& options, const std::string& value) {
  return SetInteger<int>(options.recompile_bypass, "--recompile-bypass", "the number of statements",
                         value, 1, 64);
}
Result ApplyMaxSpill(Options& options, const std::string& value) {
  return SetInteger<int>(options.max_spill, "--max-spill", "the number of bytes", value, 0,
                         1 << 20);
}
Result ApplySharedMem(Options& options, const std::string& value) {
  return SetChoice<bool>(options.shared_memory, "--shared-mem", value, {"false", "true"});
}
Result ApplyShmem(Options& options, const std::string& value) {
  return SetInteger<int>(options.shared_kib, "--shmem", "the size in KiB", value, 0, 1024);
}
Result ApplyShuffle(Options& options, const std::string&) {
  return SetEither(options.shuffle, true, "--shuffle");
}
Result ApplyNoShuffle(Options& options, const std::string&) {
  return SetEither(options.shuffle, false, "--no-shuffle");
}
Result ApplyPrefetch(Options& options, const std::string& value) {
  return SetChoice<plan::Prefetch>(options.prefetch, "--prefetch", value,
                                   {"none", "step", "register", "async"});
}
Result ApplyHalo(Options& options, const std::string& value) {
  return SetChoice<plan::HaloBy>(options.halo, "--halo", value, {"threads", "loads"});
}

Result ApplyStages(Options& options, const std::string& value) {
  return SetInteger<int>(options.stages, "--stages", "the number of warps", value, 1, 32);
}
Result ApplyGraphs(Options& options, const std::string& value) {
  return SetChoice<plan::GraphUse>(options.graphs, "--graphs", value, {"auto", "always", "never"});
}
Result ApplyShape(Options& options, const std::string& value) {
  return SetChoice<plan::TurnTiles>(options.shape, "--shape", value, {"overlapped", "hexagon"});
}
Result ApplyBarriers(Options& options, const std::string& value) {
  return SetChoice<plan::BarrierRule>(options.barriers, "--barriers", value, {"level", "step"});
}
Result ApplyRetime(Options& options, const std::string&) {
  return SetEither(options.form, plan::Form::Scatter, "--retime");
}
Result ApplyNoRetime(Options& options, const std::string&) {
  return SetEither(options.form, plan::Form::Gather, "--no-retime");
}
Result ApplyExplain(Options& options, const std::string&) {
  options.explain = true;
  return std::nullopt;
}

using G = OptionGroup;

}  // namespace

// name, short name, value, group, compile, run, repeatable, help, apply
std::vector<OptionSpec> GpuOptions() {
  return {
      {"--blockdim", "", "x=X,y=Y,z=Z", G::Gpu, kYes, kYes, kYes,
       "threads of a block along each axis, x for the last iterator", ApplyBlockdim},
      {"--unroll", "", "j=N,i=N", G::Gpu, kYes, kYes, kYes,
       "points computed together along each iterator", ApplyUnroll},
      {"--arch", "", "NAME", G::Gpu, kYes, kYes, kNo,
       "the GPU (default sm_90; hip: gfx90a; for run: the one that is there)", ApplyArch},
      {"--device-file", "", "FILE", G::Gpu, kYes, kYes, kNo,
       "the GPU or CPU to choose for, in JSON; `native`: this CPU, measured", ApplyDeviceFile},
      {"--stream", "", "ITERATOR", G::Gpu, kYes, kYes, kYes,
       "threads walk along it, planes age in registers", ApplyStream},
      {"--serial-stream", "", "ITERATOR", G::Gpu, kYes, kYes, kYes,
       "the same: over the whole extent", ApplySerialStream},
      {"--concurrent-stream", "", "ITERATOR[:N]", G::Gpu, kYes, kYes, kYes,
       "the same in chunks of N points (default 64; auto: whole waves)", ApplyConcurrentStream},
      {"--no-stream", "", "", G::Gpu, kYes, kYes, kNo, "threads compute single points",
       ApplyNoStream},
      {"--time-tile", "", "N", G::Gpu, kYes, kYes, kNo,
       "time steps of a loop that are planned together", ApplyTimeTile},
      {"--fusion", "", "none|max|greedy", G::Gpu, kYes, kYes, kNo,
       "statements of a kernel or a loop: one, all that may, or where it pays", ApplyFusion},
      {"--fusion-limit", "", "N", G::Gpu, kYes, kYes, kNo,
       "statements that fusion puts into a kernel, at most", ApplyFusionLimit},
      {"--fusion-objective", "", "WHAT", G::Gpu, kYes, kYes, kNo,
       "for greedy: data-movement (default), registers or shared-memory first",
       ApplyFusionObjective, "data-movement registers shared-memory"},
      {"--split", "", "PARTS", G::Gpu, kYes, kYes, kNo,
       "kernels that each stretch of statements is cut into; or auto", ApplySplit},
      {"--fusion-recompile", "", "", G::Gpu, kYes, kYes, kNo,
       "fuse only what ptxas compiles without spills (takes nvcc, seconds)", ApplyFusionRecompile},
      {"--recompile-bypass", "", "N", G::Gpu, kYes, kYes, kNo,
       "up to N statements are fused without asking (default 1)", ApplyRecompileBypass},
      {"--max-spill", "", "BYTES", G::Gpu, kYes, kYes, kNo,
       "bytes a thread of a fused kernel may spill (default 0)", ApplyMaxSpill},
      {"--shared-mem", "", "true|false", G::Gpu, kYes, kYes, kNo, "keep tiles in shared memory",
       ApplySharedMem},
      {"--shmem", "", "KIB", G::Gpu, kYes, kYes, kNo,
       "shared memory that a block may have (0: none; default: as the GPU)", ApplyShmem},
      {"--shuffle", "", "", G::Gpu, kYes, kYes, kNo,
       "neighbours along x by warp shuffles where a warp has them", ApplyShuffle},
      {"--no-shuffle", "", "", G::Gpu, kYes, kYes, kNo,
       "neighbours along x from shared memory or registers", ApplyNoShuffle},
      {"--prefetch", "", "none|step|register|async", G::Gpu, kYes, kYes, kNo,
       "load inputs at the start of a step, or a step early", ApplyPrefetch},
      {"--stages", "", "N", G::Gpu, kYes, kYes, kNo,
       "warps that hand rows on, each with the time steps of --time-tile", ApplyStages},
      {"--graphs", "", "auto|always|never", G::Gpu, kYes, kYes, kNo,
       "turns of loops as CUDA graphs: where launches take longest, or not", ApplyGraphs},
      {"--shape", "", "overlapped|hexagon", G::Gpu, kYes, kYes, kNo,
       "tiles of several time steps: with halos, or hexagons without", ApplyShape},
      {"--halo", "", "threads|loads", G::Gpu, kYes, kYes, kNo,
       "who loads what lies around a block's points (default: chosen)", ApplyHalo},
      {"--barriers", "", "level|step", G::Gpu, kYes, kYes, kNo,
       "a barrier a statement, or one a step of the stream", ApplyBarriers},
      {"--retime", "", "", G::Gpu, kYes, kYes, kNo,
       "each arriving plane adds to the sums it is in (--fp fast)", ApplyRetime},
      {"--no-retime", "", "", G::Gpu, kYes, kYes, kNo, "each plane gathers what it reads",
       ApplyNoRetime},
      {"--reorder", "", "none|trees|lars|auto", G::Gpu, kYes, kYes, kNo,
       "order of a point's operations, for fewer registers (--fp fast)", ApplyReorder},
      {"--reorder-score", "", "static|ptxas", G::Gpu, kYes, kYes, kNo,
       "what auto goes by (default: ptxas, some seconds, where nvcc is there)", ApplyReorderScore},
      {"--max-permutations", "", "N", G::Gpu, kYes, kYes, kNo,
       "orders of a tree that --reorder trees looks at (default 20000)", ApplyMaxPermutations},
      {"--distribute", "", "", G::Gpu, kYes, kYes, kNo,
       "products over sums, which exposes multiply-adds to --reorder", ApplyDistribute},
      {"--cregs", "", "N", G::Gpu, kYes, kYes, kNo,
       "registers a thread may use (needs CUDA 12.4 or later)", ApplyCregs},
      {"--explain", "", "", G::Gpu, kYes, kYes, kNo,
       "say on standard error what was chosen for each kernel", ApplyExplain},
  };
}

}  // namespace stencilgen::driver
