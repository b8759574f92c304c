// command: --target cpp --no-standalone
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter N, T = 10;
  iterator i;
  double u[N], scratch[N], a;
  float b;
  copyin u, a;
  stencil s (A, B, a, b) { B[i] = a*A[i] + b; }
  iterate T { s (u, scratch, a, b); s (scratch, u, a, b); }
  copyout u;
#pragma dsl end
}
// ----
#line 1 "good_scalars.cpp"
// command: --target cpp --no-standalone
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#line 5 "good_scalars.cpp"
{
#line 8 "good_scalars.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<double>(u))::value, "`u` is an array of the stencil program: it needs a pointer to double that is not const, or a contiguous array of double that is not const, not one of variable length");
#line 8 "good_scalars.cpp"
  static_assert(::stencilgen::embedded::kBindsScalar<decltype((a))>, "`a` is a scalar of the stencil program: it needs an arithmetic variable");
#line 9 "good_scalars.cpp"
  static_assert(::stencilgen::embedded::kBindsScalar<decltype((b))>, "`b` is a scalar of the stencil program: it needs an arithmetic variable");
#line 6 "good_scalars.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((N))>, "`N` is a parameter of the stencil program: it needs a variable of an integer type");
#line 6 "good_scalars.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((T))>, "`T` is a parameter of the stencil program: it needs a variable of an integer type");
#line 5 "good_scalars.cpp"
  ::stencilgen_blocks::good_scalars_1_block(::stencilgen::embedded::BindArray<double>(u), ::stencilgen::embedded::BindScalar<double>(a), ::stencilgen::embedded::BindScalar<float>(b), ::stencilgen::embedded::BindParameter(N), ::stencilgen::embedded::BindParameter(T));
}
#line 15 "good_scalars.cpp"
}
