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
#pragma dsl end
#pragma dsl end
}
// ----
end_twice.cpp:13:1: error: no `#pragma dsl begin` stands before this `end` [missing-dsl-begin]
   13 | #pragma dsl end
      | ^~~~~~~~~~~~~~~
