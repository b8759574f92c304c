#include "kernel/machine.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace stencilgen::kernel::bytecode {
namespace {

constexpr int kMostLanes = 64;  ///< of a warp

/// The statement's first line.
std::string TextOf(const Stmt* stmt) {
  if (stmt == nullptr) return "";
  Block block;
  block.stmts.push_back(*stmt);
  const std::string text = Print(block);
  return fmt::format(" at `{}`", text.substr(0, text.find('\n')));
}

std::string Triple(const std::array<int, 3>& numbers) {
  return fmt::format("({},{},{})", numbers[0], numbers[1], numbers[2]);
}

}  // namespace

void Thread::Start(Machine& its_machine, int its_number, Cell* its_cells, std::uint8_t* its_known) {
  machine = &its_machine;
  number = its_number;
  cells = its_cells;
  known = its_known;
  const auto& threads = its_machine.options().threads;
  index = {number % threads[0], number / threads[0] % threads[1], number / threads[0] / threads[1]};
  warp = number / its_machine.warp();
  lane = number % its_machine.warp();
  at = 0;
  state = State::NotStarted;
  yielded = false;
  turns.clear();
  copies.clear();
}

void Thread::Run(const std::vector<Instruction>& code) {
  const std::int64_t budget = machine->instructions_left;
  std::int64_t done = 0;
  state = State::Running;
  while (state == State::Running) {
    const Instruction& instruction = code[static_cast<std::size_t>(at++)];
    instruction.run(*this, instruction);
    if (++done > budget) Fault(instruction, "too many instructions");
  }
  machine->instructions_left -= done;
}

void Thread::Fault(const Instruction& instruction, const std::string& message) {
  const Machine& its = *machine;
  std::string place;
  if (its.is_grid()) {
    place = fmt::format(" in thread {} of block {}", Triple(index), Triple(its.block()));
  } else if (!turns.empty()) {
    const Turns& loop = turns.back();
    place = fmt::format(" in turn {}", loop.next == 0 ? 0 : loop.values[loop.next - 1]);
  }
  machine->Fail(message + TextOf(instruction.stmt) + place);
  state = State::Finished;
}

bool Thread::Yields() {
  if (yield_odds == 0 || yielded || !machine->orderer().Happens(yield_odds)) {
    yielded = false;
    return false;
  }
  yielded = true;
  --at;
  state = State::Ready;
  return true;
}

Machine::Machine(const Function& function, const Code& code, const ExecuteOptions& options)
    : function_(function), code_(code), options_(options), orderer_(options.order, options.seed) {}

ExecuteResult Machine::Run(const std::vector<ExecuteArgument>& arguments) {
  instructions_left = options_.most_instructions;
  if (!Bind(arguments)) return result_;
  regions_.BeginLaunch();
  const std::array<int, 3> blocks = is_grid() ? options_.blocks : std::array<int, 3>{1, 1, 1};
  const std::array<int, 3> threads = is_grid() ? options_.threads : std::array<int, 3>{1, 1, 1};
  threads_.resize(static_cast<std::size_t>(threads[0] * threads[1] * threads[2]));
  const std::size_t constants = code_.constants.size();
  const std::size_t cells = constants + static_cast<std::size_t>(code_.cells);
  cells_.resize(cells * threads_.size());
  known_.resize(cells * threads_.size());
  std::vector<unsigned> order;
  orderer_.Fill(order, static_cast<std::size_t>(blocks[0] * blocks[1] * blocks[2]));
  for (const unsigned number : order) {
    const int block = static_cast<int>(number);
    block_ = {block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]};
    RunBlock();
    if (failed()) break;
  }
  return result_;
}

void Machine::StartBlock() {
  const std::size_t constants = code_.constants.size();
  const std::size_t cells = constants + static_cast<std::size_t>(code_.cells);
  for (std::size_t n = 0; n < threads_.size(); ++n) {
    Cell* const first = &cells_[n * cells];
    std::uint8_t* const known = &known_[n * cells];
    std::copy(first_cells_.begin(), first_cells_.end(), first);
    std::copy(first_known_.begin(), first_known_.end(), known);
    threads_[n].Start(*this, static_cast<int>(n), first + constants, known + constants);
  }
  Region& shared = regions_[kSharedRegion];
  if (shared.size > 0) {
    std::memset(shared.bytes, 0xFF, static_cast<std::size_t>(shared.size));
    std::memset(shared.defined, 0, static_cast<std::size_t>(shared.size / shared.granule));
    std::fill(shared.touches.begin(), shared.touches.end(), Touches());
  }
  if (is_grid()) result_.counters.threads += static_cast<std::int64_t>(threads_.size());
}

void Machine::RunBlock() {
  regions_.BeginBlock();
  StartBlock();
  DrawOrder();
  for (;;) {
    RunToBarrier(ahead_);
    RunToBarrier(order_.size());
    if (failed()) return;
    const bool finished = std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) {
      return thread.state == Thread::State::Finished;
    });
    if (finished) return;
    ReleaseBarrier();
    if (failed()) return;
  }
}

void Machine::DrawOrder() {
  orderer_.Fill(order_, threads_.size());
  for (Thread& thread : threads_) thread.yield_odds = orderer_.DrawYieldOdds();
  const auto lanes = static_cast<std::size_t>(warp());
  const std::vector<bool> ahead = orderer_.DrawAhead((threads_.size() + lanes - 1) / lanes);
  const auto middle = std::stable_partition(order_.begin(), order_.end(), [&](unsigned number) {
    return ahead[static_cast<std::size_t>(threads_[number].warp)];
  });
  ahead_ = static_cast<std::size_t>(middle - order_.begin());
}

/// Runs the first `count` threads of the order until all of them wait or have ended.
void Machine::RunToBarrier(std::size_t count) {
  for (bool any = true; any;) {
    any = false;
    for (std::size_t k = 0; k < count; ++k) {
      Thread& thread = threads_[order_[k]];
      const bool ready =
          thread.state == Thread::State::Ready || thread.state == Thread::State::NotStarted;
      if (!ready) continue;
      any = true;
      if (is_grid()) regions_.actor = thread.number;
      thread.Run(code_.instructions);
      if (failed()) return;
    }
  }
}

/// Lets the threads pass the barrier where all wait at it.
void Machine::ReleaseBarrier() {
  const std::int64_t at = threads_.front().at;
  const bool all = std::all_of(threads_.begin(), threads_.end(), [at](const Thread& thread) {
    return thread.state == Thread::State::AtBarrier && thread.at == at;
  });
  if (!all) return Fail(Divergence());
  for (Thread& thread : threads_) thread.state = Thread::State::Ready;
  ++result_.counters.barriers;
  regions_.PassBarrier();
  DrawOrder();
}

std::string Machine::Divergence() const {
  std::size_t ended = 0;
  std::size_t in_barrier = 0;
  std::size_t in_warp = 0;
  std::set<std::string> places;
  for (const Thread& thread : threads_) {
    if (thread.state == Thread::State::Finished) {
      ++ended;
      continue;
    }
    ++(thread.state == Thread::State::AtBarrier ? in_barrier : in_warp);
    if (thread.state != Thread::State::InWarp) continue;
    places.insert(TextOf(code_.instructions[static_cast<std::size_t>(thread.at - 1)].stmt));
  }
  return fmt::format(
      "{} in block {}: of {} threads {} have ended, {} wait at a barrier, {} in a "
      "shuffle{}",
      in_barrier > 0 ? "barrier divergence" : "deadlock", Triple(block_), threads_.size(), ended,
      in_barrier, in_warp, fmt::join(places, ","));
}

void Machine::CompleteShuffle(Thread& last, const Instruction& instruction) {
  const std::size_t first = static_cast<std::size_t>(last.warp * warp());
  const std::size_t end = std::min(first + static_cast<std::size_t>(warp()), threads_.size());
  for (std::size_t n = first; n < end; ++n) {
    if (threads_[n].state != Thread::State::InWarp || threads_[n].at != last.at) return;
  }
  std::array<Cell, kMostLanes> values;
  std::array<std::uint8_t, kMostLanes> known = {};
  for (std::size_t n = first; n < end; ++n) {
    values[n - first] = threads_[n].cells[instruction.a];
    known[n - first] = threads_[n].known[instruction.a];
  }
  for (std::size_t n = first; n < end; ++n) {
    Thread& thread = threads_[n];
    const auto source = static_cast<std::size_t>(thread.source_lane);
    thread.cells[instruction.dest] = values[source];
    thread.known[instruction.dest] = known[source];
    thread.state = Thread::State::Ready;
  }
  last.state = Thread::State::Running;
}

void Machine::Land(const AsyncCopy& copy) {
  Region& to = regions_[RegionOf(copy.to)];
  const Region& from = regions_[RegionOf(copy.from)];
  const std::int64_t first = ByteOf(copy.to);
  std::memcpy(to.bytes + first, from.bytes + ByteOf(copy.from),
              static_cast<std::size_t>(copy.bytes));
  for (std::int64_t k = 0; k < copy.bytes; ++k) {
    to.defined[(first + k) / to.granule] = from.defined[(ByteOf(copy.from) + k) / from.granule];
  }
  regions_.EndCopy(to, first, copy.bytes);
}

}  // namespace stencilgen::kernel::bytecode
