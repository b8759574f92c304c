#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin help
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
misplaced_help.cpp:4:19: error: `help` belongs to the command line, not to a block [misplaced-argument]
    4 | #pragma dsl begin help
      |                   ^~~~
  hint: stencilgen FILE --help
