#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
#pragma dsl end
}
// ----
program_no_copyout.cpp:4:1: warning: nothing is copied out, the program has no effect [no-copyout]
    4 | #pragma dsl begin
      | ^~~~~~~~~~~~~~~~~
  hint: add `copyout name;`
#line 1 "program_no_copyout.cpp"
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#line 4 "program_no_copyout.cpp"
{
#line 7 "program_no_copyout.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<const double>(in))::value, "`in` is an array of the stencil program: it needs a pointer to double, or a contiguous array of double, not one of variable length");
#line 7 "program_no_copyout.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<const double>(out))::value, "`out` is an array of the stencil program: it needs a pointer to double, or a contiguous array of double, not one of variable length");
#line 5 "program_no_copyout.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((M))>, "`M` is a parameter of the stencil program: it needs a variable of an integer type");
#line 5 "program_no_copyout.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((N))>, "`N` is a parameter of the stencil program: it needs a variable of an integer type");
#line 4 "program_no_copyout.cpp"
  ::stencilgen_blocks::program_no_copyout_1_block(::stencilgen::embedded::BindArray<const double>(in), ::stencilgen::embedded::BindArray<const double>(out), ::stencilgen::embedded::BindParameter(M), ::stencilgen::embedded::BindParameter(N));
}
#line 12 "program_no_copyout.cpp"
}
