#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl ende
}
// ----
end_misspelt.cpp:12:13: error: `#pragma dsl` is followed by `begin` or `end`, not by `ende` [unknown-dsl-pragma]
   12 | #pragma dsl ende
      |             ^~~~
  hint: did you mean `end`?
