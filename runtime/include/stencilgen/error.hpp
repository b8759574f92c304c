#ifndef STENCILGEN_ERROR_HPP
#define STENCILGEN_ERROR_HPP

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace stencilgen {

/// What a failed call of a stencil program throws.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, int status = 1)
      : std::runtime_error(message), status_(status) {}
  /// What the C functions return: 1 a wrong argument, 2 out of memory, 3 the device.
  int status() const { return status_; }

 private:
  int status_;
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
