#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin unroll:0,1
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
unroll_zero.cpp:4:26: error: `unroll`: 0 is out of range [argument-value]
    4 | #pragma dsl begin unroll:0,1
      |                          ^~~
  hint: the factor of `i` is an integer from 1 to 32
