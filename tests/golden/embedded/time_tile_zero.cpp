#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin time-tile:0
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
time_tile_zero.cpp:4:29: error: `time-tile`: 0 is out of range [argument-value]
    4 | #pragma dsl begin time-tile:0
      |                             ^
  hint: the number of time steps is an integer from 1 to 64
