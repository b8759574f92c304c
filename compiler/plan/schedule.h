#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

namespace stencilgen::plan {

/// A thread walks along one iterator instead of computing single points, so that what the next
/// point reads again can stay in registers ([S] 3.3.2).
struct Stream {
  int iterator = 0;        ///< of the program; never the one along x
  std::int64_t chunk = 0;  ///< points a walk; 0: the whole extent (serial streaming)
  /// Above 0: whoever starts the kernel chooses the chunk by the device and the sizes there
  /// (stencilgen/chunks.hpp), of so many points at least; `chunk` is what comes of it as planned.
  std::int64_t shortest = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
  friend auto operator<=>(const Stream&, const Stream&) = default;
};

/// Points of a chunk at least, where it is chosen: of 20 rows measured 0.76 of the speed of 179,
/// where 0.93 were promised.
constexpr std::int64_t kFewestRows = 24;
constexpr std::int64_t kFewestPlanes = 16;
/// Of a program with so many iterators.
constexpr std::int64_t ShortestChunk(std::size_t iterators) {
  return iterators <= 2 ? kFewestRows : kFewestPlanes;
}

/// Which operators share a kernel: each has its own; as many consecutive ones as may; or those that
/// the greedy algorithm of [S] 3.5 puts together (plan/fuse_greedy.h).
enum class Fusion : std::uint8_t { None, Max, Greedy };

/// What greedy fusion saves first: elements moved, registers, or shared memory ([S] 3.5.6).
enum class FusionObjective : std::uint8_t { DataMovement, Registers, SharedMemory };

/// When what operators read of inputs is loaded. `None`: planes at the beginning of the step that
/// first needs them, and what a thread reads once, for one point, where it needs it; `Step`: that
/// too at the beginning of the step; `Register`: all of it a step earlier; `Async`: so too, planes
/// straight into shared memory (`cp.async`) where they get there.
enum class Prefetch : std::uint8_t { None, Step, Register, Async };

/// Where a stream step waits: before each level that reads what the step has just written, or, at
/// the price of one more plane a level, for all levels at once.
enum class BarrierRule : std::uint8_t { Level, Step };

/// Who brings what a block reads around its points: threads of their own, which compute nothing
/// that is stored, or further loads of all threads, straight to shared memory.
enum class HaloBy : std::uint8_t { Threads, Loads };

/// How a sum over planes is computed: each plane of the result gathers what it reads, or each
/// arriving plane adds its part to the planes it reaches ([S] Algorithm 3.2; reorders the sum).
/// Auto scatters where that saves planes of shared memory.
enum class Form : std::uint8_t { Gather, Scatter, Auto };

/// Tiles of several turns of a loop: each computes what it needs around its points again ([S]), or
/// hexagons in time and the outermost iterator, which compute nothing twice (plan/hexagon.h).
enum class TurnTiles : std::uint8_t { Overlapped, Hexagon };

/// How kernels run: what the command line or the choice of defaults says.
struct Schedule {
  std::array<int, 3> block = {32, 4, 1};  ///< threads along x, y, z (x is the last iterator)
  std::array<int, 3> unroll = {1, 1, 1};  ///< points a thread along x, y, z
  std::optional<Stream> stream = std::nullopt;
  Fusion fusion = Fusion::None;
  FusionObjective objective = FusionObjective::DataMovement;
  int most_operators = 64;  ///< that fusion puts into a kernel
  /// Tiles in shared memory. Without, operators read global memory and, along a stream, registers.
  bool shared_memory = false;
  bool shuffle = false;  ///< neighbours along x by warp shuffles where a row of a tile is in a warp
  Prefetch prefetch = Prefetch::None;
  BarrierRule barriers = BarrierRule::Level;
  Form form = Form::Gather;
  TurnTiles shape = TurnTiles::Overlapped;
  HaloBy halo = HaloBy::Threads;
  /// Of pipelines in time (plan/time_pipeline.h): warps of a block, each of which computes the
  /// turns that a tile has and hands its rows on to the next one.
  int stages = 1;
  int warp = 32;  ///< threads of a warp of the GPU
  std::int64_t shared_limit =
      std::int64_t{227} * 1024;  ///< bytes of shared memory a block may have
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
  friend auto operator<=>(const Schedule&, const Schedule&) = default;
};

/// True where a pipeline copies planes, and takes over what has come: it loads nothing itself.
inline bool CopiesPlanes(const Schedule& schedule) {
  return schedule.stages > 1 && schedule.prefetch == Prefetch::Async;
}
/// True where all that operators read of inputs is loaded with the planes.
inline bool LoadsTogether(const Schedule& schedule) {
  return schedule.prefetch != Prefetch::None && !CopiesPlanes(schedule);
}
/// True where it is loaded a step of the stream before anyone needs it.
inline bool LoadsAhead(const Schedule& schedule) {
  return LoadsTogether(schedule) && schedule.prefetch != Prefetch::Step;
}

}  // namespace stencilgen::plan
