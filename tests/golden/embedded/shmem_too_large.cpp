#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin shmem:4096
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
shmem_too_large.cpp:4:25: error: `shmem`: 4096 is out of range [argument-value]
    4 | #pragma dsl begin shmem:4096
      |                         ^~~~
  hint: the size in KiB is an integer from 0 to 1024
