#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin stream:j serial-stream:j
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
stream_twice.cpp:4:26: error: `stream` and `serial-stream` exclude each other [argument-value]
    4 | #pragma dsl begin stream:j serial-stream:j
      |                          ^
  hint: a program streams along one iterator, serially or in chunks
