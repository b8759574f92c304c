#ifndef STENCILGEN_ERROR_HPP
#define STENCILGEN_ERROR_HPP

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace stencilgen {

/// What a failed call of a stencil program throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Error; where exceptions are switched off, prints the message and aborts.
[[noreturn]] inline void ThrowError(const char* message) {
#if defined(__cpp_exceptions)
  throw Error(message);
#else
  std::fprintf(stderr, "stencilgen: %s\n", message);
  std::abort();
#endif
}

}  // namespace stencilgen

#endif  // STENCILGEN_ERROR_HPP
