#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin --blockdim x=32,y=4
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
argument_with_dashes.cpp:4:19: error: `--blockdim` is not of the form `name:value` [malformed-argument]
    4 | #pragma dsl begin --blockdim x=32,y=4
      |                   ^~~~~~~~~~
  hint: for example `block:32,8 stream:j`
argument_with_dashes.cpp:4:30: error: `x=32,y=4` is not of the form `name:value` [malformed-argument]
    4 | #pragma dsl begin --blockdim x=32,y=4
      |                              ^~~~~~~~
  hint: for example `block:32,8 stream:j`
