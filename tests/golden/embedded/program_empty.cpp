#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
#pragma dsl end
}
// ----
program_empty.cpp:4:1: error: the program declares no iterator [no-iterator]
    4 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: add `iterator k, j, i;`, outermost first
program_empty.cpp:4:1: error: the program calls no stencil [no-calls]
    4 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: call a stencil: `name (array, ...);`
