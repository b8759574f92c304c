#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
#pragma dsl begin
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
#pragma dsl end
#pragma dsl end
#pragma dsl end
}
// ----
nested_three_times.cpp:5:1: error: a block begins inside of another one [nested-dsl-begin]
    5 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
nested_three_times.cpp:4:1: note: this one has not ended
    4 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: end it with `#pragma dsl end` before the next one begins
nested_three_times.cpp:6:1: error: a block begins inside of another one [nested-dsl-begin]
    6 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
nested_three_times.cpp:5:1: note: this one has not ended
    5 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: end it with `#pragma dsl end` before the next one begins
nested_three_times.cpp:17:1: error: no `#pragma dsl begin` stands before this `end` [missing-dsl-begin]
   17 | #pragma dsl end
      | ^~~~~~~~~~~~~~~
