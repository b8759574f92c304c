#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,16 stream:j block:64,8
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
argument_repeated.cpp:4:40: error: `block` is given twice [repeated-argument]
    4 | #pragma dsl begin block:32,16 stream:j block:64,8
      |                                        ^~~~~~~~~~
argument_repeated.cpp:4:19: note: the first time
    4 | #pragma dsl begin block:32,16 stream:j block:64,8
      |                   ^~~~~~~~~~~
  hint: keep one of them
