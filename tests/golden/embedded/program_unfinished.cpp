#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,
#pragma dsl end
}
// ----
program_unfinished.cpp:7:15: error: expected an expression after ',', found the end of the file [syntax-error]
    7 |   double in[M,
      |               ^
