#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel/code.h"
#include "kernel/execute.h"

/// What Execute makes of a function: a list of instructions over the cells of a thread. A thread is
/// its cells and the number of the next instruction, so that it may wait anywhere.
namespace stencilgen::kernel::bytecode {

/// A value. int, Index, bool and addresses are integers: of an address, the region from bit 48 on
/// and the byte in it, counted from the middle.
union Cell {
  std::int64_t integer = 0;
  double real;
  float single;
};

struct Instruction;
class Thread;
using Handler = void (*)(Thread&, const Instruction&);

/// Operands are cells of the thread, constants at negative places; `lanes` neighbouring cells each.
struct Instruction {
  Handler run = nullptr;
  std::int32_t dest = 0, a = 0, b = 0, c = 0;
  std::int32_t lanes = 1;
  std::int64_t number = 0;  ///< a place to go to, a count, a region
  const Stmt* stmt = nullptr;
};

/// Memory of a table: values that the code computes once.
struct Table {
  Elementary of = Elementary::Double;
  std::size_t count = 0;
};

struct Code {
  std::string error;  ///< why there is none; empty for good
  std::vector<Instruction> instructions;
  std::vector<Cell> constants;  ///< the n-th is cell -1 - n
  int argument_cells = 0;       ///< the first: arguments, constants, Function::vectors
  int cells = 0;                ///< of a thread
  std::vector<Table> tables;
  int shared_granule = 8;  ///< bytes of the smallest elements in shared memory
};

/// Regions of memory: the block's shared memory, then arguments, then tables.
inline constexpr int kSharedRegion = 0;
inline constexpr int kFirstArgumentRegion = 1;
inline constexpr std::int64_t kAddressMiddle = std::int64_t{1} << 46;

constexpr std::int64_t MakeAddress(std::int64_t region, std::int64_t byte) {
  return (region << 48) + kAddressMiddle + byte;
}
constexpr std::int64_t RegionOf(std::int64_t address) {
  return address >> 48;
}
constexpr std::int64_t ByteOf(std::int64_t address) {
  return (address & ((std::int64_t{1} << 48) - 1)) - kAddressMiddle;
}

/// Calls with a value of the C++ type that the elements have in cells.
template <typename Body>
decltype(auto) WithType(Elementary type, Body body) {
  switch (type) {
    case Elementary::Bool:
      return body(bool{});
    case Elementary::Int:
      return body(int{});
    case Elementary::Float:
      return body(float{});
    case Elementary::Double:
      return body(double{});
    case Elementary::Index:
    case Elementary::Address:
      break;
  }
  using Index = long long;  // as in generated code
  return body(Index{});
}

template <typename T>
T Get(const Cell& cell) {
  if constexpr (std::is_same_v<T, double>) return cell.real;
  if constexpr (std::is_same_v<T, float>) return cell.single;
  if constexpr (std::is_same_v<T, bool>) return cell.integer != 0;
  if constexpr (std::is_integral_v<T>) return static_cast<T>(cell.integer);
}

template <typename T>
void Set(Cell& cell, T value) {
  if constexpr (std::is_same_v<T, double>) {
    cell.real = value;
  } else if constexpr (std::is_same_v<T, float>) {
    cell.single = value;
  } else {
    cell.integer = static_cast<std::int64_t>(value);
  }
}

/// The function's instructions; Code::error says what cannot be run.
Code Compile(const Function& function, const ExecuteOptions& options);

}  // namespace stencilgen::kernel::bytecode
