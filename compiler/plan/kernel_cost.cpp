#include "plan/kernel_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graph/nodes.h"
#include "plan/barriers.h"
#include "plan/live_registers.h"
#include "plan/matrix_tiles.h"
#include "plan/operator_facts.h"
#include "plan/time_pipeline.h"
#include "plan/traffic_parts.h"
#include "support/to_double.h"

namespace stencilgen::plan {
namespace {

using graph::Operator;
using graph::ParameterValues;

// Constants of the model. The fitted ones, and what tiles lose that overlaps badly or has few
// warps, come from what an H200 has run (benchmarks/results/gpu_h200_profiles.md): 636 kernels of
// all suites, then 141 in double precision beside each other, among which the price chose
// within 1.02 of a program's best in the geometric mean (1.08 before; five programs at a time held
// out: 1.00 to 1.04, before 1.03 to 1.09). The others are round numbers.
constexpr double kMemoryLatency = 1200;  ///< cycles of a load that misses both caches, loaded
constexpr double kPointsLatency = 1000;  ///< the same without a tile: loads of many warps at once
/// Of an operator's own loads after a barrier, with all that waits in line with them: fitted.
constexpr double kDirectLatency = 2400;
/// Bandwidth of the second level over memory's, fitted: many blocks of single points, which wait
/// for nothing but their loads, reach more of it than blocks that go on step by step.
constexpr double kCacheOfPoints = 2.3;
constexpr double kCacheOfSteps = 1.4;
constexpr double kBytesPerClock = 40;  ///< that one multiprocessor gets from the second level
constexpr double kIssueSlots = 128;    ///< instructions of threads a cycle and multiprocessor
constexpr double kIssueEfficiency =
    0.75;                              ///< of the slots, that dependent code of enough warps fills
constexpr double kSlotsPerFlop = 0.6;  ///< without a tile: half are multiply-adds
// Of a division or square root, from machine code: slots of arithmetic, instructions of all kinds.
constexpr double kDoubleDivision = 6;
constexpr double kDoubleDivisionIssue = 14;
constexpr double kFloatDivision = 2;
constexpr double kFloatDivisionIssue = 5;
/// Registers that ptxas finds to leave out of a stage's: few planes of many points, no addresses.
constexpr int kMoreOfPipeline = 4;
/// Of the registers that there are, what the estimate of a thread with many points may come to
/// before ptxas spills: nearly all are planes, which it moves nowhere.
constexpr double kOfScarce = 0.92;
constexpr int kManyPoints = 6;
/// Of a step's work, what goes before the first use of a plane that arrives in it.
constexpr double kBeforeArrival = 0.3;
constexpr double kOverlapLoss = 0.2;  ///< of what the tightest limit should hide
/// Of a block that is alone on its multiprocessor: for its barriers, at which nothing goes on.
constexpr double kLoneLoss = 0.15;
/// Of launches whose blocks walk along a stream and come in one wave: blocks end at times far
/// apart, and few stream at once while others begin. Fitted; nine waves measured 1.55 times as fast
/// as one for strips of one warp, 1.2 for tiles of 3D.
constexpr double kWaveLoss = 0.5;
constexpr double kWaveLossOfRows = 0.25;  ///< 2D, several warps, which wait for each other anyway
/// Of tiles that walk along a dimension that is not the first, over the same along the first:
/// fitted.
constexpr double kScatteredPlanes = 1.06;
/// Of floats from the second level for tiles in 3D whose halos are loaded, over tiles whose threads
/// stand there: fitted.
constexpr double kLoadedHalos = 1.4;

const Operator& OperatorAt(const Plan& plan, graph::NodeId node) {
  return std::get<Operator>(plan.graph.nodes[node]);
}

class KernelModel {
 public:
  KernelModel(const Plan& plan, KernelId id, const machine::Gpu& device,
              const ParameterValues& parameters, int register_limit, const ThreadWork& work)
      : plan_(plan),
        kernel_(plan.kernels[id]),
        device_(device),
        register_limit_(register_limit),
        work_(work) {
    cost_.kernel = id;
    cost_.traffic = FindTraffic(plan, kernel_, parameters, work.sums);
    cost_.registers = work.registers;
    const auto threads = static_cast<int>(cost_.traffic.threads);
    const int most = MostRegisters(device, threads, register_limit);
    const int wanted = cost_.registers + MoreInOrder();
    spills_ = IsPipeline() ? cost_.registers > most + kMoreOfPipeline
                           : MostLikelyRegisters(wanted) > most &&
                                 (!HoldsPlanes() || cost_.registers > kOfScarce * most);
    if (register_limit > 0) cost_.registers = std::min(cost_.registers, register_limit);
  }

  KernelCost Run() {
    const Traffic& traffic = cost_.traffic;
    if (const auto& stream = kernel_.schedule.stream) {
      cost_.chunks = {Overlap(), std::max<std::int64_t>(stream->shortest, 1), Ramp(), 1};
    }
    if (traffic.blocks == 0) return cost_;
    BlockNeeds needs;
    needs.threads = static_cast<int>(traffic.threads);
    needs.registers = std::min(cost_.registers, device_.registers_per_thread);
    needs.shared_bytes = kernel_.tile ? kernel_.tile->shared_bytes : 0;
    if (kernel_.matrix) needs.shared_bytes = SharedBytes(plan_.graph, *kernel_.matrix);
    cost_.occupancy = FindOccupancy(device_, needs);
    if (spills_ || cost_.occupancy.blocks == 0) {
      cost_.seconds = std::numeric_limits<double>::infinity();
      return cost_;
    }
    cost_.resident = Resident();
    if (kernel_.schedule.stream) cost_.chunks.lone = LoneStep();
    const double throughput = Throughput();
    const double latency = Latency(/*direct=*/true);
    // What operators read themselves comes while others of them compute.
    const double exposed = Latency(/*direct=*/false) - HiddenArrival(throughput);
    // Blocks of one multiprocessor hide each other's waiting; a lone block hides nothing.
    const double together =
        std::max(1.0, std::min(ToDouble(cost_.occupancy.blocks), BlocksPerSm()));
    cost_.alone.back() = latency;
    const double longer = std::max(throughput, latency);
    const double alone = together == 1 && traffic.barriers > 0 ? 1 + kLoneLoss : 1;
    cost_.seconds = alone * WaveLoss() * ScatteredPlanes() *
                        (longer + std::min(throughput, exposed) / together) +
                    kLaunchSeconds;
    if (latency > throughput) cost_.limit = CostLimit::Latency;
    if (kLaunchSeconds > longer) cost_.limit = CostLimit::Launch;
    return cost_;
  }

 private:
  /// True where a thread holds planes of many points, of one array at some times, and little else.
  bool HoldsPlanes() const {
    const auto& tile = kernel_.tile;
    if (!tile || !tile->shuffle || tile->dimensions != 3 || tile->ops.size() < 2) return false;
    const auto array_of = [&](const TileVersion& each) {
      return plan_.graph.versions[each.version].array;
    };
    const auto& first = tile->versions.front();
    const bool alike =
        std::all_of(tile->versions.begin(), tile->versions.end(),
                    [&](const TileVersion& each) { return array_of(each) == array_of(first); });
    return alike && tile->Points() >= kManyPoints;
  }
  /// Registers that a thread of many points may want besides where ptxas may delay no load: for
  /// half of its loads.
  int MoreInOrder() const {
    const auto& tile = kernel_.tile;
    if (!work_.loads_in_order || tile->Points() < kManyPoints) return 0;
    int words = 0;
    for (const TileVersion& version : tile->versions) {
      const auto& array = plan_.graph.arrays[plan_.graph.versions[version.version].array];
      if (version.loaded && !version.async) words += RegistersOf(array.type);
    }
    return words * tile->Points() / 2;
  }
  bool IsPipeline() const { return kernel_.tile && kernel_.tile->pipeline; }

  /// Kernel::resident: where the blocks that are counted on have few registers more than estimated,
  /// or code for edges beside that of the estimate may want more, or loads that nothing delays. Of
  /// many small blocks one or two less cost less than registers that are spilled.
  int Resident() const {
    constexpr int kMany = 16;
    const auto blocks = static_cast<int>(std::min(ToDouble(cost_.occupancy.blocks), BlocksPerSm()));
    if (!kernel_.tile || register_limit_ > 0 || blocks < 2 || blocks > kMany) return 0;
    const auto warps = static_cast<int>((cost_.traffic.threads + device_.warp - 1) / device_.warp);
    const int left = MostRegisters(device_, blocks * warps * device_.warp, 0);
    const bool tight =
        MostLikelyRegisters(cost_.registers) > left || HasEdges() || work_.loads_in_order;
    return tight && !work_.long_sums ? blocks : 0;
  }

  /// True where boundary modes are about what the kernel reads.
  bool HasEdges() const {
    return std::any_of(kernel_.ops.begin(), kernel_.ops.end(), [&](graph::NodeId node) {
      return HasModes(plan_.graph, graph::OperatorOf(plan_.graph, node));
    });
  }

  /// True where blocks walk along a stream.
  bool Walks() const {
    return kernel_.tile ? kernel_.tile->stream.has_value() : kernel_.schedule.stream.has_value();
  }
  /// Blocks that follow each other on a place for one.
  double Waves() const {
    return ToDouble(cost_.traffic.blocks) /
           (ToDouble(cost_.occupancy.blocks) * ToDouble(device_.sms));
  }
  /// Of a launch, in waves: what it takes over one of many waves.
  double Ramp() const {
    const auto& tile = kernel_.tile;
    const bool rows = tile && tile->dimensions == 2 && cost_.traffic.threads > device_.warp;
    return rows ? kWaveLossOfRows : kWaveLoss;
  }
  double WaveLoss() const { return Walks() ? 1 + Ramp() / std::max(1.0, Waves()) : 1; }
  /// Where planes are not those of the array's first dimension, their rows are far apart.
  double ScatteredPlanes() const {
    const auto& tile = kernel_.tile;
    return tile && tile->dimensions == 3 && tile->stream.value_or(0) > 0 ? kScatteredPlanes : 1;
  }
  /// Of what comes from the second level, where a few threads load what lies around a block's
  /// floats, one by one.
  double LoadedHalos() const {
    const auto& tile = kernel_.tile;
    const bool loaded = kernel_.schedule.halo == HaloBy::Loads;
    return loaded && tile && tile->dimensions == 3 && tile->stream && !IsDouble() ? kLoadedHalos
                                                                                  : 1;
  }

  /// Steps of a block beside those for the points of its chunk.
  std::int64_t Overlap() const {
    if (kernel_.tile) return kernel_.tile->StepsBefore() + kernel_.tile->StepsAfter();
    std::int64_t planes = 0;
    for (const Window& window : kernel_.windows) {
      planes = std::max<std::int64_t>(planes, window.last - window.first);
    }
    return planes;
  }
  /// A step's time where each multiprocessor has one block, over that where all are full; in
  /// hundredths, as code says it.
  double LoneStep() const {
    const double part = StepSeconds(1) / StepSeconds(ToDouble(cost_.occupancy.blocks));
    return std::round(100 * std::min(part, 1.0)) / 100;
  }
  /// Of a step where each multiprocessor has so many blocks.
  double StepSeconds(double blocks) const {
    const double part = blocks * device_.sms * ToDouble(cost_.traffic.threads) / ThreadSteps();
    const double work = part * Together(Alone(blocks, 1, 1));
    const double latency = StepLatency(/*direct=*/true) / device_.clock;
    const double exposed = StepLatency(/*direct=*/false) / device_.clock;
    return std::max(work, latency) + std::min(work, exposed) / blocks;
  }
  /// Blocks that the multiprocessor with the most of them gets.
  double BlocksPerSm() const { return std::ceil(ToDouble(cost_.traffic.blocks) / device_.sms); }

  /// The slowest unit, if nothing ever waited.
  double Throughput() {
    const Traffic& traffic = cost_.traffic;
    const double busy = std::min(1.0, ToDouble(traffic.blocks) / device_.sms);
    // Where blocks do not divide evenly the units of some multiprocessors are idle in the end.
    const double even = ToDouble(traffic.blocks) / device_.sms / BlocksPerSm();
    const double blocks = std::min(ToDouble(cost_.occupancy.blocks), BlocksPerSm());
    const UnitSeconds seconds = Alone(blocks, busy, even);
    const auto* most = std::max_element(seconds.begin(), seconds.end());
    cost_.limit = static_cast<CostLimit>(most - seconds.begin());
    std::copy(seconds.begin(), seconds.end(), cost_.alone.begin());
    return Together(seconds);
  }

  using UnitSeconds = std::array<double, 5>;  ///< by CostLimit, Memory to Exchange
  /// What each unit takes where multiprocessors have so many blocks at a time, `busy` of them have
  /// any, and `even` of them are not idle in the end.
  UnitSeconds Alone(double blocks, double busy, double even) const {
    const Traffic& traffic = cost_.traffic;
    const double cycles = device_.sms * device_.clock;
    const double reach = busy * kBytesPerClock * cycles;
    const double memory = std::min(device_.memory_achieved, reach);
    const double of_memory = kernel_.tile || Walks() ? kCacheOfSteps : kCacheOfPoints;
    const double cache = std::min(of_memory * device_.memory_achieved, reach);
    return {traffic.memory_bytes / memory,
            LoadedHalos() * (traffic.cache_bytes + PartsOfSectors()) / cache,
            2 * Slots(IsDouble() ? kDoubleDivision : kFloatDivision) / Peak() / even,
            Instructions() / (kIssueSlots * IssueEfficiency(blocks) * cycles) / even,
            Exchanged() / device_.shared_peak() / even};
  }
  /// The tightest limit hides nearly all of what the others take.
  static double Together(const UnitSeconds& seconds) {
    double all = 0;
    for (double each : seconds) all += each;
    const double most = *std::max_element(seconds.begin(), seconds.end());
    return most + kOverlapLoss * (all - most);
  }

  /// Of the issue slots, what the warps of one scheduler fill: each waits for its own results, and
  /// threads of many points have as many independent results under way as more warps.
  double IssueEfficiency(double blocks) const {
    constexpr double kSchedulers = 4;
    constexpr double kPoints = 8;  ///< of a thread, until they count for more warps
    constexpr double kEnough = 4;
    const double points = kernel_.tile ? std::max(1.0, kernel_.tile->Points() / kPoints) : 1;
    const double warps = points * blocks * ToDouble(cost_.traffic.threads) / device_.warp;
    return kIssueEfficiency * (1 + std::min(warps / kSchedulers, kEnough)) / (1 + kEnough);
  }

  int PointsAlongX() const {
    if (kernel_.matrix) return 1;  // a thread's points are apart
    return kernel_.tile ? kernel_.tile->points[kernel_.tile->dimensions - 1]
                        : kernel_.schedule.unroll[0];
  }
  /// Bytes more that the second-level cache takes where a thread's neighbouring points are stored
  /// one by one.
  double PartsOfSectors() const {
    constexpr int kMost = 4;
    const bool vectors = kernel_.tile && kernel_.tile->alignment > 1;
    const int stores = vectors ? 1 : std::min(kMost, PointsAlongX());
    return (stores - 1) * ToDouble(cost_.traffic.store_bytes);
  }

  /// Bytes through the memory that is both first-level cache and shared memory, and what else would
  /// go through it while threads that meet in a bank wait for each other: at strides of odd numbers
  /// of elements none do.
  double Exchanged() const {
    const Traffic& traffic = cost_.traffic;
    const std::int64_t bytes = traffic.shared_bytes - traffic.repeated_bytes + traffic.load_bytes -
                               traffic.merged_bytes + traffic.store_bytes;
    const int stride = PointsAlongX();
    const int meet = stride & -stride;
    return ToDouble(bytes) + (meet - 1) * ToDouble(traffic.strided_bytes) +
           ToDouble(traffic.shuffle_bytes);
  }

  bool IsDouble() const {
    return std::any_of(kernel_.ops.begin(), kernel_.ops.end(), [&](graph::NodeId node) {
      const auto version = OperatorAt(plan_, node).result;
      const auto& array = plan_.graph.arrays[plan_.graph.versions[version].array];
      return array.type == ScalarType::Double;
    });
  }
  double Peak() const { return IsDouble() ? device_.fp64_peak : device_.fp32_peak; }

  /// Of all threads: slots of arithmetic, where a division or root takes `each`.
  double Slots(double each) const {
    const Traffic& traffic = cost_.traffic;
    const double sums = kernel_.tile ? traffic.arithmetic : kSlotsPerFlop * ToDouble(traffic.flops);
    return sums + each * ToDouble(traffic.divisions);
  }

  /// Steps of all threads together.
  double ThreadSteps() const {
    const Traffic& traffic = cost_.traffic;
    return ToDouble(traffic.blocks * traffic.threads) * ToDouble(traffic.steps) /
           ToDouble(std::max<std::int64_t>(traffic.chunks, 1));
  }
  /// Of all threads: arithmetic, one for each value or vector moved (two for a shuffle of 8 bytes),
  /// and what addresses, loops and moves between registers take in blocks inside the domain, as
  /// counted in machine code. Threads beyond an edge run along.
  double Instructions() const {
    constexpr double kEachOperator = 1;  ///< a point: moves, and the choice of the background
    constexpr double kEachAccess = 1.5;  ///< to memory: load or store, address, test
    /// Without a tile, where each address is computed: from 64-bit positions, which the kernels had
    /// that the model was fitted to. With 32-bit ones machine code has 2.2.
    constexpr double kAddressed = 4.5;
    constexpr double kEachStep = 8;  ///< a thread: loop, pointers, rotation
    constexpr double kWord = 4;      ///< bytes that a shuffle moves
    const Traffic& traffic = cost_.traffic;
    const double thread_steps = ThreadSteps();
    double points = ToDouble(traffic.points);
    if (kernel_.tile) points = thread_steps * kernel_.tile->Points();
    return Slots(IsDouble() ? kDoubleDivisionIssue : kFloatDivisionIssue) +
           points * kEachOperator * ToDouble(static_cast<std::int64_t>(kernel_.ops.size())) +
           (kernel_.tile ? kEachAccess : kAddressed) *
               ToDouble(traffic.loads - traffic.merged_loads + traffic.stores - traffic.joined) +
           ToDouble(traffic.shared_loads - traffic.repeated_loads + traffic.shared_stores -
                    traffic.shared_joined) +
           ToDouble(traffic.shuffle_bytes) / kWord + thread_steps * kEachStep;
  }

  /// What one block waits for in one step, times the steps, times the rounds of blocks.
  double Latency(bool direct) const {
    const double steps = ToDouble(cost_.traffic.steps) / ToDouble(cost_.traffic.chunks);
    return Rounds() * steps * StepLatency(direct) / device_.clock;
  }
  double StepLatency(bool direct) const {
    double cycles =
        kernel_.tile ? TileStepLatency(*kernel_.tile, direct) : kPointsLatency + work_.levels;
    if (!kernel_.tile && cost_.traffic.steps == 1) cycles += kPointsLatency;
    // Without a tile a thread walks along the stream once a point.
    const auto& unroll = kernel_.schedule.unroll;
    if (!kernel_.tile && kernel_.schedule.stream) cycles *= unroll[0] * unroll[1] * unroll[2];
    return cycles;
  }
  double Rounds() const {
    const double rounds = Waves();
    // Short blocks follow each other at any time; long ones begin and end together.
    constexpr double kLong = 4;
    return rounds < kLong ? std::ceil(rounds) : rounds;
  }

  /// Of Latency of a lone block: with one barrier a step all levels do what they do with planes of
  /// earlier steps while the one that arrives is on its way.
  double HiddenArrival(double throughput) const {
    const auto& tile = kernel_.tile;
    if (!HoldsPlanes() || IsEarly(*tile) || work_.publishes_arriving) return 0;
    if (cost_.occupancy.blocks > 1) return 0;
    if (CountBarriers(*tile) > 1) return 0;
    const Traffic& traffic = cost_.traffic;
    const double waits = Rounds() * ToDouble(traffic.steps) / ToDouble(traffic.chunks);
    return std::min(waits * kMemoryLatency / device_.clock, kBeforeArrival * throughput);
  }
  bool IsEarly(const Tile& tile) const {
    return tile.stream && (LoadsAhead(kernel_.schedule) || !work_.uses_arriving);
  }

  /// `direct`: until a step is over, however many steps are under way. Else what the step's own
  /// threads wait for: what comes for a later step is on its way all the while.
  double TileStepLatency(const Tile& tile, bool direct) const {
    const double levels = work_.levels;
    const double part = direct ? 1 : 1 / ToDouble(static_cast<std::int64_t>(tile.ops.size()));
    if (!IsEarly(tile)) return levels + kMemoryLatency + part * DirectLatency();
    if (direct) return std::max(levels, kMemoryLatency) + DirectLatency();
    return levels + DirectLatency() / ToDouble(static_cast<std::int64_t>(tile.ops.size()));
  }
  /// What operators read from memory themselves is asked for after the barrier before them. Where
  /// only threads at the domain's edge do, few steps wait.
  double DirectLatency() const {
    const double element = IsDouble() ? 8 : 4;
    const double each = ToDouble(cost_.traffic.direct_bytes) / element / ThreadSteps();
    return kDirectLatency * std::min(1.0, each);
  }

  const Plan& plan_;
  const Kernel& kernel_;
  const machine::Gpu& device_;
  const int register_limit_;
  const ThreadWork& work_;
  KernelCost cost_;
  bool spills_ = false;
};

}  // namespace

KernelCost EstimateKernel(const Plan& plan, KernelId id, const machine::Gpu& device,
                          const ParameterValues& parameters, int register_limit,
                          const ThreadWork& work) {
  return KernelModel(plan, id, device, parameters, register_limit, work).Run();
}

}  // namespace stencilgen::plan
