#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin name:class
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
name_keyword.cpp:4:24: error: `name`: `class` cannot name a function [argument-value]
    4 | #pragma dsl begin name:class
      |                        ^~~~~
  hint: use letters, digits and underscores, no keyword and no C library function
