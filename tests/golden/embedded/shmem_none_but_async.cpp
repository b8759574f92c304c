#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin shmem:0 prefetch:async
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
shmem_none_but_async.cpp:4:25: error: `prefetch:async` loads into shared memory, but `shmem` leaves none [argument-value]
    4 | #pragma dsl begin shmem:0 prefetch:async
      |                         ^
  hint: leave one of them out, or say `prefetch:register`
