// command: --target cpp --no-standalone
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma dsl begin
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
#line 1 "good_crlf.cpp"
// command: --target cpp --no-standalone
#include <cstdio>

void f(double* in, double* out, int M, int N) {
#line 5 "good_crlf.cpp"
{
#line 8 "good_crlf.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<const double>(in))::value, "`in` is an array of the stencil program: it needs a pointer to double, or a contiguous array of double, not one of variable length");
#line 8 "good_crlf.cpp"
  static_assert(decltype(::stencilgen::embedded::BindsArray<double>(out))::value, "`out` is an array of the stencil program: it needs a pointer to double that is not const, or a contiguous array of double that is not const, not one of variable length");
#line 6 "good_crlf.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((M))>, "`M` is a parameter of the stencil program: it needs a variable of an integer type");
#line 6 "good_crlf.cpp"
  static_assert(::stencilgen::embedded::kBindsParameter<decltype((N))>, "`N` is a parameter of the stencil program: it needs a variable of an integer type");
#line 5 "good_crlf.cpp"
  ::stencilgen_blocks::good_crlf_1_block(::stencilgen::embedded::BindArray<const double>(in), ::stencilgen::embedded::BindArray<double>(out), ::stencilgen::embedded::BindParameter(M), ::stencilgen::embedded::BindParameter(N));
}
#line 14 "good_crlf.cpp"
}
