#ifndef STENCILGEN_EMULATOR_TURN_HPP
#define STENCILGEN_EMULATOR_TURN_HPP

#include <mutex>

#include "language.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

inline std::recursive_mutex device_mutex;

/// While it lives, its host thread has the device to itself; others wait for their turn.
class Turn {
 public:
  Turn() : lock_(device_mutex) {}

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_TURN_HPP
