#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
/*
#pragma dsl end
*/
}
// ----
missing_end_in_comment.cpp:4:1: error: this block has no `#pragma dsl end` [missing-dsl-end]
    4 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: write `#pragma dsl end` on a line after the program
