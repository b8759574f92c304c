#include "tools/machine/topology.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif
#include <fmt/format.h>

namespace stencilgen::driver {

namespace fs = std::filesystem;

namespace {

std::string FirstLine(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Those that the process may run on.
std::vector<int> AllowedCpus() {
  std::vector<int> cpus;
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
    }
  }
#endif
  const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int cpu = 0; cpus.empty() && cpu < count; ++cpu) cpus.push_back(cpu);
  return cpus;
}

/// `32K`, `1M`
std::int64_t ParseSize(const std::string& text) {
  std::int64_t size = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (status != std::errc()) return 0;
  if (stop != text.data() + text.size()) size *= *stop == 'K' ? 1024 : (*stop == 'M' ? 1 << 20 : 1);
  return size;
}

/// The data caches of one CPU.
std::vector<machine::Cache> CachesOf(const fs::path& cpu, const std::vector<int>& cores) {
  std::vector<machine::Cache> caches;
  for (int index = 0;; ++index) {
    const fs::path folder = cpu / "cache" / fmt::format("index{}", index);
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) break;
    if (FirstLine(folder / "type") == "Instruction") continue;
    machine::Cache cache;
    cache.level = static_cast<int>(ParseSize(FirstLine(folder / "level")));
    cache.bytes = ParseSize(FirstLine(folder / "size"));
    cache.line = static_cast<int>(ParseSize(FirstLine(folder / "coherency_line_size")));
    if (cache.line < 1) cache.line = 64;
    const std::vector<int> sharing = ParseCpuList(FirstLine(folder / "shared_cpu_list"));
    cache.cores = static_cast<int>(std::count_if(cores.begin(), cores.end(), [&](int core) {
      return std::find(sharing.begin(), sharing.end(), core) != sharing.end();
    }));
    cache.cores = std::max(cache.cores, 1);
    if (cache.level > 0 && cache.bytes > 0) caches.push_back(cache);
  }
  std::sort(caches.begin(), caches.end(), [](const auto& a, const auto& b) {
    return a.level != b.level ? a.level < b.level : a.bytes < b.bytes;
  });
  // Each level larger than the one before.
  std::vector<machine::Cache> growing;
  for (const machine::Cache& cache : caches) {
    if (growing.empty() ||
        (cache.level > growing.back().level && cache.bytes > growing.back().bytes)) {
      growing.push_back(cache);
    }
  }
  return growing;
}

}  // namespace

std::vector<int> ParseCpuList(const std::string& text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  constexpr int kMost = 1 << 16;
  while (at < end) {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc() || first < 0 || first > kMost) break;
    int last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || last > kMost) break;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    at = read.ptr;
    if (at < end && *at != ',') break;
    ++at;
  }
  return cpus;
}

Topology FindTopology(const fs::path& cpus) {
  Topology topology;
  const std::vector<int> allowed = AllowedCpus();
  topology.threads = static_cast<int>(allowed.size());
  std::set<int> taken;  // siblings of a core that is counted
  for (const int cpu : allowed) {
    if (taken.count(cpu) > 0) continue;
    topology.core_cpus.push_back(cpu);
    const fs::path folder = cpus / fmt::format("cpu{}", cpu);
    for (const int sibling :
         ParseCpuList(FirstLine(folder / "topology" / "thread_siblings_list"))) {
      taken.insert(sibling);
    }
  }
  topology.caches =
      CachesOf(cpus / fmt::format("cpu{}", topology.core_cpus.front()), topology.core_cpus);
  return topology;
}

}  // namespace stencilgen::driver
