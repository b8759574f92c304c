#include "suite/machine.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"

namespace stencilgen::suite {
namespace {

namespace fs = std::filesystem;

std::string ReadWord(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// `32768K` in bytes.
double SizeOf(const std::string& text) {
  if (text.empty()) return 0;
  const double number = std::atof(text.c_str());
  return number * (text.back() == 'K' ? 1024.0 : text.back() == 'M' ? 1048576.0 : 1.0);
}

/// Each kind of cache of the first core: `L1d`, bytes, how many cores share it.
Json Caches() {
  Json caches = Json::array();
  for (int n = 0; n < 8; ++n) {
    const fs::path folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", n);
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) break;
    const std::string type = ReadWord(folder / "type");
    if (type == "Instruction") continue;
    caches.push_back(
        {{"name", fmt::format("L{}{}", ReadWord(folder / "level"), type == "Data" ? "d" : "")},
         {"bytes", SizeOf(ReadWord(folder / "size"))},
         {"shared_by", ReadWord(folder / "shared_cpu_list")}});
  }
  return caches;
}

/// Values of a file of `key : value` lines, the first of each.
std::string Field(const char* file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string ProbeText() {
  std::ifstream file(fs::path(STENCILGEN_SOURCE_DIR) / "benchmarks" / "suite" / "probe.cpp");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr const char* kGpuProbe = R"(
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
extern "C" double probe_gpu(char* name, int size, char* arch) {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return -1;
  std::snprintf(name, std::size_t(size), "%s", properties.name);
  std::snprintf(arch, std::size_t(size), "sm_%d%d", properties.major, properties.minor);
  const std::size_t bytes = std::min<std::size_t>(std::size_t(1) << 31, properties.totalGlobalMem / 4);
  void *from = nullptr, *to = nullptr;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) return -1;
  cudaMemset(from, 1, bytes);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times;
  for (int n = 0; n < 12; ++n) {
    cudaEventRecord(start);
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
    cudaEventRecord(stop);
    if (cudaEventSynchronize(stop) != cudaSuccess) return -1;
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, stop);
    if (n >= 2) times.push_back(milliseconds);
  }
  cudaFree(from);
  cudaFree(to);
  std::sort(times.begin(), times.end());
  return 2e3 * double(bytes) / times[times.size() / 2];
}
)";

}  // namespace

Json DescribeMachine() {
  Json cpu;
  cpu["model"] = Field("/proc/cpuinfo", "model name");
  cpu["family"] = Field("/proc/cpuinfo", "cpu family");
  cpu["number"] = Field("/proc/cpuinfo", "model\t");
  cpu["cores"] = sysconf(_SC_NPROCESSORS_ONLN);
  cpu["caches"] = Caches();
  cpu["memory_bytes"] =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const char* threads = std::getenv("OMP_NUM_THREADS");
  cpu["threads"] = threads != nullptr ? Json(threads) : Json(nullptr);
  return {{"cpu", cpu}, {"load_at_start", ReadWord("/proc/loadavg")}};
}

double LastLevelCache() {
  double most = 0;
  for (const Json& cache : Caches()) most = std::max(most, cache["bytes"].get<double>());
  return most > 0 ? most : 32.0 * 1048576;
}

Peaks MeasurePeaks(double bytes, bool quick) {
  Peaks peaks;
  const driver::TemporaryDirectory directory;
  driver::BuildOptions build;
  build.directory = directory.path();
  const auto library = driver::HostLibrary::Build(ProbeText(), "probe", build, peaks.error);
  if (!library) return peaks;
  const auto flops = [&](const char* name) {
    const auto probe = reinterpret_cast<double (*)(long)>(library->Symbol(name));
    double most = 0;
    for (int n = 0; n < 5; ++n) most = std::max(most, probe(quick ? 500'000 : 2'000'000));
    return most;
  };
  peaks.flops_double = flops("probe_double");
  peaks.flops_float = flops("probe_float");
  const auto count = static_cast<std::size_t>(bytes / 16);
  std::vector<double> from(count, 1.0), to(count, 0.0);
  const auto copy = [&](const char* name) {
    const auto probe =
        reinterpret_cast<double (*)(double*, const double*, long)>(library->Symbol(name));
    std::vector<double> seconds;
    for (int n = 0; n < 12; ++n) {
      seconds.push_back(probe(to.data(), from.data(), static_cast<long>(count)));
    }
    std::sort(seconds.begin(), seconds.end());
    return 16.0 * static_cast<double>(count) / seconds[seconds.size() / 4];
  };
  peaks.copy = copy("probe_copy");
  peaks.copy_direct = copy("probe_memcpy");
  return peaks;
}

Gpu FindGpu() {
  Gpu gpu;
  if (driver::FindCompiler(driver::Backend::Cuda).empty()) {
    gpu.error = "no nvcc";
    return gpu;
  }
  std::error_code ignored;
  if (!fs::exists("/dev/nvidiactl", ignored)) {
    gpu.error = "no GPU";
    return gpu;
  }
  const driver::TemporaryDirectory directory;
  driver::BuildOptions build;
  build.backend = driver::Backend::Cuda;
  build.directory = directory.path();
  build.arch = "native";
  const auto library = driver::HostLibrary::Build(kGpuProbe, "probe_gpu", build, gpu.error);
  if (!library) return gpu;
  const auto probe = reinterpret_cast<double (*)(char*, int, char*)>(library->Symbol("probe_gpu"));
  char name[256] = "", arch[256] = "";
  gpu.copy = probe(name, sizeof name, arch);
  gpu.name = name;
  gpu.arch = arch;
  if (gpu.copy <= 0) gpu.error = "the GPU does not copy";
  return gpu;
}

}  // namespace stencilgen::suite
