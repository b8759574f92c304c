#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel/machine.h"

/// How instructions that compute are made of functions of values.
namespace stencilgen::kernel::bytecode {

template <typename T>
inline constexpr bool kIsFloating = std::is_floating_point_v<T>;

/// F: T -> R.
template <typename R, typename T, R (*f)(T)>
void Apply1(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    Set<R>(thread.cells[it.dest + k], f(Get<T>(thread.cells[it.a + k])));
    thread.known[it.dest + k] = thread.known[it.a + k];
  }
}
template <typename R, typename T, R (*f)(T, T)>
void Apply2(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    Set<R>(thread.cells[it.dest + k],
           f(Get<T>(thread.cells[it.a + k]), Get<T>(thread.cells[it.b + k])));
    thread.known[it.dest + k] = thread.known[it.a + k] & thread.known[it.b + k];
  }
}
template <typename T, T (*f)(T, T, T)>
void Apply3(Thread& thread, const Instruction& it) {
  for (int k = 0; k < it.lanes; ++k) {
    Set<T>(thread.cells[it.dest + k],
           f(Get<T>(thread.cells[it.a + k]), Get<T>(thread.cells[it.b + k]),
             Get<T>(thread.cells[it.c + k])));
    thread.known[it.dest + k] =
        thread.known[it.a + k] & thread.known[it.b + k] & thread.known[it.c + k];
  }
}

}  // namespace stencilgen::kernel::bytecode
