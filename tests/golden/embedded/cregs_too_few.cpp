#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin cregs:4
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
cregs_too_few.cpp:4:25: error: `cregs`: 4 is out of range [argument-value]
    4 | #pragma dsl begin cregs:4
      |                         ^
  hint: the number of registers is an integer from 16 to 255
