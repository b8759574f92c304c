#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin name:sin
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
name_of_library.cpp:4:24: error: `name`: `sin` cannot name a function [argument-value]
    4 | #pragma dsl begin name:sin
      |                        ^~~
  hint: use letters, digits and underscores, no keyword and no C library function
