#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,16,stream:j
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
arguments_with_commas.cpp:4:25: error: `block` needs 2 integers, one for each iterator, but has 3 [argument-count]
    4 | #pragma dsl begin block:32,16,stream:j
      |                         ^~~~~~~~~~~~~~
  hint: the integer of the last iterator comes first
