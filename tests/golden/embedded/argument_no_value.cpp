#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block
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
argument_no_value.cpp:4:19: error: `block` needs a value [missing-value]
    4 | #pragma dsl begin block
      |                   ^~~~~
  hint: write block:INTEGER,INTEGER
