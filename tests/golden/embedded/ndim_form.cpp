#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin ndim:M
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
ndim_form.cpp:4:24: error: `ndim`: `M` is not of the form NAME=VALUE [argument-value]
    4 | #pragma dsl begin ndim:M
      |                        ^
  hint: for example `ndim:N=512`
