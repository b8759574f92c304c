#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl Begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl End
}
// ----
verb_upper_case.cpp:4:13: error: `#pragma dsl` is followed by `begin` or `end`, not by `Begin` [unknown-dsl-pragma]
    4 | #pragma dsl Begin
      |             ^~~~~
  hint: did you mean `begin`?
verb_upper_case.cpp:12:13: error: `#pragma dsl` is followed by `begin` or `end`, not by `End` [unknown-dsl-pragma]
   12 | #pragma dsl End
      |             ^~~
  hint: did you mean `end`?
