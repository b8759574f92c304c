#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  copyout out;
#pragma dsl end
}
// ----
program_no_calls.cpp:4:1: error: the program calls no stencil [no-calls]
    4 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: call a stencil: `name (array, ...);`
