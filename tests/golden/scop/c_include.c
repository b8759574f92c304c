// A header that is not there.
#include "no_such_header.h"
double a[9];
void run(void) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = 0;
#pragma endscop
}
// ----
c_include.c:2:10: error: 'no_such_header.h' file not found [c-error]
    2 | #include "no_such_header.h"
      |          ^
  hint: give the compiler's options after `--`: stencilgen app.c -o app.gen.cpp -- -Iinclude -DSIZE=100
