#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,4
  parameter M, N;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
program_no_iterator.cpp:4:1: error: the program declares no iterator [no-iterator]
    4 | #pragma dsl begin block:32,4
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: add `iterator k, j, i;`, outermost first
program_no_iterator.cpp:8:24: error: 'j' is not declared [undeclared-name]
    8 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                        ^
program_no_iterator.cpp:8:27: error: 'i' is not declared [undeclared-name]
    8 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                           ^
program_no_iterator.cpp:8:39: error: 'j' is not declared [undeclared-name]
    8 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                       ^
program_no_iterator.cpp:8:44: error: 'i' is not declared [undeclared-name]
    8 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                            ^
program_no_iterator.cpp:8:51: error: 'j' is not declared [undeclared-name]
    8 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                                   ^
program_no_iterator.cpp:8:56: error: 'i' is not declared [undeclared-name]
    8 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                                        ^
