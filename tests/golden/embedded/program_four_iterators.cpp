#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,4,1,1
  parameter M, N;
  iterator l, k, j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
program_four_iterators.cpp:6:21: error: a program has at most 3 iterators [too-many-iterators]
    6 |   iterator l, k, j, i;
      |                     ^
program_four_iterators.cpp:9:27: error: 'i' is not declared [undeclared-name]
    9 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                           ^
program_four_iterators.cpp:9:44: error: 'i' is not declared [undeclared-name]
    9 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                            ^
program_four_iterators.cpp:9:56: error: 'i' is not declared [undeclared-name]
    9 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                                        ^
