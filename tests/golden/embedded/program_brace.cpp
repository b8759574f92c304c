#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]);
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
program_brace.cpp:10:15: error: expected '}' to close the body of the stencil before the keyword 'copyout' [syntax-error]
   10 |   s (in, out);
      |               ^
program_brace.cpp:9:20: note: the brace opened here
    9 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]);
      |                    ^
