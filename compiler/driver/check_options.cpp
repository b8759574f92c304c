#include <algorithm>

#include <fmt/format.h>

#include "driver/files.h"
#include "driver/options.h"
#include "driver/picture_options.h"

namespace stencilgen::driver {

std::string GpuOption(const Options& options) {
  if (!options.stream_option.empty()) return options.stream_option;
  if (options.registers > 0) return "--cregs";
  if (options.objective) return "--fusion-objective";
  if (options.fusion_limit) return "--fusion-limit";
  if (options.split) return "--split";
  if (options.fusion_recompile) return "--fusion-recompile";
  if (options.reorder_score) return "--reorder-score";
  if (options.recompile_bypass) return "--recompile-bypass";
  if (options.max_spill) return "--max-spill";
  if (options.shared_memory) return "--shared-mem";
  if (options.shared_kib) return "--shmem";
  if (options.shuffle) return *options.shuffle ? "--shuffle" : "--no-shuffle";
  if (options.prefetch) return "--prefetch";
  if (options.barriers) return "--barriers";
  if (options.halo) return "--halo";
  if (options.stages) return "--stages";
  if (options.graphs) return "--graphs";
  if (options.shape) return "--shape";
  if (options.form) return *options.form == plan::Form::Scatter ? "--retime" : "--no-retime";
  if (options.device) return "--device-file";
  const bool block = std::any_of(options.block.begin(), options.block.end(),
                                 [](const auto& size) { return size.has_value(); });
  return block ? "--blockdim" : "";
}

std::string CppOption(const Options& options) {
  if (!options.tile.empty()) return "--tile";
  if (options.cpu) return "--device-file";
  return options.threads > 0 ? "--threads" : "";
}

namespace {

/// What concerns the fusion of statements.
std::optional<UsageError> CheckFusion(const Options& options) {
  const bool other_fusion = options.fusion && *options.fusion != plan::Fusion::Greedy;
  if (other_fusion && (options.objective || options.fusion_recompile)) {
    return UsageError{fmt::format("{} is about greedy fusion, but --fusion asks for another",
                                  options.objective ? "--fusion-objective" : "--fusion-recompile"),
                      "leave one of them out, or say --fusion greedy"};
  }
  if (options.fusion_limit && (options.split || options.fusion == plan::Fusion::None)) {
    return UsageError{
        fmt::format("--fusion-limit is about fusion, but {}",
                    options.split ? "--split asks for parts" : "--fusion none asks for none"),
        "leave one of them out"};
  }
  if (options.split && (options.fusion || options.objective || options.fusion_recompile)) {
    return UsageError{fmt::format("--split cuts what {} puts together", options.fusion ? "--fusion"
                                                                        : options.objective
                                                                            ? "--fusion-objective"
                                                                            : "--fusion-recompile"),
                      "leave one of them out; --split 1 is one kernel, as far as that goes"};
  }
  if (options.split && options.shared_memory == false && options.shuffle != true) {
    return UsageError{
        "--split makes kernels of several statements, which are tiles, but "
        "--shared-mem is false",
        "leave one of them out, or say --shuffle"};
  }
  if (!options.fusion_recompile && (options.recompile_bypass || options.max_spill)) {
    return UsageError{fmt::format("{} is about --fusion-recompile, which is not there",
                                  options.recompile_bypass ? "--recompile-bypass" : "--max-spill"),
                      "say --fusion-recompile too, or leave it out"};
  }
  return std::nullopt;
}

/// What concerns the order of sums.
std::optional<UsageError> CheckOrders(const Options& options) {
  if (options.form == plan::Form::Scatter && options.fp == FpMode::Strict) {
    return UsageError{"--retime reorders sums, which --fp strict forbids",
                      "leave --retime out, or say --fp fast"};
  }
  if (options.stage == Stage::Kernel && options.fp == FpMode::Strict) {
    return UsageError{"--emit kernel shows sums in any order, which --fp strict forbids",
                      "leave one of them out"};
  }
  const bool reorders = options.reorder && passes::Reorders(*options.reorder);
  if (!reorders && (options.max_permutations || options.distribute)) {
    return UsageError{fmt::format("{} is about reordering, but --reorder does not ask for it",
                                  options.distribute ? "--distribute" : "--max-permutations"),
                      "say --reorder auto as well"};
  }
  if (options.reorder_score && options.reorder != passes::Reorder::Auto) {
    return UsageError{"--reorder-score is about --reorder auto, which is not there",
                      "say --reorder auto, or leave it out"};
  }
  if (options.reorder_score == ReorderScore::Ptxas && options.command == Command::Tune) {
    return UsageError{"--reorder-score ptxas is not for tune, which measures each order",
                      "leave it out"};
  }
  if (options.reorder == passes::Reorder::Lars && options.max_permutations) {
    return UsageError{"--max-permutations is about trees, but --reorder says lars",
                      "say --reorder trees or auto"};
  }
  if (reorders && options.fp == FpMode::Strict) {
    return UsageError{"--reorder changes the order of sums, which --fp strict forbids",
                      "say --reorder none, or --fp fast"};
  }
  return std::nullopt;
}

/// What concerns code of one target alone, and tuning.
std::optional<UsageError> CheckTargetAndTuning(const Options& options) {
  const bool cpp = options.target == Target::Cpp || options.stage == Stage::Cpp;
  if (const std::string gpu = GpuOption(options); cpp && !gpu.empty()) {
    return UsageError{fmt::format("{} is about CUDA code, but the target is cpp", gpu),
                      "leave one of them out"};
  }
  const bool to_cuda = options.target
                           ? *options.target == Target::Cuda
                           : options.command == Command::Explain ||
                                 (options.command == Command::Compile && !IsCppFile(options.input));
  if (const std::string own = CppOption(options); to_cuda && !cpp && !own.empty()) {
    return UsageError{fmt::format("{} is about C++ code, but the target is cuda", own),
                      options.command == Command::Explain ? "leave it out" : "say --target cpp"};
  }
  if (!options.tune.offline.empty() && !options.tune.offline_results.empty()) {
    return UsageError{"--offline writes a folder, --offline-results reads what it has measured",
                      "keep one of them"};
  }
  if (!options.tune.offline.empty() && options.run.target == RunTarget::Cpp) {
    return UsageError{"--offline measures CUDA code, but --target is cpp", "leave one of them out"};
  }
  return std::nullopt;
}

/// What concerns predictions of ranks.
std::optional<UsageError> CheckScaling(const Options& options) {
  if (options.scaling.ranks.empty()) {
    if (options.scaling.given.empty()) return std::nullopt;
    return UsageError{fmt::format("{} is about ranks, and there are none", options.scaling.given),
                      "say how many: --ranks 64,512,4096"};
  }
  if (options.target != Target::Cpp) {
    return UsageError{"--ranks explains C++ code so far, not CUDA", "say --target cpp"};
  }
  if (options.explanation_page.empty()) return std::nullopt;
  return UsageError{"--page is about one machine, not about --ranks", "leave one of them out"};
}

/// What concerns code for many machines.
std::optional<UsageError> CheckMpi(const Options& options) {
  const bool explains = !options.scaling.ranks.empty();
  if (auto error = CheckScaling(options)) return error;
  const bool ranks = !options.run.ranks.empty() || explains;
  if (options.mpi_steps > 0 && !options.mpi && !ranks) {
    return UsageError{"--mpi-steps is about code for many machines",
                      options.command == Command::Compile ? "say --mpi too" : "say --ranks too"};
  }
  if (options.mpi && options.stage) {
    return UsageError{"--emit shows the program for one machine, not for --mpi",
                      "leave one of them out"};
  }
  if (!ranks && options.run.ranks_timeout > 0) {
    return UsageError{"--ranks-timeout is about runs on ranks", "say --ranks too"};
  }
  return std::nullopt;
}

/// What an architecture and a language that are both said have to do with each other.
std::optional<UsageError> CheckLanguageSaid(const Options& options) {
  const GpuLanguage language = LanguageOf(options);
  if (!options.language || *options.language == language) return std::nullopt;
  return UsageError{fmt::format("{} is programmed in {}, not in {}", ArchOf(options),
                                ToString(language), ToString(*options.language)),
                    fmt::format("leave one of them out, or say {} {}",
                                options.target ? "--target" : "--emit", TargetName(language))};
}

/// What code for AMD's GPUs has not.
std::optional<UsageError> CheckLanguage(const Options& options) {
  if (options.target == Target::Cpp || options.stage == Stage::Cpp) return std::nullopt;
  if (auto error = CheckLanguageSaid(options)) return error;
  if (LanguageOf(options) != GpuLanguage::Hip) return std::nullopt;
  if (options.command == Command::Build || options.command == Command::Tune) {
    return UsageError{
        fmt::format("`stencilgen {}` is for CUDA and C++ so far, and {} is programmed in HIP",
                    options.command == Command::Build ? "build" : "tune", ArchOf(options)),
        "`stencilgen FILE --target hip` writes the code"};
  }
  if (options.command == Command::Run && !options.run.emulate) {
    return UsageError{"HIP code is run on the emulator alone", "say --emulate too"};
  }
  if (options.mpi || !options.run.ranks.empty()) {
    return UsageError{
        fmt::format("code for many machines is C++ or CUDA so far, and {} is programmed "
                    "in HIP",
                    ArchOf(options)),
        "say --target cpp or --target cuda"};
  }
  if (!options.standalone) {
    return UsageError{"--no-standalone includes the runtime headers, which are not in HIP",
                      "leave it out"};
  }
  if (options.prefetch == plan::Prefetch::Async) {
    return UsageError{"--prefetch async is about copies that AMD's GPUs have not",
                      "say --prefetch register"};
  }
  if (options.reorder_score == ReorderScore::Ptxas || options.fusion_recompile) {
    return UsageError{
        fmt::format("{} asks ptxas, which knows no GPU of AMD's",
                    options.fusion_recompile ? "--fusion-recompile" : "--reorder-score ptxas"),
        "leave it out"};
  }
  return std::nullopt;
}

std::optional<UsageError> CheckDepfile(const Options& options) {
  if (options.depfile.empty()) return std::nullopt;
  if (options.out_file == "-" || (options.stage && options.out_file.empty())) {
    return UsageError{"--depfile names what a file was made from, but the output is no file",
                      "name one with -o"};
  }
  if (options.depfile == options.out_file || options.depfile == options.header_file) {
    return UsageError{"--depfile names a file of the code", "give it another name"};
  }
  if (options.depfile == "-") {
    return UsageError{"--depfile: `-` is no file", "give a file's name"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<UsageError> CheckCombinations(const Options& options) {
  if (auto error = CheckLanguage(options)) return error;
  if (auto error = CheckTargetAndTuning(options)) return error;
  if (auto error = CheckMpi(options)) return error;
  if (options.stage && options.target) {
    const bool cuda = *options.target == Target::Cuda;
    if ((*options.stage == Stage::Cuda && !cuda) || (*options.stage == Stage::Cpp && cuda)) {
      return UsageError{"--emit and --target ask for different languages", "leave one of them out"};
    }
  }
  if (options.stage && !options.header_file.empty() && *options.stage != Stage::Cuda &&
      *options.stage != Stage::Cpp) {
    return UsageError{"--header needs code, but --emit stops before it is made",
                      "leave one of them out"};
  }
  if (!options.header_file.empty() && options.header_file == options.out_file) {
    return UsageError{"--header and --out-file name the same file", "give them different names"};
  }
  if (auto error = CheckDepfile(options)) return error;
  if (options.stage && options.explain && *options.stage < Stage::Dot) {
    return UsageError{"--explain needs a plan, but --emit stops before it is made",
                      "leave one of them out"};
  }
  if (options.device && options.arch && options.device->arch != *options.arch) {
    return UsageError{
        fmt::format("--arch says {}, but the device file {}", *options.arch, options.device->arch),
        "leave one of them out"};
  }
  if (auto error = CheckFusion(options)) return error;
  if (auto error = CheckOrders(options)) return error;
  if (options.prefetch == plan::Prefetch::Async && options.shared_memory == false) {
    return UsageError{"--prefetch async loads into shared memory, but --shared-mem is false",
                      "leave one of them out, or say --prefetch register"};
  }
  if (options.shared_kib == 0 && options.shared_memory == true) {
    return UsageError{"--shared-mem is true, but --shmem leaves no shared memory",
                      "leave one of them out"};
  }
  if (options.shared_kib == 0 && options.prefetch == plan::Prefetch::Async) {
    return UsageError{"--prefetch async loads into shared memory, but --shmem leaves none",
                      "leave one of them out, or say --prefetch register"};
  }
  if (options.run.emulate && options.run.target == RunTarget::Cpp) {
    return UsageError{"--emulate executes CUDA code, but --target is cpp",
                      "leave --target out, or say --target cuda"};
  }
  if (options.run.emulate && options.run.repeat) {
    return UsageError{"--repeat measures, but --emulate runs once and counts",
                      "leave one of them out"};
  }
  const auto given = [&](const char* name) {
    return std::count(options.arguments.begin(), options.arguments.end(), name) > 0;
  };
  if (given("--standalone") && given("--no-standalone")) {
    return UsageError{"--standalone and --no-standalone contradict each other", "keep one of them"};
  }
  if (options.explanation_page == "-" && options.run.json) {
    return UsageError{"--json and `--page -` both go to standard output",
                      "name a file for the page"};
  }
  const auto is_stdout = [](const auto& named) { return named.second == "-"; };
  if (std::any_of(options.run.out.begin(), options.run.out.end(), is_stdout)) {
    return UsageError{"--out writes files, not standard output", "give a file's name"};
  }
  return CheckPictureOptions(options.run.picture);
}

}  // namespace stencilgen::driver
