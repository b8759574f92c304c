#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin arch:gfx90a
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
arch_of_amd.cpp:4:24: error: `arch`: gfx90a is programmed in HIP, but this file becomes CUDA [argument-value]
    4 | #pragma dsl begin arch:gfx90a
      |                        ^~~~~~
  hint: say `--target hip` on the command line
