#include <algorithm>

#include "machine/description_reader.h"

namespace stencilgen::machine {
namespace {

const std::vector<Field<Gpu>>& GpuFields() {
  static const std::vector<Field<Gpu>> kFields = {
      {"arch", &Gpu::arch},
      {"model", &Gpu::model},
      {"sms", &Gpu::sms, 1, 1e6},
      {"warp", &Gpu::warp, 32, 64},
      {"threads_per_sm", &Gpu::threads_per_sm, 32, 1e6},
      {"threads_per_block", &Gpu::threads_per_block, 32, 1024},
      {"blocks_per_sm", &Gpu::blocks_per_sm, 1, 1e6},
      {"registers_per_sm", &Gpu::registers_per_sm, 1, 1e9},
      {"registers_per_thread", &Gpu::registers_per_thread, 16, 512},
      {"register_unit", &Gpu::register_unit, 1, 1e6},
      {"register_file_partitions", &Gpu::register_file_partitions, 1, 64},
      {"shared_per_sm", &Gpu::shared_per_sm, 0, kMostBytes},
      {"shared_per_block", &Gpu::shared_per_block, 0, kMostBytes},
      {"shared_per_block_most", &Gpu::shared_per_block_most, 0, kMostBytes},
      {"shared_reserved", &Gpu::shared_reserved, 0, kMostBytes},
      {"shared_unit", &Gpu::shared_unit, 1, kMostBytes},
      {"l2_bytes", &Gpu::l2_bytes, 0, kMostBytes},
      {"memory_peak", &Gpu::memory_peak, 1, kMostRate},
      {"memory_achieved", &Gpu::memory_achieved, 1, kMostRate},
      {"fp32_peak", &Gpu::fp32_peak, 1, kMostRate},
      {"fp64_peak", &Gpu::fp64_peak, 1, kMostRate},
      {"fp32_stencil", &Gpu::fp32_stencil, 1, kMostRate},
      {"fp64_stencil", &Gpu::fp64_stencil, 1, kMostRate},
      {"clock", &Gpu::clock, 1, kMostRate},
      {"shared_per_clock", &Gpu::shared_per_clock, 1, kMostRate}};
  return kFields;
}

/// All but what nearly all devices have in common.
std::vector<std::string> NeededNames() {
  std::vector<std::string> names = NamesOf(GpuFields());
  names.erase(std::find(names.begin(), names.end(), "warp"));
  return names;
}

/// What the model divides by, and what could not run.
ReadResult CheckTogether(const Gpu& gpu, const DescriptionText& text) {
  const auto at_most = [&](const char* small_name, std::int64_t small, const char* large_name,
                           std::int64_t large) -> ReadResult {
    if (small <= large) return std::nullopt;
    return text.Error({small_name}, fmt::format("`{}` is {}, more than `{}`, {}", small_name, small,
                                                large_name, large));
  };
  for (const ReadResult& error :
       {at_most("threads_per_block", gpu.threads_per_block, "threads_per_sm", gpu.threads_per_sm),
        at_most("shared_per_block", gpu.shared_per_block, "shared_per_block_most",
                gpu.shared_per_block_most),
        at_most("shared_per_block_most", gpu.shared_per_block_most, "shared_per_sm",
                gpu.shared_per_sm),
        at_most("register_unit", gpu.register_unit, "registers_per_sm", gpu.registers_per_sm),
        at_most("register_file_partitions", gpu.register_file_partitions, "registers_per_sm",
                gpu.registers_per_sm)}) {
    if (error) return error;
  }
  if (gpu.warp != 32 && gpu.warp != 64) {
    return text.Error({"warp"},
                      fmt::format("`warp` is {}, but warps have 32 threads or 64", gpu.warp));
  }
  if (gpu.memory_achieved > gpu.memory_peak) {
    return text.Error({"memory_achieved"},
                      fmt::format("`memory_achieved` is {:g}, more than `memory_peak`, {:g}",
                                  gpu.memory_achieved, gpu.memory_peak));
  }
  return std::nullopt;
}

}  // namespace

std::variant<Target, DescriptionError> ReadGpu(const Json& json, const DescriptionText& text) {
  std::vector<std::string> names = {"kind", "base"};
  for (const std::string& name : NamesOf(GpuFields())) names.push_back(name);
  if (auto error = CheckNames(json, text, {}, "device", names)) return *error;
  Gpu gpu;
  if (json.contains("base")) {
    const Json& base = json["base"];
    const Gpu* found = base.is_string() ? FindGpu(base.get<std::string>()) : nullptr;
    if (found == nullptr) {
      return text.Error({"base"},
                        fmt::format("`base` is {}, of which there is no description", base.dump()),
                        R"(for example "base": "sm_90")");
    }
    gpu = *found;
  } else if (auto error =
                 CheckComplete(json, NeededNames(), text, {},
                               R"(with "base": "sm_90" what is not said is that device's)")) {
    return *error;
  }
  if (auto error = ReadFields(gpu, GpuFields(), json, text, {})) return *error;
  if (auto error = CheckTogether(gpu, text)) return *error;
  return gpu;
}

Json PrintGpu(const Gpu& gpu) {
  Json json;
  json["kind"] = "gpu";
  json.update(PrintFields(gpu, GpuFields()));
  return json;
}

}  // namespace stencilgen::machine
