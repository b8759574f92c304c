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
  std::puts("between");
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][0][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
second_program.cpp:19:37: error: array 'A' has 2 dimensions, 3 indices given [wrong-rank]
   19 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][0][i] + A[j+1][i]); }
      |                                     ^~~~~~~~~~~~
second_program.cpp:17:10: note: the call gives 'in' for 'A'
   17 |   double in[M,N], out[M,N];
      |          ^~
