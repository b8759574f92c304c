// Δu = 0, für alle Punkte
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = ½*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
program_non_ascii.cpp:10:32: error: the character '½' (U+00BD) cannot be part of a program [invalid-character]
   10 |   stencil s (A, B) { B[j][i] = ½*(A[j-1][i] + A[j+1][i]); }
      |                                ^
  hint: names are made of letters a-z, A-Z, digits and '_'
