#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin shmem:48KB
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
shmem_unit.cpp:4:25: error: `shmem`: `48KB` is not an integer [argument-value]
    4 | #pragma dsl begin shmem:48KB
      |                         ^~~~
  hint: the size in KiB is an integer from 0 to 1024
