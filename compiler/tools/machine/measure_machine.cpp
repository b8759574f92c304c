#include "tools/machine/measure_machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <unistd.h>

#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/tuning_key.h"
#include "tools/machine/embedded_template.h"
#include "tools/machine/topology.h"

namespace stencilgen::driver {
namespace {

using machine::Cache;
using machine::Cpu;

/// The loops of the template, by number.
enum class Loop { Read, Copy, Triad, StreamingCopy, StreamingTriad };
constexpr std::array kMemoryLoops = {0, 1, 2, 3, 4};

using Number = int (*)();
using Clock = double (*)(double seconds, int cpu, double* multiply_adds);
using Bandwidth = int (*)(const int* cpus, int threads, std::size_t bytes, const int* loops,
                          int count, double seconds, double* rates);

class Measurement {
 public:
  Measurement(const HostLibrary& library, Topology topology, double seconds, int threads)
      : library_(library), topology_(std::move(topology)) {
    if (threads > 0 && static_cast<std::size_t>(threads) < topology_.core_cpus.size()) {
      topology_.core_cpus.resize(static_cast<std::size_t>(threads));
    }
    // Clock and multiply-adds, caches and memory, each with one thread and with all; and as much
    // again for what is filled, warmed and probed.
    const auto parts =
        static_cast<double>(2 + 2 * topology_.caches.size() + 2 * kMemoryLoops.size());
    each_ = seconds / (2 * parts);
  }

  /// False where there is no memory for the arrays.
  bool Run(Cpu& cpu) {
    cpu.cores = static_cast<int>(topology_.core_cpus.size());
    cpu.threads = std::max(topology_.threads, cpu.cores);
    cpu.vector_bytes = Get<Number>("stencilgen_machine_vector_bytes")();
    cpu.vector_registers = Get<Number>("stencilgen_machine_vector_registers")();
    double multiply_adds = 1;
    cpu.clock = Get<Clock>("stencilgen_machine_clock")(2 * each_, topology_.core_cpus.front(),
                                                       &multiply_adds);
    cpu.multiply_adds = std::max(1, static_cast<int>(std::lround(multiply_adds)));
    cpu.caches = topology_.caches;
    return MeasureMemory(cpu) && MeasureCaches(cpu);
  }

 private:
  template <typename Function>
  Function Get(const char* name) const {
    return reinterpret_cast<Function>(library_.Symbol(name));
  }
  int Threads(bool all) const { return all ? static_cast<int>(topology_.core_cpus.size()) : 1; }

  /// Rates of the loops on that many bytes of all threads together; empty without memory.
  std::vector<double> Rates(bool all, double bytes, const std::vector<int>& loops,
                            double seconds) const {
    std::vector<double> rates(loops.size(), 0);
    const int threads = Threads(all);
    const auto own = static_cast<std::size_t>(bytes / threads);
    const int status = Get<Bandwidth>("stencilgen_machine_bandwidth")(
        topology_.core_cpus.data(), threads, own, loops.data(), static_cast<int>(loops.size()),
        seconds, rates.data());
    return status == 0 ? rates : std::vector<double>{};
  }

  /// Bytes of arrays that do not stay in any cache.
  double MemoryBytes() const {
    constexpr double kLeast = 64.0 * (1 << 20);
    constexpr double kMost = 1536.0 * (1 << 20);
    double caches = 0;
    for (const Cache& cache : topology_.caches) caches += BytesOf(cache, true);
    const double memory =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    return std::clamp(4 * caches, kLeast, std::max(kLeast, std::min(kMost, memory / 8)));
  }

  /// Of all caches of a level that the threads use.
  double BytesOf(const Cache& cache, bool all) const {
    const double caches = std::ceil(static_cast<double>(Threads(all)) / cache.cores);
    return caches * static_cast<double>(cache.bytes);
  }

  bool MeasureMemory(Cpu& cpu) {
    const std::vector<int> loops(kMemoryLoops.begin(), kMemoryLoops.end());
    for (const bool all : {false, true}) {
      const std::vector<double> rates = Rates(all, MemoryBytes(), loops, each_);
      if (rates.empty()) return false;
      const auto at = [&](Loop loop) { return rates[static_cast<std::size_t>(loop)]; };
      (all ? cpu.read_all : cpu.read_one) = at(Loop::Read);
      (all ? cpu.copy_all : cpu.copy_one) = at(Loop::Copy);
      (all ? cpu.triad_all : cpu.triad_one) = at(Loop::Triad);
      (all ? cpu.streaming_copy_all : cpu.streaming_copy_one) = at(Loop::StreamingCopy);
      (all ? cpu.streaming_triad_all : cpu.streaming_triad_one) = at(Loop::StreamingTriad);
    }
    return true;
  }

  bool MeasureCaches(Cpu& cpu) {
    double below = 0;  // of all threads, in the level before
    for (std::size_t n = 0; n < cpu.caches.size(); ++n) {
      Cache& cache = cpu.caches[n];
      if (n + 1 == cpu.caches.size() && n > 0 && !ShrinkToWhatWeGet(cpu, cache, below))
        return false;
      for (const bool all : {false, true}) {
        // Half of it, or what lies between two levels that are close.
        const double inner = n == 0 ? 0 : BytesOf(cpu.caches[n - 1], all);
        const double bytes =
            std::max(BytesOf(cache, all) / 2, std::min(1.5 * inner, BytesOf(cache, all)));
        const std::vector<double> rates = Rates(all, bytes, {static_cast<int>(Loop::Triad)}, each_);
        if (rates.empty()) return false;
        (all ? cache.all : cache.one) = rates.front();
      }
      below = BytesOf(cache, true);
    }
    return true;
  }

  /// The last level may be shared with machines that this one does not know of: it counts as far as
  /// arrays in it are faster than in memory.
  bool ShrinkToWhatWeGet(const Cpu& cpu, Cache& cache, double below) const {
    constexpr double kFaster = 1.3;
    constexpr int kProbes = 4;
    for (int probe = 0; probe < kProbes; ++probe) {
      const double bytes = BytesOf(cache, true) / 2;
      if (bytes < 4 * below) return true;
      const std::vector<double> rates =
          Rates(true, bytes, {static_cast<int>(Loop::Triad)}, each_ / 2);
      if (rates.empty()) return false;
      if (rates.front() > kFaster * cpu.triad_all) return true;
      cache.bytes /= 2;
    }
    return true;
  }

  const HostLibrary& library_;
  Topology topology_;
  double each_ = 0;  ///< seconds of a loop
};

}  // namespace

std::variant<Cpu, std::string> MeasureMachine(double seconds, int threads) {
  const TemporaryDirectory folder;
  if (folder.path().empty()) return "no temporary folder can be made";
  BuildOptions build;
  build.directory = folder.path();
  std::string error;
  const auto library = HostLibrary::Build(std::string(MachineTemplate("templates/loops.cpp.tmpl")),
                                          "loops", build, error);
  if (library == nullptr) return error;
  Cpu cpu;
  cpu.model = CpuModel();
  if (!Measurement(*library, FindTopology(), seconds, threads).Run(cpu)) {
    return "there is not enough memory for arrays larger than the caches";
  }
  return cpu;
}

}  // namespace stencilgen::driver
