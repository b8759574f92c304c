#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(C[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
  std::puts("between");
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  t (in, out);
  copyout out;
#pragma dsl end
}
// ----
both_programs.cpp:9:37: error: 'C' is not declared [undeclared-name]
    9 |   stencil s (A, B) { B[j][i] = 0.5*(C[j-1][i] + A[j+1][i]); }
      |                                     ^
both_programs.cpp:20:3: error: there is no stencil 't' [undefined-stencil]
   20 |   t (in, out);
      |   ^
