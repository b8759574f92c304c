#include "kernel/handlers.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kernel/machine.h"

namespace stencilgen::kernel::bytecode {
namespace {

/// False, with a fault, where the value is not set.
bool IsKnown(Thread& thread, const Instruction& it, std::int32_t cell, const char* what) {
  if (thread.known[cell] != 0) return true;
  thread.Fault(it, fmt::format("{} is not set", what));
  return false;
}

bool Holds(Thread& thread, const Instruction& it) {
  const bool matters = it.b == 0 && thread.machine->options().unset != UnsetValues::Allow;
  if (thread.known[it.a] == 0 && matters) {
    thread.Fault(it, "the condition depends on a value that is not set");
  }
  return thread.cells[it.a].integer != 0;
}

void Go(Thread& thread, const Instruction& it) {
  if (thread.state == Thread::State::Running) thread.at = it.number;
}

}  // namespace

void Move(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    thread.cells[it.dest + k] = thread.cells[it.a + k];
    thread.known[it.dest + k] = thread.known[it.a + k];
  }
}

void Repeat(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    const int from = it.a + k % static_cast<int>(it.number);
    thread.cells[it.dest + k] = thread.cells[from];
    thread.known[it.dest + k] = thread.known[from];
  }
}

void SelectLanes(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    const int from = (thread.cells[it.a + k].integer != 0 ? it.b : it.c) + k;
    thread.cells[it.dest + k] = thread.cells[from];
    thread.known[it.dest + k] = thread.known[it.a + k] & thread.known[from];
  }
}

void ShiftLanes(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    const int lane = k + static_cast<int>(it.number);
    const int from = lane < 0          ? it.a + lane + it.lanes
                     : lane < it.lanes ? it.b + lane
                                       : it.c + lane - it.lanes;
    thread.cells[it.dest + k] = thread.cells[from];
    thread.known[it.dest + k] = thread.known[from];
  }
}

void Forget(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    thread.cells[it.dest + k].integer = -1;  // NaN as floating values
    thread.known[it.dest + k] = 0;
  }
}

void CheckShort(Thread& thread, const Instruction& it) {
  using Limits = std::numeric_limits<std::int32_t>;
  const std::int64_t value = thread.cells[it.a].integer;
  if (thread.known[it.a] == 0 || (Limits::min() <= value && value <= Limits::max())) return;
  thread.Fault(it, fmt::format("the position {} does not fit int", value));
}

/// As runtime/include/stencilgen/tile.hpp has it, where the rim's sizes are parameters of
/// templates.
void PlaceInRim(Thread& thread, const Instruction& it) {
  const auto& rim = std::get<RimPlaceStmt>(it.stmt->what);
  thread.known[it.dest] = thread.known[it.c] = thread.known[it.a];
  const std::int64_t n = thread.cells[it.a].integer;
  const std::int64_t width = rim.columns + (rim.corners ? rim.before + rim.after : 0);
  const std::int64_t in_rows = (rim.above + rim.below) * width;
  std::int64_t& y = thread.cells[it.dest].integer;
  std::int64_t& x = thread.cells[it.c].integer;
  if (n < in_rows) {
    const std::int64_t row = n / width;
    y = row < rim.above ? row - rim.above : row - rim.above + rim.rows;
    x = n % width - (rim.corners ? rim.before : 0);
    return;
  }
  const std::int64_t columns = std::max<std::int64_t>(rim.before + rim.after, 1);
  const std::int64_t column = (n - in_rows) % columns;
  y = (n - in_rows) / columns;
  x = column < rim.before ? column - rim.before : column - rim.before + rim.columns;
}

void ElementsToLine(Thread& thread, const Instruction& it) {
  constexpr std::int64_t kLine = 64;
  thread.known[it.dest] = thread.known[it.a];
  const std::int64_t past = ByteOf(thread.cells[it.a].integer) % kLine;
  thread.cells[it.dest].integer = past == 0 ? 0 : (kLine - past) / it.number;
}

void Place(Thread& thread, const Instruction& it) {
  const auto axis = static_cast<std::size_t>(it.c);
  const auto what = static_cast<PlaceExpr::What>(it.number);
  const Machine& machine = *thread.machine;
  thread.cells[it.dest].integer = what == PlaceExpr::What::Thread  ? thread.index[axis]
                                  : what == PlaceExpr::What::Block ? machine.block()[axis]
                                                                   : machine.options().blocks[axis];
  thread.known[it.dest] = 1;
}

namespace {

/// The cell of the array's element; negative, with a fault, where there is none.
std::int32_t CellOf(Thread& thread, const Instruction& it) {
  if (!IsKnown(thread, it, it.a, "the index of an array")) return -1;
  const std::int64_t index = thread.cells[it.a].integer;
  if (0 <= index && index < it.number) return it.c + static_cast<std::int32_t>(index);
  thread.Fault(it, fmt::format("out of bounds: element {} of an array of {}", index, it.number));
  return -1;
}

}  // namespace

void LoadCell(Thread& thread, const Instruction& it) {
  const std::int32_t cell = CellOf(thread, it);
  if (cell < 0) return;
  thread.cells[it.dest] = thread.cells[cell];
  thread.known[it.dest] = thread.known[cell];
}

void StoreCell(Thread& thread, const Instruction& it) {
  const std::int32_t cell = CellOf(thread, it);
  if (cell < 0) return;
  thread.cells[cell] = thread.cells[it.b];
  thread.known[cell] = thread.known[it.b];
}

void Jump(Thread& thread, const Instruction& it) {
  Go(thread, it);
}

void JumpIf(Thread& thread, const Instruction& it) {
  if (Holds(thread, it)) Go(thread, it);
}

void JumpUnless(Thread& thread, const Instruction& it) {
  if (!Holds(thread, it)) Go(thread, it);
}

void Taint(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) thread.known[it.dest + k] &= thread.known[it.a];
}

void End(Thread& thread, const Instruction&) {
  thread.state = Thread::State::Finished;
}

void BeginTurns(Thread& thread, const Instruction& it) {
  if (!IsKnown(thread, it, it.a, "the first turn") || !IsKnown(thread, it, it.b, "the last turn") ||
      !IsKnown(thread, it, it.c, "the step")) {
    return;
  }
  const std::int64_t first = thread.cells[it.a].integer;
  const std::int64_t last = thread.cells[it.b].integer - (it.number != 0 ? 1 : 0);
  const std::int64_t step = thread.cells[it.c].integer;
  if (step < 1) return thread.Fault(it, "a step below 1");
  Turns turns;
  for (std::int64_t turn = first; turn <= last; turn += step) turns.values.push_back(turn);
  thread.machine->orderer().Arrange(turns.values);
  thread.turns.push_back(std::move(turns));
  thread.machine->regions().BeginLaunch();
}

void NextTurn(Thread& thread, const Instruction& it) {
  Turns& turns = thread.turns.back();
  if (turns.next == turns.values.size()) {
    thread.turns.pop_back();
    thread.machine->regions().BeginLaunch();
    return Go(thread, it);
  }
  thread.machine->regions().BeginBlock();
  thread.cells[it.dest].integer = turns.values[turns.next++];
  thread.known[it.dest] = 1;
}

void BeginVectorLoop(Thread& thread, const Instruction&) {
  Regions& regions = thread.machine->regions();
  regions.PassBarrier();
  regions.actor = 0;
}

void NextVectorTurn(Thread& thread, const Instruction&) {
  ++thread.machine->regions().actor;
}

void EndVectorLoop(Thread& thread, const Instruction& it) {
  BeginVectorLoop(thread, it);
}

void CountFlops(Thread& thread, const Instruction& it) {
  thread.machine->counters().flops += it.number;
}

void Barrier(Thread& thread, const Instruction&) {
  thread.state = Thread::State::AtBarrier;
}

void Shuffle(Thread& thread, const Instruction& it) {
  if (!IsKnown(thread, it, it.b, "the distance of a shuffle")) return;
  const std::int64_t distance = thread.cells[it.b].integer;
  const std::int64_t width = thread.cells[it.c].integer;
  const bool is_width = width >= 1 && width <= thread.machine->warp() && (width & (width - 1)) == 0;
  if (thread.known[it.c] == 0 || !is_width) {
    return thread.Fault(it, fmt::format("rows of {} lanes", width));
  }
  const std::int64_t place = thread.lane & (width - 1);
  const bool after = it.number != 0;
  const bool in_row = distance >= 0 && (after ? place + distance < width : distance <= place);
  thread.source_lane = thread.lane + (in_row ? static_cast<int>(after ? distance : -distance) : 0);
  thread.state = Thread::State::InWarp;
  thread.machine->CompleteShuffle(thread, it);
}

}  // namespace stencilgen::kernel::bytecode
