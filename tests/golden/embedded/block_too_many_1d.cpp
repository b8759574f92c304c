#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,16
  parameter N;
  iterator i;
  double u[N];
  copyin u;
  stencil s (A) { A[i] = 0.5*A[i]; }
  s (u);
  copyout u;
#pragma dsl end
}
// ----
block_too_many_1d.cpp:4:25: error: `block` needs 1 integer, one for each iterator, but has 2 [argument-count]
    4 | #pragma dsl begin block:32,16
      |                         ^~~~~
  hint: the integer of the last iterator comes first
