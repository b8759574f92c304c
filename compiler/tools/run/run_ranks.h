#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/emit_distributed.h"
#include "driver/options.h"
#include "tools/run/execute.h"
#include "tools/run/frames.h"
#include "tools/run/ranks_files.h"
#include "tools/run/run_inputs.h"

namespace stencilgen::driver {

/// What ranks did in a run.
struct RanksRun {
  std::vector<std::string> iterators;  ///< along which they share the points
  std::vector<int> grid;               ///< ranks along each of them
  std::int64_t together = 1;           ///< turns of a loop between two exchanges, at most
  /// By rank: exchanges, messages sent, bytes sent, microseconds waited, exchanges during which it
  /// has computed.
  std::vector<std::array<long long, 5>> counts;
};

/// How many ranks `--ranks` asks for: where some axes have any number, as many as there are cores.
int RanksOf(const std::vector<int>& ranks);

/// The compiler and the starter of MPI programs, or what to install.
struct MpiTools {
  std::string compiler, starter;
  bool open_mpi = false;
};
std::variant<MpiTools, UsageError> FindMpi();

/// Compiles the program for ranks, starts it on so many as the options ask for, and measures it.
/// Ranks write results beside their places; `take` gets the frames that are drawn. Requires: the
/// inputs fit the program, the files are theirs, and the program is lowered for the executor, which
/// is not the interpreter.
Execution ExecuteOnRanks(const MpiTools& mpi, Executor executor, const LoweredRanks& lowered,
                         const RunInputs& inputs, const Options& options, RanksFiles& files,
                         const TakeFrame& take, RanksRun& ranks);

}  // namespace stencilgen::driver
