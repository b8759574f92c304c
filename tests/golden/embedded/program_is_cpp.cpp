#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  for (int j = 1; j < M - 1; ++j) out[j] = in[j - 1];
#pragma dsl end
}
// ----
program_is_cpp.cpp:5:3: error: 'for' is not part of the language [syntax-error]
    5 |   for (int j = 1; j < M - 1; ++j) out[j] = in[j - 1];
      |   ^~~
  hint: a statement runs over its whole domain by itself, and 'iterate 100 { ... }' repeats calls
