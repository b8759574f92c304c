#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin ndim:K=5
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
ndim_unknown.cpp:4:24: error: `ndim`: the program has no parameter `K` [argument-value]
    4 | #pragma dsl begin ndim:K=5
      |                        ^~~
  hint: the parameters are `M` and `N`
