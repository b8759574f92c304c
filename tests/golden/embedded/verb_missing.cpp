#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl
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
verb_missing.cpp:4:1: error: `#pragma dsl` is followed by `begin` or `end`, not by nothing [unknown-dsl-pragma]
    4 | #pragma dsl
      | ^~~~~~~~~~~
  hint: write `#pragma dsl begin`, the program, and `#pragma dsl end`
