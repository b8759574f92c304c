// command: --target cpp --no-standalone
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#if FAST
#pragma dsl begin block:64,4
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
#else
#pragma dsl begin block:32,4
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
#endif
}
// ----
#line 1 "good_conditional.cpp"
// command: --target cpp --no-standalone
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#if FAST
#line 6 "good_conditional.cpp"
{
#line 9 "good_conditional.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<const double>(in))::value, "`in` is an array of the stencil program: it needs a pointer to double, or a contiguous array of double, not one of variable length");
#line 9 "good_conditional.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<double>(out))::value, "`out` is an array of the stencil program: it needs a pointer to double that is not const, or a contiguous array of double that is not const, not one of variable length");
#line 7 "good_conditional.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((M))>, "`M` is a parameter of the stencil program: it needs a variable of an integer type");
#line 7 "good_conditional.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((N))>, "`N` is a parameter of the stencil program: it needs a variable of an integer type");
#line 6 "good_conditional.cpp"
  ::stencilgen_blocks::good_conditional_1_block(::stencilgen::embedded::BindArray<const double>(in), ::stencilgen::embedded::BindArray<double>(out), ::stencilgen::embedded::BindParameter(M), ::stencilgen::embedded::BindParameter(N));
}
#line 15 "good_conditional.cpp"
#else
#line 16 "good_conditional.cpp"
#line 16 "good_conditional.cpp"
{
#line 19 "good_conditional.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<const double>(in))::value, "`in` is an array of the stencil program: it needs a pointer to double, or a contiguous array of double, not one of variable length");
#line 19 "good_conditional.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<double>(out))::value, "`out` is an array of the stencil program: it needs a pointer to double that is not const, or a contiguous array of double that is not const, not one of variable length");
#line 17 "good_conditional.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((M))>, "`M` is a parameter of the stencil program: it needs a variable of an integer type");
#line 17 "good_conditional.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((N))>, "`N` is a parameter of the stencil program: it needs a variable of an integer type");
#line 16 "good_conditional.cpp"
  ::stencilgen_blocks::good_conditional_2_block(::stencilgen::embedded::BindArray<const double>(in), ::stencilgen::embedded::BindArray<double>(out), ::stencilgen::embedded::BindParameter(M), ::stencilgen::embedded::BindParameter(N));
}
#line 25 "good_conditional.cpp"
#endif
#line 26 "good_conditional.cpp"
}
