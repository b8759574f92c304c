#include "support/check.h"

#include <cstdio>
#include <cstdlib>

namespace stencilgen {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "stencilgen: internal error: %s is false (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace stencilgen
