#include <cstdio>

void f(double* in, double* out, int M, int N) {
  out[0] = in[0];
}
// ----
no_blocks.cpp:1:1: warning: the file has no `#pragma dsl begin` and no `#pragma scop`, and is only copied [no-blocks]
    1 | #include <cstdio>
      | ^
#include <cstdio>

void f(double* in, double* out, int M, int N) {
  out[0] = in[0];
}
