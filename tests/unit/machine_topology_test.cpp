// What the system says of its CPUs, read from a folder as Linux has it.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_directory.h"
#include "tools/machine/machine_command.h"
#include "tools/machine/topology.h"

using namespace stencilgen;
using driver::ParseCpuList;
namespace fs = std::filesystem;

namespace {

void Write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}

void WriteCache(const fs::path& cpu, const std::string& index, const std::string& level,
                const std::string& type, const std::string& size, const std::string& shared) {
  const fs::path folder = cpu / "cache" / ("index" + index);
  Write(folder / "level", level);
  Write(folder / "type", type);
  Write(folder / "size", size);
  Write(folder / "coherency_line_size", "64");
  Write(folder / "shared_cpu_list", shared);
}

}  // namespace

TEST_CASE("lists of CPUs") {
  CHECK(ParseCpuList("0-3,8,10-11") == std::vector<int>{0, 1, 2, 3, 8, 10, 11});
  CHECK(ParseCpuList("5") == std::vector<int>{5});
  for (const char* none : {"", "x", "-1", ","}) CHECK(ParseCpuList(none).empty());
  CHECK(ParseCpuList("1,x") == std::vector<int>{1});
  CHECK(ParseCpuList("0-99999999999").empty());
}

TEST_CASE("caches and cores are as the system says") {
  const testing::TemporaryDirectory folder;
  // Every CPU of a machine with many, so that the ones this process may use are among them.
  const int first = driver::FindTopology(folder.path()).core_cpus.front();
  const fs::path cpu = folder.path() / ("cpu" + std::to_string(first));
  Write(cpu / "topology" / "thread_siblings_list", std::to_string(first));
  WriteCache(cpu, "0", "1", "Data", "48K", std::to_string(first));
  WriteCache(cpu, "1", "1", "Instruction", "32K", std::to_string(first));
  WriteCache(cpu, "2", "2", "Unified", "2048K", std::to_string(first));
  WriteCache(cpu, "3", "3", "Unified", "105M", "0-4095");
  const driver::Topology topology = driver::FindTopology(folder.path());
  REQUIRE(topology.caches.size() == 3);
  CHECK(topology.caches[0].bytes == 48 * 1024);
  CHECK(topology.caches[0].cores == 1);
  CHECK(topology.caches[1].bytes == 2048 * 1024);
  CHECK(topology.caches[2].bytes == 105 << 20);
  CHECK(topology.caches[2].level == 3);
  CHECK(topology.caches[2].cores == static_cast<int>(topology.core_cpus.size()));
  CHECK(topology.threads >= static_cast<int>(topology.core_cpus.size()));
}

TEST_CASE("threads of one core count once") {
  const testing::TemporaryDirectory folder;
  const driver::Topology alone = driver::FindTopology(folder.path());
  for (const int cpu : alone.core_cpus) {
    Write(folder.path() / ("cpu" + std::to_string(cpu)) / "topology" / "thread_siblings_list",
          "0-4095");
  }
  const driver::Topology topology = driver::FindTopology(folder.path());
  CHECK(topology.core_cpus.size() == 1);
  CHECK(topology.threads == alone.threads);
  CHECK(topology.caches.empty());
}

TEST_CASE("the table has what a description has") {
  const std::string table = driver::MachineTable(machine::DefaultCpu());
  for (const char* part :
       {"4 cores, 4 threads, 3.00 GHz", "vectors of 32 bytes, 16 registers, 2 multiply-adds",
        "48.0 Gflop/s", "level 3 cache, 8 MiB for 4 cores", "stores past caches"}) {
    INFO(table << part);
    CHECK(table.find(part) != std::string::npos);
  }
}
