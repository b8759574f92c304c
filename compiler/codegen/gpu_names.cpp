#include "codegen/gpu_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace stencilgen::codegen {
namespace {

/// What is not called the same but for `cuda` and `hip`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOthers = {
    {{"cuda_runtime", "hip/hip_runtime"},
     {"cudaDevAttrMultiProcessorCount", "hipDeviceAttributeMultiprocessorCount"},
     {"CUstream_st", "ihipStream_t"},
     {"cudaErrorMemoryAllocation", "hipErrorOutOfMemory"}}};

bool IsPartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string HipName(std::string_view name) {
  for (const auto& [cuda, hip] : kOthers) {
    if (name == cuda) return std::string(hip);
  }
  constexpr std::string_view kCuda = "cuda";
  const bool is_cuda = name.size() > kCuda.size() && name.substr(0, kCuda.size()) == kCuda &&
                       std::isupper(static_cast<unsigned char>(name[kCuda.size()])) != 0;
  return is_cuda ? "hip" + std::string(name.substr(kCuda.size())) : std::string(name);
}

}  // namespace

std::string InLanguage(std::string_view text, GpuLanguage language) {
  if (language == GpuLanguage::Cuda) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const bool is_name = IsPartOfName(text.front());
    const auto* const end =
        std::find_if(text.begin(), text.end(), [&](char c) { return IsPartOfName(c) != is_name; });
    const auto length = static_cast<std::size_t>(end - text.begin());
    const std::string_view piece = text.substr(0, length);
    out += is_name ? HipName(piece) : std::string(piece);
    text.remove_prefix(length);
  }
  return out;
}

std::string_view StreamStruct(GpuLanguage language) {
  return language == GpuLanguage::Hip ? "ihipStream_t" : "CUstream_st";
}

}  // namespace stencilgen::codegen
