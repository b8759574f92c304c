#include <cstdio>

void f(double* in, double* out, int M, int N) {
#if FAST
#pragma dsl begin block:64,4
#else
#pragma dsl begin
#endif
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
begin_in_both_branches.cpp:7:1: error: a block begins inside of another one [nested-dsl-begin]
    7 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
begin_in_both_branches.cpp:5:1: note: this one has not ended
    5 | #pragma dsl begin block:64,4
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: end it with `#pragma dsl end` before the next one begins
