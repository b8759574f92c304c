#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:x=32,w=4
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
block_unknown_axis.cpp:4:25: error: `block`: there is no axis `w` [argument-value]
    4 | #pragma dsl begin block:x=32,w=4
      |                         ^~~~~~~~
  hint: the axes are x (the last iterator), y and z, as in `block:x=32,y=4`
