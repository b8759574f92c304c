#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin unroll:2
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
unroll_too_few.cpp:4:26: error: `unroll` needs 2 integers, one for each iterator, but has 1 [argument-count]
    4 | #pragma dsl begin unroll:2
      |                          ^
  hint: the integer of the last iterator comes first
