#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "plan/loop_nest.h"
#include "plan/matrix_tile.h"
#include "plan/schedule.h"
#include "plan/tile.h"
#include "stencilgen/chunks.hpp"

/// WHERE and WHEN: kernels, the buffers they read and write, and the host's sequence of steps.
namespace stencilgen::plan {

using BufferId = Id<struct BufferTag>;
using KernelId = Id<struct KernelTag>;

/// A pointer variable of the host program: the home of a program-level array or scratch memory of
/// its shape. Rotations move memory between buffers of one shape.
struct Buffer {
  std::string name;  ///< unique, a C identifier
  ScalarType type = ScalarType::Double;
  std::vector<graph::LinearForm> extents;
  graph::ArrayId home;  ///< invalid for scratch
  ElementFormat format = ElementFormat::Plain;
};

/// Elements that differ only along the stream, held in registers: `first` to `last` planes from the
/// point's own. A step loads the newest; the others age by one.
struct Window {
  graph::VersionId version;
  std::vector<graph::Index> base;  ///< of the element in the point's own plane
  std::size_t dimension = 0;       ///< of the array: the one that follows the stream
  std::int64_t first = 0, last = 0;
};

/// A kernel that writes the array which it reads, on a CPU: its new planes along the first iterator
/// wait in a buffer of the array's shape until nobody reads the old ones any more
/// (plan/sweep_in_place.h).
struct HeldPlanes {
  BufferId buffer;
  BufferId home;                      ///< the array
  std::int64_t below = 0, above = 0;  ///< planes of it that a point reads, besides its own
};

/// One launch. Without a tile: each point by one thread, from global memory and, along a stream,
/// registers; one operator, or on the C++ target several (plan/fuse_loops.h), each after the other.
/// With a tile: its operators, one after the other. With a matrix tile: one operator at all turns
/// of the loops around it, whose steps the plan has as if the kernel ran one turn.
struct Kernel {
  Kernel(std::string its_name, std::vector<graph::NodeId> its_ops, Schedule its_schedule);
  // Of default form, but compiled once, in plan.cpp: they are large.
  Kernel();
  Kernel(const Kernel&);
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(const Kernel&);
  Kernel& operator=(Kernel&&) noexcept;
  ~Kernel();

  std::string name;  ///< unique, a C identifier
  std::vector<graph::NodeId> ops;
  Schedule schedule;  ///< without a stream where the operators cannot follow it
  std::vector<Window> windows = {};
  std::optional<Tile> tile = std::nullopt;
  std::optional<LoopNest> nest = std::nullopt;      ///< on a CPU: what runs instead of the schedule
  std::optional<MatrixTile> matrix = std::nullopt;  ///< instead of the tile or the nest
  std::optional<HeldPlanes> held = std::nullopt;
  /// Blocks that a multiprocessor must have registers for at a time, where the compiler of the code
  /// would else take more than they leave; 0: as many registers as it likes.
  int resident = 0;
  /// What chunks along the stream cost, where whoever starts the kernel chooses them.
  ChunkCosts chunks = {};
};

struct Launch {
  KernelId kernel;
};
/// Evaluates a rank-0 operator on the host.
struct AssignScalar {
  graph::NodeId op;
};
/// dst = src outside the domain of `op`, whose target is plain in every dimension.
struct CopyOutside {
  BufferId dst, src;
  graph::NodeId op;
};
/// dst = src, all of it.
struct CopyAll {
  BufferId dst, src;
};
struct Repeat;
using Step = std::variant<Launch, AssignScalar, CopyOutside, CopyAll, Repeat>;
/// How tiles lean along one coordinate; by launch of the loop's body.
struct BandSide {
  std::int64_t slope = 1;  ///< elements a turn
  std::vector<std::int64_t> rise, fall;
};

/// Parallelograms of a band's tiles along an iterator after the first.
struct BandStrip {
  BandSide side;           ///< slope t + y + rise[m] does not fall
  std::int64_t width = 1;  ///< elements of a turn
};
/// Tiles of a band on a GPU (plan/hexagon.h): hexagons in time and the first iterator.
struct Hexagon {
  int half = 1;                       ///< turns in which a tile grows; it shrinks in as many
  std::int64_t width = 1;             ///< rows of the narrowest turn, at least
  std::vector<BandStrip> strips;      ///< along the other iterators
  std::array<int, 2> block = {1, 1};  ///< threads along the last iterator and the one before
};

/// What a band need not compute along an iterator (plan/band_ends.h): launch m of turn t, of T in
/// all, computes the places from `first - margin` to before `end + margin`, where margin is
/// `turn * (T - 1 - t) + after[m]`.
struct BandEnds {
  int iterator = 0;
  graph::LinearForm first, end;
  std::int64_t turn = 0;            ///< how far a turn reads
  std::vector<std::int64_t> after;  ///< and what follows the launch in its turn
};

/// The only turn of a loop that has one when it runs: its kernel writes in place, so that the
/// result need not be copied to where the program wants it.
struct SingleTurn {
  HeldPlanes held;
  LoopNest nest;  ///< of the planes; what computes points of them is the kernel's
};

/// Several turns of a loop as one unit of scheduling (plan/time_band.h): on a CPU diamonds in time
/// and the outermost dimension, parallelograms in the next one; on a GPU hexagons.
struct TimeBand {
  // Of default form, but compiled once, in plan.cpp: they are large.
  TimeBand();
  TimeBand(const TimeBand&);
  TimeBand(TimeBand&&) noexcept;
  TimeBand& operator=(const TimeBand&);
  TimeBand& operator=(TimeBand&&) noexcept;
  ~TimeBand();

  std::vector<KernelId> launches;  ///< of the loop's body, in order; all have the same iterators
  int period = 1;                  ///< turns after which every buffer has its own memory again
  BandSide outer;                  ///< of the first iterator
  /// Of the second iterator, where there is one: w = slope t + y + rise[m] does not fall; where
  /// arrays wrap around along it, slope t - y + fall[m] does not either.
  BandSide inner;
  /// Turns that a tile spans; 0: chosen when the program runs, by its sizes and the machine's
  /// cache.
  int turns = 0;
  std::optional<Hexagon> hexagon =
      std::nullopt;            ///< on a GPU; then `inner` and `turns` say nothing
  std::vector<BandEnds> ends;  ///< of iterators of the launches; of others all places are computed
  std::optional<SingleTurn> single = std::nullopt;  ///< on a CPU
};

/// Some turns of a loop as one graph of the GPU's runtime (plan/turn_graph.h). A launch of a
/// pipeline's turns counts as one.
struct TurnGraph {
  int period = 1;               ///< turns after which every buffer has its own memory again
  std::int64_t turns = 1;       ///< of a graph, at most; a multiple of the period
  std::int64_t least = 2;       ///< turns of the loop that pay for a graph
  std::int64_t most_bytes = 0;  ///< that a turn may move, so that it does; 0: any
};

/// The body once a turn; after each, every `first` takes what `second` had (all at once).
/// With an invalid `loop` and an empty body it only moves a scalar.
struct Repeat {
  graph::Turns turns;
  std::vector<Step> body;
  std::vector<std::pair<BufferId, BufferId>> rotation;  ///< a permutation of memory
  std::vector<std::pair<int, int>> scalar_moves;        ///< host scalar variables, by value
  Span span;
  graph::NodeId loop;
  std::optional<TimeBand> band = std::nullopt;    ///< its turns are tiled
  std::optional<TurnGraph> graph = std::nullopt;  ///< GPU: turns are launched together
};

struct Plan {
  // Of default form, but compiled once, in plan.cpp: they are large.
  Plan();
  Plan(const Plan&);
  Plan(Plan&&) noexcept;
  Plan& operator=(const Plan&);
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  graph::Graph graph;
  Store<BufferId, Buffer> buffers;  ///< homes first, in array order, then scratch
  Store<KernelId, Kernel> kernels;
  std::vector<Step> steps;
  /// By version index: the buffer that holds it while it lives; invalid for rank 0 and for
  /// versions nobody needs.
  std::vector<BufferId> buffer_of;
  /// By version index of rank 0: the host variable (index of a scalar variable), else -1.
  std::vector<int> scalar_of;
  /// Host variables of rank-0 versions: name and type. The first ones are the program's scalars,
  /// in array order, initialised from the arguments.
  std::vector<std::pair<std::string, ScalarType>> scalars;
  /// By output index of the graph: the buffer that holds the result after the last step.
  std::vector<BufferId> results;
  /// By array index: contents must be in the home buffer before the first step (copyin, and
  /// copyout arrays that are not written everywhere).
  std::vector<bool> needs_contents;
  /// By array index: some step may write the memory its home buffer has at first, also after a
  /// rotation gave it to another buffer.
  std::vector<bool> home_written;
};

/// The versions that the kernel writes to memory.
std::vector<graph::VersionId> StoredVersions(const Plan& plan, const Kernel& kernel);

/// Names of the iterators of an operator, outermost first.
std::vector<std::string> IteratorNames(const graph::Graph& graph, const graph::Operator& op);

}  // namespace stencilgen::plan
