#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "plan/neighbours.h"
#include "plan/scatter.h"
#include "plan/schedule.h"

/// Overlapped tiles ([S] 3.3, 3.4): a block of threads computes several operators one after the
/// other on a tile of their points, and what each needs around it again. Dimension d of a tile is
/// the d-th iterator of its operators and the d-th dimension of the arrays they write.
namespace stencilgen::plan {

/// Points around a tile, by dimension; none is negative.
struct Halo {
  std::array<std::int64_t, 3> lo = {0, 0, 0}, hi = {0, 0, 0};
  friend bool operator==(const Halo&, const Halo&) = default;
};

/// Where the plane of a version is that was made `age` steps of the stream ago.
struct PlaneStorage {
  bool registers = false;  ///< each thread holds its own points
  bool shared = false;     ///< all threads of the block may read it
};

/// Elements around the threads' points in a plane of shared memory, which all threads of the block
/// load in turns: element n, n + threads, ... of RimElements. There is a rim in at most two
/// dimensions.
struct Rim {
  Halo halo;             ///< how far beyond the threads' points; along the stream, of which planes
  bool corners = false;  ///< elements beyond them in both dimensions are needed too
  friend bool operator==(const Rim&, const Rim&) = default;
};

/// A version that tiles hold: an input, loaded plane by plane, or the result of an operator.
/// Without a stream there is one step and one plane, the whole tile.
struct TileVersion {
  graph::VersionId version;
  bool loaded = false;
  Halo halo;             ///< where it is needed, around what the tile stores
  std::int64_t lag = 0;  ///< step s of the stream makes plane s - lag
  /// Loaded straight into shared memory, a step before anyone reads it: the plane of age 0 is on
  /// its way. A thread takes its own point from there into registers when the plane leaves.
  bool async = false;
  int rim = -1;  ///< of Tile::rims: a part of the halo that no thread has as its point; -1: none
  std::vector<PlaneStorage> planes;  ///< by age, from 0
  int slots = 0;    ///< planes it has in shared memory: those of its shared ages, or one more
  int region = -1;  ///< of shared memory (Tile::regions); -1 where it has none
  std::array<std::int64_t, 3> reach = {0, 0, 0};  ///< farthest read in shared memory, by dimension
  /// By dimension: somebody reads it beyond an end of its array, where it goes on from the other.
  /// There it is loaded from coordinates modulo the extent, or computed once more.
  std::array<bool, 3> wraps = {false, false, false};

  int FirstShared() const;  ///< youngest age in shared memory, -1 where there is none
  int LastShared() const;   ///< oldest; -1 where there is none
};

/// Shared memory of one version, or of several that are never there at the same time.
struct SharedRegion {
  ScalarType type = ScalarType::Double;
  std::int64_t plane_elements = 0;  ///< with what threads at the edge may read beyond it
  std::int64_t origin = 0;          ///< of the first thread's first point in a plane
  int slots = 0;
  std::int64_t byte_offset = 0;
};

/// A version that the kernel writes to memory.
struct TileStore {
  graph::VersionId version;
  /// All of the array, also where no operator of the tile computes it. Else only what the operator
  /// that defines it computes; the buffer holds the rest already.
  bool whole = false;
};

/// A dimension along which an operator computes a fixed few points, and whether those are near the
/// array's beginning. Most blocks have none of them.
struct Wall {
  std::size_t dimension = 0;
  bool first = true;
  /// By place in its thread along x: a point may lie at the wall. Empty where that is not known.
  std::vector<bool> places;
  friend bool operator==(const Wall&, const Wall&) = default;

  /// True where the thread's point `point` may be one that the operator computes.
  bool MayHave(const std::array<int, 3>& point, std::size_t x) const {
    return places.empty() || places[static_cast<std::size_t>(point[x])];
  }
};

/// An operator of a tile.
struct TileOperator {
  graph::NodeId node;
  /// Somebody may read its result at points that it does not compute, which have its background's
  /// value.
  bool background = false;
  /// It adds what each plane gives to the sums of the planes that need it.
  std::optional<Scatter> scatter = std::nullopt;
  /// Where set, blocks and planes that need no tests are beyond the wall: the result there is its
  /// background.
  std::optional<Wall> wall = std::nullopt;
};

/// What all threads do for all their points, in order, once a step of the stream.
struct TileStep {
  enum class Kind : std::uint8_t {
    Load,     ///< version: its newest plane, from memory into registers, or on its way to shared
    LoadRim,  ///< version: rim elements of the plane that is published next, into registers
    Arrive,   ///< waits for what the thread has on its way
    Publish,  ///< version: the plane of its first shared age, from registers into shared memory
    Barrier,
    Compute,   ///< operator: its newest plane, into registers
    Store,     ///< store: the newest plane of its version
    TakeOver,  ///< hand-over: what the stage before has handed over, into the version's newest
               ///< plane
    HandOver   ///< hand-over: the newest plane of the store's version, to the next stage
  };
  Kind kind = Kind::Barrier;
  int index = 0;  ///< of Tile::versions, ops, stores or Pipeline::hand_overs
  friend bool operator==(const TileStep&, const TileStep&) = default;
};

/// A version on its way from turn to turn: the first stage of a pipeline loads it and the others
/// take it over; it is a store's version of the turns before, which the last stage stores and the
/// others hand over. A thread takes over the points that it has.
struct HandOver {
  int version = 0;               ///< of Tile::versions
  int store = 0;                 ///< of Tile::stores
  int slots = 2;                 ///< planes between two stages, so that one is read, one written
  std::int64_t byte_offset = 0;  ///< of the first stage's slots in the block's shared memory
};

/// A block has several warps, the stages, of which each runs all operators of the tile, for turns
/// of the loop around them that follow each other. In each step all stages make planes: each one's
/// are `shift` planes behind those of the stage before. A launch may have fewer turns than stages.
///
///   stage 0     load plane p              make p - lag      hand over
///   stage 1     take over p - shift       make p - shift - lag         hand over
///   stage 2     take over p - 2 shift     make p - 2 shift - lag                   store
///
/// `async`: what the first stage loads comes straight to shared memory, where it takes it over as
/// the others do; it is on its way for as many steps as what stages hand over.
struct Pipeline {
  int stages = 1;
  bool async = false;
  std::int64_t shift = 0;
  std::vector<HandOver> hand_overs;
};

struct Tile {
  // Of default form, but compiled once, in tile.cpp: they are large.
  Tile();
  Tile(const Tile&);
  Tile(Tile&&) noexcept;
  Tile& operator=(const Tile&);
  Tile& operator=(Tile&&) noexcept;
  ~Tile();

  std::size_t dimensions = 0;
  std::optional<std::size_t> stream;       ///< the dimension walked along; never the last
  std::int64_t chunk = 0;                  ///< planes a block stores; 0: the whole extent
  std::int64_t shortest = 0;               ///< of chunks that the host chooses: Stream::shortest
  std::array<int, 3> threads = {1, 1, 1};  ///< by dimension; 1 along the stream
  std::array<int, 3> points = {1, 1, 1};   ///< neighbouring points a thread has; 1 along the stream
  /// Elements along x of which tiles begin at multiples, so that a thread's neighbouring points can
  /// be loaded and stored at once; 1 where nothing is.
  int alignment = 1;
  bool shuffle = false;  ///< reads along x use shuffles; RowsLieInWarps
  int warp = 32;         ///< threads of a warp
  /// Of all versions, less their rims: a block stores threads * points less this, in each
  /// dimension.
  Halo halo;
  /// Of it, what lies beyond the ends of all arrays in the first (lo) and the last (hi) tile along
  /// a dimension: so many points more these store than others, and tiles are needed for.
  ///
  ///   array       0 1 ........................... N-1
  ///   first tile  |  stored        | halo |
  ///   others               | halo | stored | halo |
  ///   last tile                         | halo |  stored |
  Halo spared;
  std::vector<Rim> rims;

  std::vector<TileOperator> ops;
  std::vector<TileVersion> versions;
  std::vector<TileStore> stores;
  std::vector<SharedRegion> regions;
  std::vector<TileStep> steps;
  /// What blocks and planes do that need no tests: `steps` without publications that only
  /// operators at walls read, and barriers that only those need.
  std::vector<TileStep> free_steps;
  std::int64_t shared_bytes = 0;
  /// Where set, halos are those of the first stage, which computes most.
  std::optional<Pipeline> pipeline = std::nullopt;

  /// Points a block stores along `dimension`, which is not the stream's.
  std::int64_t Stored(std::size_t dimension) const;
  /// True where several blocks may walk along the stream one after the other.
  bool HasChunks() const { return stream && (chunk > 0 || shortest > 0); }
  int Stages() const { return pipeline ? pipeline->stages : 1; }
  /// Planes that the last stage is behind the first.
  std::int64_t Skew() const { return pipeline ? (pipeline->stages - 1) * pipeline->shift : 0; }
  /// How many steps before its newest plane is read the version is loaded by a pipeline.
  std::int64_t Ahead(int version) const;
  /// Steps of the stream before the first plane that a block stores, and after the last.
  std::int64_t StepsBefore() const;
  std::int64_t StepsAfter() const;
  /// True where the step writes a plane of shared memory, also where that only arrives later.
  bool WritesShared(const TileStep& step) const;
  /// Where those points of the first tile begin along `dimension` that all tiles store, where the
  /// first point to store is `lo`: less `spared` no later than `lo`, and aligned along x.
  std::int64_t FirstTile(std::size_t dimension, std::int64_t lo) const;
  /// How many tiles it takes along `dimension`, if the first begins at `first` (FirstTile) and the
  /// last point to store is `hi`: at least one.
  std::int64_t Tiles(std::size_t dimension, std::int64_t first, std::int64_t hi) const;
  int Threads() const { return threads[0] * threads[1] * threads[2] * Stages(); }
  int Points() const { return points[0] * points[1] * points[2]; }
  /// Points of all threads along the dimension.
  std::int64_t Extent(std::size_t dimension) const {
    return std::int64_t{threads[dimension]} * points[dimension];
  }
  /// How far apart neighbours along the dimension are in a plane of shared memory.
  std::int64_t SharedStride(std::size_t dimension) const;
  /// Index in `versions`; -1 where the tile does not hold it.
  int Find(graph::VersionId version) const;
};

/// The age at which the version's planes get their rims: where it is published in the step that
/// loads it, 0, else a step earlier than they are published.
int RimAge(const TileVersion& version);

/// Elements of the rim, and how many of them a thread loads at most.
std::int64_t RimElements(const Tile& tile, const Rim& rim);
int RimLoads(const Tile& tile, const Rim& rim);

/// A read of a version that the tile holds: the age of its plane, and the distance from the
/// thread's point in the other dimensions (0 along the stream).
struct TileRead {
  int version = 0;  ///< of Tile::versions
  int age = 0;
  std::array<std::int64_t, 3> offset = {0, 0, 0};

  bool IsOwnPoint() const { return offset == std::array<std::int64_t, 3>{0, 0, 0}; }
};

/// The operator of the graph that the tile's operator `op` is.
const graph::Operator& OperatorAt(const graph::Graph& graph, const Tile& tile, int op);

/// True where the operator reads `version` only at the point it computes.
bool ReadsOwnPoint(const graph::Graph& graph, const graph::Operator& op, graph::VersionId version);

/// How far ahead along the stream of the plane it finishes operator `op` reads what lies at
/// `offset`: a scattered sum reads only the newest of its planes.
std::int64_t AlongStream(const Tile& tile, int op, const std::array<std::int64_t, 3>& offset);

/// True where, at that distance in a plane, some thread's element belongs to a thread that only
/// shared memory reaches.
bool NeedsSharedMemory(const Tile& tile, const std::array<std::int64_t, 3>& offset);

/// The element of the tile at that distance from the point of operator `op` (of tile.ops); empty
/// where the tile does not have it.
std::optional<TileRead> FindAt(const graph::Graph& graph, const Tile& tile, int op,
                               graph::VersionId version, const Offset& offset);

/// The element of the tile that an access of operator `op` reads, unless a boundary mode has it
/// read another (plan/tile_edges.h); empty where the tile does not have it.
std::optional<TileRead> FindRead(const graph::Graph& graph, const Tile& tile, int op,
                                 const graph::Access& access);

/// True where threads exchange a plane of an input in the step that loads it.
bool PublishesArriving(const Tile& tile);
/// True where some step uses a plane of an input that it loads itself: what it loads is not on its
/// way for a step.
bool UsesArriving(const graph::Graph& graph, const Tile& tile);

/// Where operator `op` finds its background's value; empty where it needs none or reads memory.
std::optional<TileRead> FindBackground(const graph::Graph& graph, const Tile& tile, int op);

/// Every read of the operator in the tile, background included.
std::vector<TileRead> FindReads(const graph::Graph& graph, const Tile& tile, int op);

/// True where operator `op` reads some element from memory, other than such that are the same at
/// every point and exist whatever the sizes are.
bool ReadsMemory(const graph::Graph& graph, const Tile& tile, int op);

/// True where a row of the tile along x lies in a warp, so that threads can exchange values of
/// their row by shuffles.
bool RowsLieInWarps(const Tile& tile);

/// Whose the element of a read is: one of the thread's own points; in its row, of a neighbour in
/// its warp; else of any thread of the block.
enum class Owner : std::uint8_t { Thread, Row, Block };
/// For the thread's point `point` (by dimension, from its first).
Owner OwnerOf(const Tile& tile, const TileRead& read, const std::array<int, 3>& point);

/// Elements of the array that a thread moves at once, 16 or 8 bytes of neighbours along x; 1 where
/// its points are no such multiple, or elements are narrow.
int VectorOf(const Tile& tile, const graph::Array& array);

/// How a thread gets the value of a read.
enum class ReadPath : std::uint8_t { Register, Shuffle, Shared, Memory };
ReadPath PathOf(const Tile& tile, const TileRead& read, const std::array<int, 3>& point);

/// The thread's points, by dimension from its first, in the order of their code.
std::vector<std::array<int, 3>> PointsOf(const Tile& tile);

}  // namespace stencilgen::plan
