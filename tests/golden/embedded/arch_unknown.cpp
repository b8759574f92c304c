#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin arch:h100
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
arch_unknown.cpp:4:24: error: `arch`: `h100` is not a GPU architecture [argument-value]
    4 | #pragma dsl begin arch:h100
      |                        ^~~~
  hint: for example `arch:sm_90`; the oldest is sm_50, of AMD gfx900
