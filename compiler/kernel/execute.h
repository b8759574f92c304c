#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/interpret.h"
#include "kernel/code.h"
#include "kernel/launch.h"
#include "support/scalar_type.h"

/// Runs structured code (code.h) directly: its meaning, without a compiler in between.
namespace stencilgen::kernel {

/// Elements in memory, and which of them have a value.
struct Memory {
  graph::Values values;
  std::vector<std::uint8_t> defined;  ///< an element each
};
/// Elements that were never written: their bytes are 0xFF, NaN as floating values and -1 as int.
Memory UnsetMemory(ScalarType type, std::size_t count);
/// Every element has its value.
Memory SetMemory(graph::Values values);

/// In which order the threads of a block run between barriers, the blocks of a grid, and the turns
/// of parallel loops; as the emulator has it. In random order threads change places where they
/// touch shared memory, some often, some never, and some warps run ahead of the others up to the
/// next barrier. Asynchronous copies land as late as they may in forward order, at once in backward
/// order, and either way in random order.
enum class RunOrder : std::uint8_t { Forward, Backward, Random };

/// What is done about values that nobody set. They may be computed with: what comes out of it is
/// not set either, nor is what a condition chooses that they are in.
enum class UnsetValues : std::uint8_t {
  Allow,    ///< nothing: elements that are stored from them count as not set
  Results,  ///< they may not be stored in arguments, decide what is executed or be a position
  Loads     ///< nor may elements without a value be loaded
};

/// What is done about data races.
enum class DataRaces : std::uint8_t {
  Ignore,
  /// What is read while others write it is not set; two who write are reported. Threads at the edge
  /// of a tile read around its planes, those of a chunk before its first, for values that nobody
  /// uses. A race that matters is found where the writers come first.
  Unset,
  Report
};

struct ExecuteOptions {
  RunOrder order = RunOrder::Forward;
  unsigned seed = 0;                       ///< of the random order
  std::array<int, 3> blocks = {1, 1, 1};   ///< Device: of the grid; x first
  std::array<int, 3> threads = {1, 1, 1};  ///< Device: of a block
  std::int64_t shared_bytes = 0;           ///< Device: of a block
  /// Index is `int`, as it is in functions with either index; what does not fit is reported.
  bool short_index = false;
  bool rows_as_vectors = false;  ///< the value of Function::vectors
  int vector_bytes = 32;         ///< of a vector register: a power of two, 8 at least
  int host_threads = 2;          ///< Host: the value of Routine::Threads
  bool past_caches = true;       ///< Host: the value of Routine::PastCaches
  int tile_rows = 2;             ///< Host: the value of Routine::TileRows
  int pack_vectors = 1;          ///< of a pack, where the code leaves that open
  UnsetValues unset = UnsetValues::Results;
  DataRaces races = DataRaces::Report;
  std::int64_t most_instructions = std::int64_t{1} << 36;  ///< for loops that do not end
  std::vector<const Function*> callees = {};               ///< that the code may call
  /// Arrays in constant memory, which are no arguments.
  std::vector<std::pair<VarRef, Memory*>> constants = {};
  /// What the device runs at a time, whatever kernel it is.
  int multiprocessors = 132, blocks_of_multiprocessor = 4;
  int most_blocks = 65535;  ///< of a launch along y and z: kernels stride over the rest
};

/// What the code did. Elements are those of the array; a vector counts each of its own.
struct ExecuteCounters {
  std::int64_t global_loads = 0, global_stores = 0;
  std::int64_t global_load_bytes = 0, global_store_bytes = 0;
  std::int64_t shared_loads = 0, shared_stores = 0;
  std::int64_t barriers = 0;  ///< once a block
  std::int64_t flops = 0;     ///< as FlopsStmt says
  std::int64_t threads = 0;
};

struct ExecuteResult {
  /// Empty where all went well. Else the first fault, with the statement and the thread: an access
  /// out of bounds or of what the function may not touch, a value that is not set where it matters,
  /// a data race, barriers that not all threads of a block reach.
  std::string error;
  ExecuteCounters counters;
};

/// An argument: the elements of an array, or the value of a scalar or size.
using ExecuteArgument = std::variant<Memory*, std::int64_t, double>;

/// Runs the function. Values are computed as C++ does without contraction: every operation in its
/// own type, `int` wraps. Data races are reported whatever the order: of threads in shared memory
/// between barriers and in global memory, of turns of parallel and vector loops. Writers of equal
/// values do not race. Requires: Verify(function) is empty.
ExecuteResult Execute(const Function& function, const std::vector<ExecuteArgument>& arguments,
                      const ExecuteOptions& options = {});

/// What the program has for a variable: an array's elements, or a value; empty where it has none.
using ArgumentLookup = std::function<std::optional<ExecuteArgument>(const VarRef&)>;

/// Starts the kernel as its launch says, where there is anything to compute: the grid, the block,
/// shared memory and whether rows are moved as vectors (where `options` lets them and rows begin at
/// multiples) are the launch's. What is neither a range of it nor a value is looked up, constant
/// memory too.
ExecuteResult Execute(const Function& function, const Launch& launch, const ArgumentLookup& lookup,
                      ExecuteOptions options);

}  // namespace stencilgen::kernel
