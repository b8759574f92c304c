#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin fp:strict retime
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
fp_strict_retime.cpp:4:22: error: `retime` reorders sums, which `fp:strict` forbids [argument-value]
    4 | #pragma dsl begin fp:strict retime
      |                      ^~~~~~
  hint: leave `retime` out, or say `fp:fast`
