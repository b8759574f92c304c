#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl start
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
verb_unknown.cpp:4:13: error: `#pragma dsl` is followed by `begin` or `end`, not by `start` [unknown-dsl-pragma]
    4 | #pragma dsl start
      |             ^~~~~
  hint: write `#pragma dsl begin`, the program, and `#pragma dsl end`
