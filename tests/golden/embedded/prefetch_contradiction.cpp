#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin prefetch:async shared-mem:false
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
prefetch_contradiction.cpp:4:28: error: `prefetch:async` loads into shared memory, but `shared-mem` is false [argument-value]
    4 | #pragma dsl begin prefetch:async shared-mem:false
      |                            ^~~~~
  hint: leave one of them out, or say `prefetch:register`
