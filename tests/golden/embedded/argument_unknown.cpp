#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin quickly
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
argument_unknown.cpp:4:19: error: `quickly` is no argument of a block [unknown-argument]
    4 | #pragma dsl begin quickly
      |                   ^~~~~~~
  hint: arguments are block, unroll, stream, shmem, name, mpi, and the options of programs and GPU code that `stencilgen --help` lists
