#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block(32,16)
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
argument_parentheses.cpp:4:19: error: `block(32,16)` is not of the form `name:value` [malformed-argument]
    4 | #pragma dsl begin block(32,16)
      |                   ^~~~~~~~~~~~
  hint: for example `block:32,8 stream:j`
