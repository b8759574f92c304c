#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,4,1,1
  parameter M, N;
  iterator n, l, k, j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
program_five_iterators.cpp:4:25: error: `block` needs 3 integers, one for each iterator, but has 4 [argument-count]
    4 | #pragma dsl begin block:32,4,1,1
      |                         ^~~~~~~~
  hint: the integer of the last iterator comes first
