#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,0
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
block_zero.cpp:4:25: error: `block`: y=0 is not a block size [argument-value]
    4 | #pragma dsl begin block:32,0
      |                         ^~~~
  hint: y is an integer from 1 to 1024
