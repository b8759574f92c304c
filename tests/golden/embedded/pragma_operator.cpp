#include <cstdio>

#define BEGIN _Pragma("dsl begin block:32,8")

void f(double* in, double* out, int M, int N) {
  _Pragma("omp parallel for")
  for (int i = 0; i < M; ++i) out[i] = in[i];
  _Pragma("dsl end")
}
// ----
pragma_operator.cpp:1:1: warning: the file has no `#pragma dsl begin` and no `#pragma scop`, and is only copied [no-blocks]
    1 | #include <cstdio>
      | ^
pragma_operator.cpp:3:15: warning: this neither begins nor ends a block: only a line `#pragma dsl` does [dsl-pragma-operator]
    3 | #define BEGIN _Pragma("dsl begin block:32,8")
      |               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: write `#pragma dsl begin` and `#pragma dsl end` on lines of their own
pragma_operator.cpp:8:3: warning: this neither begins nor ends a block: only a line `#pragma dsl` does [dsl-pragma-operator]
    8 |   _Pragma("dsl end")
      |   ^~~~~~~~~~~~~~~~~~
  hint: write `#pragma dsl begin` and `#pragma dsl end` on lines of their own
#include <cstdio>

#define BEGIN _Pragma("dsl begin block:32,8")

void f(double* in, double* out, int M, int N) {
  _Pragma("omp parallel for")
  for (int i = 0; i < M; ++i) out[i] = in[i];
  _Pragma("dsl end")
}
