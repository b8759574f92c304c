#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/bytecode.h"
#include "kernel/regions.h"
#include "kernel/run_order.h"

/// What runs bytecode: threads, and the machine that they share.
namespace stencilgen::kernel::bytecode {

class Machine;

/// A copy from global to shared memory under way.
struct AsyncCopy {
  std::int64_t to = 0, from = 0;  ///< addresses
  std::int64_t bytes = 0;
  const Stmt* stmt = nullptr;
};

/// The turns of a parallel loop, in the order in which they run.
struct Turns {
  std::vector<std::int64_t> values;
  std::size_t next = 0;
};

class Thread {
 public:
  enum class State : std::uint8_t { NotStarted, Ready, Running, AtBarrier, InWarp, Finished };

  /// The cells are the machine's; `known` says which have a value.
  void Start(Machine& its_machine, int its_number, Cell* its_cells, std::uint8_t* its_known);
  /// Runs until the thread ends, waits, or lets others go first.
  void Run(const std::vector<Instruction>& code);
  /// Gives up the run.
  void Fault(const Instruction& instruction, const std::string& message);
  /// True where the thread is to let others go first: the instruction is run again later.
  bool Yields();

  Machine* machine = nullptr;
  Cell* cells = nullptr;
  std::uint8_t* known = nullptr;
  std::int64_t at = 0;
  State state = State::NotStarted;
  int number = 0, warp = 0, lane = 0;
  std::array<int, 3> index = {0, 0, 0};
  unsigned yield_odds = 0;
  bool yielded = false;
  int source_lane = 0;  ///< of a shuffle
  std::vector<Turns> turns;
  std::vector<std::vector<AsyncCopy>> copies;  ///< groups, oldest first; the last is still open
};

/// Runs the code: of a host function once, of a device function for a grid.
class Machine {
 public:
  Machine(const Function& function, const Code& code, const ExecuteOptions& options);
  ExecuteResult Run(const std::vector<ExecuteArgument>& arguments);

  void Fail(std::string error) {
    if (result_.error.empty()) result_.error = std::move(error);
  }
  bool failed() const { return !result_.error.empty(); }
  bool is_grid() const { return function_.target == Target::Device; }
  /// Threads that exchange values by shuffles.
  int warp() const { return function_.warp; }
  /// Requires: the thread waits in a shuffle. Where all of its warp do, lets them go on.
  void CompleteShuffle(Thread& last, const Instruction& instruction);
  /// The copy's values are there, and may be read after the next barrier.
  void Land(const AsyncCopy& copy);

  const ExecuteOptions& options() const { return options_; }
  ExecuteCounters& counters() { return result_.counters; }
  Regions& regions() { return regions_; }
  Orderer& orderer() { return orderer_; }
  const std::array<int, 3>& block() const { return block_; }
  std::int64_t instructions_left = 0;

 private:
  bool Bind(const std::vector<ExecuteArgument>& arguments);
  void BindArgument(std::size_t n, const ExecuteArgument& value);
  /// `place`: of the cell with its address.
  void BindArray(const Argument& argument, Memory& memory, std::size_t place);
  void BindTables();
  void StartBlock();
  void RunBlock();
  void RunToBarrier(std::size_t count);
  void DrawOrder();
  void ReleaseBarrier();
  std::string Divergence() const;

  const Function& function_;
  const Code& code_;
  const ExecuteOptions& options_;
  ExecuteResult result_;
  Regions regions_;
  Orderer orderer_;
  std::vector<Thread> threads_;
  std::vector<unsigned> order_;
  std::size_t ahead_ = 0;  ///< how many of order_ run ahead of the others
  std::array<int, 3> block_ = {0, 0, 0};
  std::vector<unsigned char> shared_;
  std::vector<std::uint8_t> shared_defined_;
  struct TableMemory {
    std::vector<unsigned char> bytes;
    std::vector<std::uint8_t> defined;
  };
  std::vector<TableMemory> tables_;
  std::vector<Cell> cells_;  ///< of all threads
  std::vector<std::uint8_t> known_;
  std::vector<Cell> first_cells_;  ///< constants and arguments, as each thread begins
  std::vector<std::uint8_t> first_known_;
};

}  // namespace stencilgen::kernel::bytecode
