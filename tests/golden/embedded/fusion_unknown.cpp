#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin fusion:some
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
fusion_unknown.cpp:4:26: error: `fusion`: unknown value `some` [argument-value]
    4 | #pragma dsl begin fusion:some
      |                          ^~~~
  hint: the values are `none`, `max` and `greedy`
