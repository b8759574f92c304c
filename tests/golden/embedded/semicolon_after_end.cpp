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
#pragma dsl end;
}
// ----
semicolon_after_end.cpp:12:16: error: nothing may follow `#pragma dsl end` on its line [text-after-dsl-end]
   12 | #pragma dsl end;
      |                ^
  hint: arguments belong to `#pragma dsl begin`
