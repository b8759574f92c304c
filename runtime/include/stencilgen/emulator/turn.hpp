#ifndef STENCILGEN_EMULATOR_TURN_HPP
#define STENCILGEN_EMULATOR_TURN_HPP

#include "language.hpp"

#if !defined(STENCILGEN_EMULATOR_COMPILED)
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#endif

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// While it lives, its host thread has the device to itself; others wait for their turn. Who waits
/// comes next, so that the calls of host threads mix as on a device.
class Turn {
 public:
  Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();
};

#if !defined(STENCILGEN_EMULATOR_COMPILED)
inline std::recursive_mutex device_mutex;
inline std::atomic<int> waiting_threads{0};
inline thread_local int turn_depth = 0;

STENCILGEN_EMULATOR_FUNCTION Turn::Turn() {
  if (!device_mutex.try_lock()) {
    ++waiting_threads;
    device_mutex.lock();
    --waiting_threads;
  }
  ++turn_depth;
}
STENCILGEN_EMULATOR_FUNCTION Turn::~Turn() {
  --turn_depth;
  device_mutex.unlock();
  if (turn_depth > 0 || waiting_threads == 0) return;
  // A mutex goes to whoever asks first: leave the others the time to.
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}
#endif  // STENCILGEN_EMULATOR_COMPILED

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_TURN_HPP
