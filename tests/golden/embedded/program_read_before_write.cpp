#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
program_read_before_write.cpp:9:37: error: 'in' has no value here: it is not copied in and nothing has written it [read-before-write]
    9 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                     ^~~~~~~~~
program_read_before_write.cpp:7:10: note: declared here
    7 |   double in[M,N], out[M,N];
      |          ^~
  hint: add `copyin in;`
program_read_before_write.cpp:9:49: error: 'in' has no value here: it is not copied in and nothing has written it [read-before-write]
    9 |   stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
      |                                                 ^~~~~~~~~
program_read_before_write.cpp:7:10: note: declared here
    7 |   double in[M,N], out[M,N];
      |          ^~
  hint: add `copyin in;`
