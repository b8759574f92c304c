#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,
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
block_trailing_comma.cpp:4:25: error: `block`: an integer is missing [argument-value]
    4 | #pragma dsl begin block:32,
      |                         ^~~
