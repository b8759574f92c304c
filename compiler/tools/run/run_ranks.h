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

/// What a rank counts of an exchange in a run, in the order of its numbers.
struct ExchangeCounts {
  long long exchanges = 0, messages = 0, bytes = 0;
  long long waited_us = 0;
  long long overlapped = 0;  ///< exchanges during which it has computed
  /// Which part of its messages' time it has computed in, on average, in thousandths; -1: it had no
  /// messages.
  long long hidden = -1;
};

/// An exchange of the program.
struct RanksExchange {
  std::string what;                   ///< arrays, and how deep along which iterators
  std::vector<ExchangeCounts> ranks;  ///< by rank
};

/// What ranks did in a run.
struct RanksRun {
  std::vector<std::string> iterators;  ///< along which they share the points
  std::vector<int> grid;               ///< ranks along each of them
  std::int64_t together = 1;           ///< turns of a loop between two exchanges, at most
  std::string path;                    ///< where MPI takes messages from, and why
  std::vector<RanksExchange> exchanges;
  /// By rank, with what sums and conditions send; not `hidden`.
  std::vector<ExchangeCounts> totals;

  /// All that a rank sends, and what part of its exchanges is hidden.
  ExchangeCounts CountsOf(std::size_t rank) const;
};

/// How many ranks `--ranks` asks for: where some axes have any number, as many as there are cores.
int RanksOf(const std::vector<int>& ranks);

/// The compiler and the starter of MPI programs: what MPICXX and MPIRUN of the environment name,
/// else mpicxx and mpirun in PATH. An error says what to install.
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
