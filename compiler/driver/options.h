#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "codegen/codegen.h"
#include "driver/pipeline.h"
#include "graph/program.h"
#include "machine/target.h"
#include "plan/plan.h"
#include "support/gpu_language.h"

namespace stencilgen::driver {

enum class Command {
  Help,
  Version,
  Manual,
  Completion,
  Compile,
  Build,
  Run,
  Explain,
  Tune,
  Machine
};

enum class ColorMode { Auto, Always, Never };

/// What `--reorder auto` goes by: passes::BodyCost, or what ptxas makes of each order.
enum class ReorderScore { Static, Ptxas };

/// Where `stencilgen run` executes the program.
enum class RunTarget { Auto, Cpp, Cuda };

/// Pictures and movies that `stencilgen run` draws.
struct PictureOptions {
  std::string plot_array;                        ///< empty: chosen from the file's name
  std::string plot_file;                         ///< empty: no picture
  std::string movie_array;                       ///< empty: chosen from the file's name
  std::string movie_file;                        ///< empty: no movie
  std::map<std::string, std::string> snapshots;  ///< array -> .npy file, with the turn in its name
  std::optional<int> every;
  std::string every_parameter;                              ///< empty: the only one there is
  std::map<std::string, std::pair<double, double>> extent;  ///< by iterator
  std::optional<std::pair<double, double>> range;           ///< low, high
  std::optional<std::string> title;
  bool plain = false;
  std::optional<int> fps;
};

/// Options that only `stencilgen run` has.
struct RunOptions {
  RunTarget target = RunTarget::Auto;
  bool emulate = false;
  bool verify = false;
  bool json = false;
  std::optional<int> repeat;  ///< measured calls; 5 where not given
  std::uint64_t seed = 1;
  /// Along each axis (0: as many as the others leave of the cores), or how many; empty: no MPI.
  std::vector<int> ranks;
  double ranks_timeout = 0;                   ///< seconds that ranks may take; 0: any time
  std::map<std::string, std::string> in;      ///< array -> .npy file
  std::map<std::string, std::string> out;     ///< array -> .npy file
  std::map<std::string, std::string> scalar;  ///< scalar -> value as typed
  PictureOptions picture;
};

/// Options that only `stencilgen tune` has.
struct TuneOptions {
  double budget_minutes = 5;
  int jobs = 0;                 ///< compilations at a time; 0: as many as there are cores
  std::string offline;          ///< the folder to write for another machine; empty: measure here
  std::string offline_results;  ///< the file that came back; empty: none
};

/// Options that only `stencilgen machine` has.
struct MachineOptions {
  double seconds = 5;  ///< that it measures, about
};

/// What `stencilgen explain --ranks` predicts.
struct ScalingOptions {
  std::vector<int> ranks;  ///< how many there are in each line; empty: no prediction
  bool weak = false;       ///< sizes are those of one rank
  double latency = 2e-6;   ///< seconds
  double bytes_per_second = 25e9;
  std::string given;  ///< the first of its other options; empty: none
};

/// A whole command line, checked as far as that goes without the program.
struct Options {
  // Of default form, but compiled once, in options.cpp: they are large.
  Options();
  Options(const Options&);
  Options(Options&&) noexcept;
  Options& operator=(const Options&);
  Options& operator=(Options&&) noexcept;
  ~Options();

  Command command = Command::Compile;
  Command help_for = Command::Compile;          ///< Help: the command that it is about
  std::vector<std::string> arguments;           ///< as typed, without the program's name
  std::string shell;                            ///< of `--completion`
  std::string input;                            ///< a path, or `-` for standard input
  std::vector<std::string> compiler_arguments;  ///< of a C or C++ file, after `--`
  bool compiler_options_given = false;          ///< there is a `--`, of which none may follow

  std::map<std::string, std::int64_t> defines;  ///< `-D NAME=VALUE`
  std::map<std::string, ElementType> types;     ///< `--precision NAME=TYPE`
  /// Options that shape code, as given: by name with their values, in the order of the help.
  std::vector<std::pair<std::string, std::string>> shaping;
  std::array<std::optional<int>, 3> block;  ///< threads along x, y, z
  std::map<std::string, int> unroll;        ///< by iterator
  std::string stream;                       ///< the iterator to stream along; empty: none
  std::string stream_option;                ///< the option that said so, or `--no-stream`
  std::int64_t stream_chunk = 0;            ///< 0: the whole extent
  bool fitted_chunks = false;               ///< but chosen by device and sizes (plan::Stream)
  int registers = 0;                        ///< of a thread; 0: no limit
  // What a schedule leaves to the compiler where the command line does not say it.
  std::optional<int> time_tile;
  std::optional<plan::Fusion> fusion;
  std::optional<plan::FusionObjective> objective;
  std::optional<int> fusion_limit;      ///< statements of a kernel, at most
  std::optional<int> split;             ///< parts of a stretch of statements; 0: `auto`
  bool fusion_recompile = false;        ///< ask ptxas whether a fused kernel spills
  std::optional<int> recompile_bypass;  ///< operators; 1 where not given
  std::optional<int> max_spill;         ///< bytes a thread; 0 where not given
  std::optional<bool> shared_memory, shuffle;
  std::optional<int> shared_kib;  ///< shared memory that a block may have; 0: none
  std::optional<plan::Prefetch> prefetch;
  std::optional<plan::BarrierRule> barriers;
  std::optional<plan::HaloBy> halo;
  std::optional<int> stages;
  std::optional<plan::TurnTiles> shape;
  std::optional<plan::Form> form;
  std::optional<plan::GraphUse> graphs;
  std::optional<passes::Reorder> reorder;
  std::optional<ReorderScore> reorder_score;    ///< not given: ptxas where nvcc is there
  std::optional<int> max_permutations;          ///< of one tree, for `--reorder trees`
  bool distribute = false;                      ///< products over sums, before reordering
  bool explain = false;                         ///< say what was chosen
  std::map<std::string, int> tile;              ///< C++: points of a tile by iterator
  int threads = 0;                              ///< C++: threads of a loop; 0: as OpenMP sees fit
  bool mpi = false;                             ///< code for many machines
  std::string communicator = "MPI_COMM_WORLD";  ///< of a block with it
  int mpi_steps = 0;                            ///< turns of a loop between exchanges; 0: chosen
  FpMode fp = FpMode::Fast;
  passes::Sharing sharing = passes::Sharing::Auto;
  std::optional<std::string> arch;
  std::optional<machine::Gpu> device;  ///< of `--device-file`, where that describes a GPU
  std::optional<machine::Cpu> cpu;     ///< the same where it describes a CPU
  std::string device_file;             ///< its path
  std::string host_function;           ///< empty: from the file's name
  bool json_diagnostics = false;
  std::size_t max_errors = 20;  ///< 0: no limit
  ColorMode color = ColorMode::Auto;

  std::optional<GpuLanguage> language;  ///< of `--target` or `--emit`; see LanguageOf
  std::optional<Target> target;
  std::optional<Stage> stage;
  std::string out_file;     ///< empty: UsualFile; `-` for standard output
  std::string header_file;  ///< empty: no header
  std::string depfile;      ///< empty: none
  bool standalone = true;
  std::optional<std::string> tuning_db;  ///< a file, or `none`
  std::string explanation_page;          ///< explain: the file of `--page`; empty: none

  RunOptions run;
  TuneOptions tune;
  MachineOptions machine;
  ScalingOptions scaling;
};

/// A bad command line: exit status 2.
struct UsageError {
  std::string message;
  std::string hint;          ///< empty where there is none
  std::string excerpt = {};  ///< lines of a file that it is about, with a caret; may be empty
};

/// The first option given that only shapes CUDA code; empty where there is none.
std::string GpuOption(const Options& options);

/// The GPU that code is for: what `--arch` says, else the device file, else the usual one.
std::string ArchOf(const Options& options);

/// What code for a GPU is written in: as that architecture asks.
GpuLanguage LanguageOf(const Options& options);

/// The value of `--target` or `--emit` that asks for the language.
std::string_view TargetName(GpuLanguage language);

/// Threads of a warp of the GPU that code is for.
int WarpOf(const Options& options);

/// The file that code goes to where none is named: `out.cu`, `out.hip`, `out.cpp`.
std::string UsualFile(Target target, GpuLanguage language);

/// The first option given that only shapes C++ code; empty where there is none.
std::string CppOption(const Options& options);

/// Options that contradict each other; empty where none do.
std::optional<UsageError> CheckCombinations(const Options& options);

/// Parses everything after the program's name.
std::variant<Options, UsageError> ParseCommandLine(const std::vector<std::string>& arguments);

/// Arrays and scalars, those of stencils too: what `--precision` may name.
std::vector<std::string> TypedNames(const graph::ProgramInterface& program);

/// What can only be checked with the program at hand: names of parameters and iterators, thread
/// axes, the size of a block.
std::optional<UsageError> CheckAgainstProgram(const Options& options,
                                              const graph::ProgramInterface& program);

/// The pipeline's options for this command line. Axes that `--blockdim` does not name keep their
/// default, cut to what 1024 threads a block leave.
/// Requires: CheckAgainstProgram(options, program) is empty.
PipelineOptions MakePipelineOptions(const Options& options, const graph::ProgramInterface& program);

/// The command line for the header comment of generated files: base names, one line, no character
/// that could end or continue a comment.
std::string CommandLineText(const Options& options);

/// `j2d5pt` for `dir/j2d5pt.idsl`; made a C identifier that is no keyword of C, C++ or CUDA.
std::string ProgramNameOf(const std::string& path);

}  // namespace stencilgen::driver
