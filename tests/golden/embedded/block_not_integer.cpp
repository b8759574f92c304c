#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,big
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
block_not_integer.cpp:4:25: error: `block`: y=big is not a block size [argument-value]
    4 | #pragma dsl begin block:32,big
      |                         ^~~~~~
  hint: y is an integer from 1 to 1024
