#ifndef STENCILGEN_EMBEDDED_HALF_HPP
#define STENCILGEN_EMBEDDED_HALF_HPP

#include "stencilgen/embedded.hpp"
#include "stencilgen/half.hpp"

// Of the headers of CUDA and HIP, which may come later or not at all.
struct __half;
struct __nv_bfloat16;
struct __hip_bfloat16;

/// Which types of 16 bits of the code around a stencil program are its `half` and `bfloat16`.
namespace stencilgen {
namespace embedded {

template <>
struct ProgramType<__half> {
  using type = Half;
};
template <>
struct ProgramType<__nv_bfloat16> {
  using type = BFloat16;
};
template <>
struct ProgramType<__hip_bfloat16> {
  using type = BFloat16;
};
// std::float16_t and std::bfloat16_t are these.
#if defined(__FLT16_MAX__) && (!defined(__clang__) || __clang_major__ >= 15)
template <>
struct ProgramType<_Float16> {
  using type = Half;
};
#endif
#if defined(__BFLT16_MAX__) || (defined(__clang__) && defined(__SSE2__) && __clang_major__ >= 17)
template <>
struct ProgramType<__bf16> {
  using type = BFloat16;
};
#endif

}  // namespace embedded
}  // namespace stencilgen

#endif  // STENCILGEN_EMBEDDED_HALF_HPP
