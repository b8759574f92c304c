#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
#define C 0.5
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
program_defines.cpp:5:1: error: there are no preprocessor lines in this language [syntax-error]
    5 | #define C 0.5
      | ^~~~~~~~~~~~~
  hint: sizes are declared with 'parameter', comments start with '//'
