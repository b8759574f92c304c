#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin mpi:comm mpi-steps:2
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
mpi_without_name.cpp:4:1: error: a block for ranks of MPI needs a name, which its functions have [mpi-without-name]
    4 | #pragma dsl begin mpi:comm mpi-steps:2
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: name it: #pragma dsl begin name:heat mpi:MPI_COMM_WORLD
