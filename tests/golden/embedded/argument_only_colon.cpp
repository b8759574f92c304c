#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin stream:j :32
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
argument_only_colon.cpp:4:26: error: `stream`: the program has no iterator `j:32` [argument-value]
    4 | #pragma dsl begin stream:j :32
      |                          ^~~~~
  hint: the iterators are `j` and `i`
