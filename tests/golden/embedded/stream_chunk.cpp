#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin concurrent-stream:j:0
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
stream_chunk.cpp:4:37: error: `concurrent-stream`: 0 is out of range [argument-value]
    4 | #pragma dsl begin concurrent-stream:j:0
      |                                     ^~~
  hint: the length of a chunk is an integer from 1 to 1048576
