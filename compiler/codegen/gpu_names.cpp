#include "codegen/gpu_names.h"

#include <array>
#include <cctype>
#include <utility>

namespace stencilgen::codegen {
namespace {

/// What is not called the same but for `cuda` and `hip`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOthers = {
    {{"cuda_runtime.h", "hip/hip_runtime.h"},
     {"CUstream_st", "ihipStream_t"},
     {"cudaErrorMemoryAllocation", "hipErrorOutOfMemory"}}};

bool IsPartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string InLanguage(std::string_view text, GpuLanguage language) {
  if (language == GpuLanguage::Cuda) return std::string(text);
  constexpr std::string_view kCuda = "cuda";
  std::string out;
  while (!text.empty()) {
    bool replaced = false;
    const bool starts_name = out.empty() || !IsPartOfName(out.back());
    for (const auto& [cuda, hip] : kOthers) {
      if (!starts_name || text.substr(0, cuda.size()) != cuda) continue;
      out.append(hip);
      text.remove_prefix(cuda.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    if (starts_name && text.size() > kCuda.size() && text.substr(0, kCuda.size()) == kCuda &&
        std::isupper(static_cast<unsigned char>(text[kCuda.size()])) != 0) {
      out.append("hip");
      text.remove_prefix(kCuda.size());
      continue;
    }
    out.push_back(text.front());
    text.remove_prefix(1);
  }
  return out;
}

std::string_view StreamStruct(GpuLanguage language) {
  return language == GpuLanguage::Hip ? "ihipStream_t" : "CUstream_st";
}

}  // namespace stencilgen::codegen
