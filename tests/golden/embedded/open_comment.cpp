#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  /* copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
open_comment.cpp:8:3: error: this comment is never closed [unterminated-comment]
    8 |   /* copyin in, out;
      |   ^~
open_comment.cpp:4:1: note: in the block that begins here
    4 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: close it with '*/'
