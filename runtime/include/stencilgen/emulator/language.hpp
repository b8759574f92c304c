#ifndef STENCILGEN_EMULATOR_LANGUAGE_HPP
#define STENCILGEN_EMULATOR_LANGUAGE_HPP

/// What CUDA adds to C++: specifiers, index types and the built-in index variables.

/// Each shared library has an emulator of its own, also where several are loaded.
#define STENCILGEN_EMULATOR_HIDDEN __attribute__((visibility("hidden")))

/// A program compiles the emulator with its kernels; or, with STENCILGEN_EMULATOR_COMPILED, it
/// links an object that was compiled from emulator.hpp with STENCILGEN_EMULATOR_OBJECT, as who
/// compiles many programs does. These say how what is in that object is declared.
#if defined(STENCILGEN_EMULATOR_COMPILED)
#define STENCILGEN_EMULATOR_VARIABLE extern
#elif defined(STENCILGEN_EMULATOR_OBJECT)
#define STENCILGEN_EMULATOR_VARIABLE
#define STENCILGEN_EMULATOR_FUNCTION
#else
#define STENCILGEN_EMULATOR_VARIABLE inline
#define STENCILGEN_EMULATOR_FUNCTION inline
#endif

// NOLINTBEGIN(bugprone-reserved-identifier)
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(count)
#define __align__(n) __attribute__((aligned(n)))
/// Poisoned at the start of each block, but accesses are neither checked nor counted; not for
/// kernel templates. DynamicShared is the better way.
#define __shared__ static __attribute__((section("stencilgen_shared")))
// NOLINTEND(bugprone-reserved-identifier)

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

STENCILGEN_EMULATOR_HIDDEN inline uint3 threadIdx = {0, 0, 0};
STENCILGEN_EMULATOR_HIDDEN inline uint3 blockIdx = {0, 0, 0};
STENCILGEN_EMULATOR_HIDDEN inline dim3 blockDim;
STENCILGEN_EMULATOR_HIDDEN inline dim3 gridDim;
inline constexpr int warpSize = 32;

#endif  // STENCILGEN_EMULATOR_LANGUAGE_HPP
