#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin name:heat
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
#pragma dsl begin stream:j name:heat
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
name_taken.cpp:13:33: error: another block has a function `heat` [name-taken]
   13 | #pragma dsl begin stream:j name:heat
      |                                 ^~~~
name_taken.cpp:4:24: note: the other one
    4 | #pragma dsl begin name:heat
      |                        ^~~~
