#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin stream:i
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
stream_unit_stride.cpp:4:26: error: `stream`: cannot stream along `i`, the unit-stride iterator [argument-value]
    4 | #pragma dsl begin stream:i
      |                          ^
  hint: neighbouring threads must read neighbouring elements; stream along an outer iterator
