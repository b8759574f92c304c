#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/code.h"
#include "kernel/launch.h"
#include "support/scalar_type.h"
#include "support/source.h"

/// A program as code: what an application calls it with, the memory that it uses, its kernels, and
/// what the host does one after another. All that printers of a target get; they know nothing of
/// plans and graphs.
namespace stencilgen::kernel {

/// A size that the application gives.
struct Parameter {
  VarRef var;
  std::string source_name;
  Span declared;
  std::optional<std::int64_t> fixed;  ///< by the compiler
};

/// An array or scalar that the application gives, in the order of the program's declarations.
struct Array {
  std::string name;  ///< in code
  std::string source_name;
  Span declared;
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  std::vector<Expr> extents;  ///< in terms of parameters, outermost first; none: a scalar
  bool copy_in = false, copy_out = false, constant = false;
  /// That are its memory: one, or several equal ones that are its parts, one after the other. None
  /// for scalars.
  std::vector<std::size_t> buffers;
  bool IsScalar() const { return extents.empty(); }
  bool HasParts() const { return buffers.size() > 1; }
};

/// Memory that steps read and write: an array's, or scratch.
struct Buffer {
  VarRef var;  ///< its address
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  std::vector<Expr> extents;
  bool scratch = false;         ///< no array's
  bool used = false;            ///< some step reads or writes it, or an output ends in it
  bool written = false;         ///< some step may write memory that it points to at some time
  bool needs_contents = false;  ///< of its array, before the first step
  bool copied_out = false;      ///< its array is an output
  bool visible = false;         ///< its array is an input or an output
  VarRef constant;              ///< its copy in constant memory; null: none
  std::int64_t elements = 0;    ///< where it is in constant memory
  const std::string& name() const { return var->name; }
  /// The application's array is read or written.
  bool TouchesHost() const { return used && (needs_contents || copied_out); }
};

/// An output that the steps may change: the buffer of its array, and the one where it ends.
struct Output {
  std::size_t home = 0, buffer = 0;
};

/// What must not be negative for a run to be legal: a number of turns.
struct TurnCount {
  Expr value;
  std::string source;  ///< in the program's words
};

struct Step;
using Steps = std::vector<Step>;

/// Starts a kernel: on a device its launch function, on the host its function.
struct LaunchStep {
  std::size_t kernel = 0;
};
/// Code of the host.
struct CodeStep {
  Block code;
};
/// Declares a variable with an element of memory that the host cannot read itself.
struct ReadStep {
  VarRef var;
  std::size_t buffer = 0;
  Expr position;
};
/// Copies a buffer; or what lies outside of a box, the box being empty where `condition` is valid
/// and fails.
struct CopyStep {
  struct Range {
    Expr first, last;
  };
  std::size_t to = 0, from = 0;
  std::optional<std::vector<Range>> outside = {};
  Expr condition = {};
};
/// Buffers hand on their memory: the first gets the second's, the last the first's.
struct RotateStep {
  std::vector<std::size_t> cycle;
  std::string old;  ///< a free name
};
/// How turns of a loop are launched as a graph (plan/turn_graph.h).
struct TurnGraph {
  std::int64_t period = 1;  ///< turns after which every buffer has its own memory again
  std::int64_t turns = 1;   ///< of a graph, at most
  std::int64_t least = 2;   ///< turns of the loop that pay for a graph
  Expr bytes;               ///< that a turn moves; invalid: a graph whatever that is
  std::int64_t most_bytes = 0;
  Expr alike;              ///< so many turns are the same, the first ones; invalid: all
  std::string turn, rule;  ///< free names
  std::size_t number = 0;  ///< among the module's
};
struct RepeatStep {
  VarRef var;  ///< counts turns from 0, or from `first` where that is valid
  Expr turns;  ///< what it ends before
  Steps body;
  Expr first = {};
  Expr until = {};  ///< where valid: the loop ends after a turn in which it holds
  std::optional<TurnGraph> graph = std::nullopt;  ///< Device
};
/// All turns of a loop in tiles (plan/time_band.h): a call with the turns, the threads,
/// the tiles of a wavefront and, where there are strips, their width as last arguments. Where tiles
/// do not pay, which is known when the program runs, `otherwise`.
struct BandStep {
  CallStmt call;
  Expr turns;
  Expr rows, columns;  ///< points along the first and the second iterator, of all launches
  Expr bytes;          ///< of all arrays, for a point of these two
  std::int64_t slope = 1;
  int threads = 0;        ///< 0: as many as there are
  int points = 1;         ///< along the first iterator that a kernel computes side by side
  std::string tile;       ///< a free name
  bool strips = true;     ///< across tiles, along the second iterator
  int turns_of_tile = 0;  ///< 0: chosen when the program runs; else there is no `otherwise`
  Steps after;            ///< what follows the call
  Steps otherwise;
};
/// A scope of its own, entered where `condition` is invalid or holds; else `otherwise`.
struct ScopeStep {
  Expr condition;
  Steps body;
  Steps otherwise;
};

struct Step {
  std::variant<LaunchStep, CodeStep, ReadStep, CopyStep, RotateStep, RepeatStep, BandStep,
               ScopeStep>
      what;
};

struct Module {
  Target target = Target::Host;
  bool strict = false;       ///< no operation is contracted or reassociated
  bool short_index = false;  ///< 32-bit integers hold every position for certain
  std::vector<Parameter> parameters;
  std::vector<Array> arrays;
  std::vector<Buffer> buffers;
  std::vector<std::pair<VarRef, ScalarType>> scalars;  ///< variables of the host
  std::vector<VarRef> turns;   ///< that loops of the steps count with, and kernels see
  std::vector<VarRef> stages;  ///< of pipelines, set before each launch: those with turns in it
  std::vector<TurnCount> counts;
  std::vector<Output> results;
  /// Those of `results` that may end elsewhere than at home: in another buffer, or in one whose
  /// memory was handed on. Those of parts of arrays come last.
  std::vector<Output> moves;
  /// Copies (to, from) of what lies outside that stand as long as nobody else writes to their
  /// source: an object that keeps arrays between runs needs to make them once.
  std::vector<std::pair<std::size_t, std::size_t>> lasting_copies;

  /// Host: in the order of definition. Device: one a kernel.
  std::vector<Function> functions;
  std::vector<Launch> launches;        ///< Device: by kernel
  std::vector<CallStmt> calls;         ///< Host: by kernel, what starts it
  std::vector<std::string> summaries;  ///< a line of text a kernel: what it writes, and how it runs
  bool has_tiles = false;              ///< Device: some kernel is a tile
  bool has_halves = false;             ///< elements of 16-bit floating formats, or rounding to them
  bool has_bands = false;              ///< Host: some loop runs in tiles of several turns
  std::size_t graphs = 0;              ///< Device: loops whose turns may be launched as a graph
  Steps steps;

  /// Some buffer is in constant memory.
  bool HasConstants() const;
  /// Some of the array's memory is used.
  bool Uses(const Array& array) const;
  /// Steps may write it.
  bool Writes(const Array& array) const;
  /// It is used, and what it holds before the first step, if only as what is left of an output.
  bool NeedsContents(const Array& array) const;
  /// The application's array is read or written.
  bool TouchesHost(const Array& array) const;
};

/// What is wrong with the module: with its functions (kernel/verify_code.h), or with numbers of
/// buffers, kernels and names in its steps. Empty: nothing.
std::vector<std::string> Verify(const Module& module);

}  // namespace stencilgen::kernel
