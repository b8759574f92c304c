#ifndef STENCILGEN_EMULATOR_HPP
#define STENCILGEN_EMULATOR_HPP

/// A CUDA device on the CPU, for testing: a generated `.cu` is compiled by the host compiler with
///   g++ -x c++ -std=c++17 -DSTENCILGEN_EMULATOR -I runtime/include/stencilgen/emulator
///       -I runtime/include file.cu -lboost_context
/// where `cuda_runtime.h` in that folder stands in for CUDA's. Each CUDA thread is a fiber; blocks
/// run one after another on the calling thread; the threads of a block, and the blocks, run in an
/// order chosen by SetThreadOrder or the environment (STENCILGEN_EMULATOR_ORDER=forward, backward
/// or a seed). It says that it is an H200; SetOccupancy or STENCILGEN_EMULATOR_OCCUPANCY=20x4 make
/// it one of 20 multiprocessors that run 4 blocks each, whatever kernel it is. Device and shared
/// memory start as bytes 0xFF: NaN, or -1. Accesses through Global<T> and Shared<T> are checked and
/// counted.
///
/// To compile many programs in a fourth of the time, compile the emulator once, with their flags:
///   g++ <flags> -O2 -DSTENCILGEN_EMULATOR_OBJECT -x c++ -c emulator.hpp -o DIR/emulator.o
///   g++ <flags> -DSTENCILGEN_EMULATOR_COMPILED -x c++-header emulator.hpp -o DIR/emulator.hpp.gch
/// and add `-DSTENCILGEN_EMULATOR_COMPILED -include DIR/emulator.hpp DIR/emulator.o` to theirs.
/// `stencilgen run` does so. All parts of a program have the emulator from one place.
///
/// A program in HIP C++ is compiled in the same way, with -DSTENCILGEN_WARP_LANES=64 where it is
/// for wavefronts of 64 threads.
///
/// Host threads may use it at once: their calls take turns, a launch is one call. Errors are kept
/// by host thread, as CUDA does.

#include "emulator/control.hpp"
#include "emulator/counters.hpp"
#include "emulator/device_pointers.hpp"
#include "emulator/errors.hpp"
#include "emulator/fibers.hpp"
#include "emulator/graphs.hpp"
#include "emulator/hip_names.hpp"
#include "emulator/intrinsics.hpp"
#include "emulator/language.hpp"
#include "emulator/memory.hpp"
#include "emulator/runtime_api.hpp"
#include "emulator/scheduler.hpp"
#include "emulator/tile_access.hpp"

#endif  // STENCILGEN_EMULATOR_HPP
