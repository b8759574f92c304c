#include <cstdio>

void f(double* in, double* out, int M, int N) {
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
missing_begin.cpp:11:1: error: no `#pragma dsl begin` stands before this `end` [missing-dsl-begin]
   11 | #pragma dsl end
      | ^~~~~~~~~~~~~~~
