#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl bgin
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
verb_misspelt.cpp:4:13: error: `#pragma dsl` is followed by `begin` or `end`, not by `bgin` [unknown-dsl-pragma]
    4 | #pragma dsl bgin
      |             ^~~~
  hint: did you mean `begin`?
