#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/expr.h"
#include "support/code_writer.h"

/// HOW: structured code, statements over expressions (expr.h). Printers of a target write it out as
/// it stands and decide nothing; Execute (execute.h) runs it.
namespace stencilgen::kernel {

struct Stmt;

struct Block {
  std::vector<Stmt> stmts;

  template <typename Kind>
  void Add(Kind stmt);
  void Append(const Block& other);
};

/// Declares a variable with a value; one that does not change is constant. One of Global storage
/// holds an address.
struct LetStmt {
  VarRef var;
  Expr value;
  bool changes = false;
};
/// Declares variables of one type together; where not `zero`, their values are not set.
struct DeclareStmt {
  std::vector<VarRef> vars;
  bool zero = true;
};
/// Declares an address in the block's shared memory: `elements` of its type behind `bytes`.
struct SharedStmt {
  VarRef var;
  std::int64_t bytes = 0, elements = 0;
  bool changes = false;
};
/// An array of values in memory, computed once.
struct TableStmt {
  VarRef var;
  std::vector<Expr> values;
};
/// Assigns to a variable or an element, or updates it.
struct AssignStmt {
  Expr target;
  AssignOp op = AssignOp::Assign;
  Expr value;
};

/// How a loop's turns run. Parallel: shared by threads. Vector: the compiler may put neighbouring
/// turns into vectors. Unrolled: written out by the compiler.
enum class LoopKind : std::uint8_t { Serial, Parallel, ParallelVector, Vector, Unrolled };
/// From `first` up to `last`, which is the last value; invalid `first`: from the variable's value
/// on, which the loop goes on with.
struct ForStmt {
  VarRef var;
  Expr first, last;
  Expr step = Number(1);
  LoopKind kind = LoopKind::Serial;
  int unroll = 0;      ///< of Unrolled: so many turns at once; 0: all; 1: none
  bool below = false;  ///< `last` is the first value that is not taken
  Expr work = {};      ///< of Parallel kinds: points in all, too few of which are not worth threads
  int threads = 0;     ///< of Parallel kinds; 0: as many as there are
  /// Of Parallel: turns take unlike times, so that each goes to the thread that is free first, and
  /// not to each thread an equal part.
  bool uneven = false;
  Block body;
};
struct WhileStmt {
  Expr condition;
  Block body;
};
struct IfStmt {
  Expr condition;
  Block then_block;
  Block else_block;
};
/// A scope of its own.
struct ScopeStmt {
  Block body;
};
enum class Jump : std::uint8_t { Return, Continue, Break };
struct JumpStmt {
  Jump jump = Jump::Return;
};
/// All threads of a block wait for each other.
struct BarrierStmt {};
/// An element, or so many neighbours at once, goes from memory to shared memory, and is there after
/// a wait.
struct CopyAsyncStmt {
  Expr to, from;
  int elements = 1;
};
struct CommitStmt {};
struct WaitStmt {};
/// The elements of a small array of Registers from or to neighbouring elements of memory, at once.
/// On the host they are a line of the caches, which is stored past them: others see it after a
/// FenceStmt.
struct LoadVectorStmt {
  Expr from;
  VarRef values;
};
struct StoreVectorStmt {
  VarRef array;
  Expr position;
  VarRef values;
};
/// Where element `number` of a rim is in a plane: its column and row, in variables of one
/// structure. The rim surrounds a box of so many rows and columns, so far before and after it.
struct RimPlaceStmt {
  VarRef place, x, y;
  Expr number;
  std::int64_t rows = 1, columns = 1;
  std::int64_t above = 0, below = 0, before = 0, after = 0;
  bool corners = false;
};
/// Stores a pack from an address on.
struct StorePackStmt {
  Expr to, value;
};
/// The name of packs of that type, `vectors` side by side (0: as many as the machine does best),
/// and the variable with the number of their lanes.
struct PackStmt {
  VarRef name;  ///< of the type of one value
  int vectors = 0;
  VarRef width = nullptr;
};
/// The variable is in a register here, for all that compilers know.
struct KeepStmt {
  VarRef var;
};
/// What the thread has stored past the caches is there for others from here on.
struct FenceStmt {};
/// Messages between machines may go on.
struct ProgressStmt {};
/// Calls a function of the module.
struct CallStmt {
  std::string function;
  std::vector<Expr> arguments;
};
/// The floating-point operations of the code after it are counted.
struct FlopsStmt {
  std::int64_t count = 0;
};
struct CommentStmt {
  std::string text;
};

struct Stmt {
  std::variant<LetStmt, DeclareStmt, SharedStmt, TableStmt, AssignStmt, ForStmt, WhileStmt, IfStmt,
               ScopeStmt, JumpStmt, BarrierStmt, CopyAsyncStmt, CommitStmt, WaitStmt,
               LoadVectorStmt, StoreVectorStmt, RimPlaceStmt, StorePackStmt, PackStmt, KeepStmt,
               FenceStmt, ProgressStmt, CallStmt, FlopsStmt, CommentStmt>
      what;
};

template <typename Kind>
void Block::Add(Kind stmt) {
  stmts.push_back(Stmt{std::move(stmt)});
}

/// An array, scalar or size that a function gets; of an array, what is done with it.
struct Argument {
  VarRef var;
  bool read = false, written = false;
};

/// Device: of a grid of threads, in blocks. Host: of the processor.
enum class Target : std::uint8_t { Host, Device };

struct Function {
  std::string name;
  Target target = Target::Host;
  std::vector<std::string> comments;  ///< a line each
  std::vector<Argument> arguments;
  /// Device: of a block; at most so many registers a thread, 0: as compilers see fit.
  int threads = 0, registers = 0;
  int warp = 32;   ///< Device: threads that exchange values by shuffles
  int blocks = 0;  ///< Device: that registers must be kept for at a time; 0: as compilers see fit
  /// Device: it loads for later steps. Loads must stay where the code has them: of an array that
  /// nobody writes a compiler may load each element where it is used.
  bool loads_in_order = false;
  VarRef vectors;  ///< Device: known when it is compiled: rows may be moved as vectors; null: never
  /// Device: `Index` is known when it is compiled: there is a function with 32-bit positions and
  /// one with 64-bit ones, and the launch chooses.
  bool either_index = false;
  Block body;
};

/// The block in the notation of code, which is C++ (of functions for a device, CUDA C++): what
/// printers of targets write into their files, and `--emit kernel` shows.
void Print(CodeWriter& writer, const Block& block, Target target);
/// A short form for comparisons of blocks.
std::string Print(const Block& block);

}  // namespace stencilgen::kernel
