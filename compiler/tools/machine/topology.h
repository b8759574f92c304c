#pragma once

#include <filesystem>
#include <vector>

#include "machine/cpu.h"

namespace stencilgen::driver {

/// What the system says of its CPUs.
struct Topology {
  std::vector<int> core_cpus;  ///< a logical CPU of each core that this process may use
  int threads = 1;             ///< logical CPUs that it may use
  /// Data caches, from the first level on, without bandwidths.
  std::vector<machine::Cache> caches;
};

/// `cpus`: the folder with one a CPU. Where that says nothing, all CPUs are cores of their own and
/// there are no caches.
Topology FindTopology(const std::filesystem::path& cpus = "/sys/devices/system/cpu");

/// The CPUs of a list like `0-3,8,10-11`; what is none is left out.
std::vector<int> ParseCpuList(const std::string& text);

}  // namespace stencilgen::driver
