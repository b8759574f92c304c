#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:64,32
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
block_product.cpp:4:25: error: `block`: a block of 2048 threads is too large [argument-value]
    4 | #pragma dsl begin block:64,32
      |                         ^~~~~
  hint: a block has at most 1024 threads
