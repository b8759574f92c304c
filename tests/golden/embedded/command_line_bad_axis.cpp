// command: --blockdim x=32,y=2
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter N;
  iterator i;
  double u[N];
  copyin u;
  stencil s (A) { A[i] = 0.5*A[i]; }
  s (u);
  copyout u;
#pragma dsl end
}
// ----
command_line_bad_axis.cpp:5:1: error: `block`: the program has no axis `y` [argument-value]
    5 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: its iterators are `i`, the last one along x
