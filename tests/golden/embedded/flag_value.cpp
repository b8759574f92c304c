#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin shuffle:maybe
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
flag_value.cpp:4:27: error: `shuffle` is given or not: it takes no value [argument-value]
    4 | #pragma dsl begin shuffle:maybe
      |                           ^~~~~
  hint: write `shuffle` alone, or leave it out
