#pragma once

namespace stencilgen {

/// Reports a broken invariant of the compiler itself and aborts. Never reached by user input.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace stencilgen

/// Guards an invariant the compiler relies on; user errors go through DiagnosticSink instead.
#define STENCILGEN_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::stencilgen::CheckFailed(#condition, __FILE__, __LINE__))
