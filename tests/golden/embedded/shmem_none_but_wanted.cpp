#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin shmem:0 shared-mem:true
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
shmem_none_but_wanted.cpp:4:25: error: `shared-mem` is true, but `shmem` leaves no shared memory [argument-value]
    4 | #pragma dsl begin shmem:0 shared-mem:true
      |                         ^
  hint: leave one of them out
