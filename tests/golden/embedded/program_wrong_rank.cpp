#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
program_wrong_rank.cpp:9:22: error: array 'B' has 2 dimensions, 1 index given [wrong-rank]
    9 |   stencil s (A, B) { B[j] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
program_wrong_rank.cpp:7:19: note: the call gives 'out' for 'B'
    7 |   double in[M,N], out[M,N];
      |                   ^~~
