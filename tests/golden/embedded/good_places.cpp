// command: --target cpp --no-standalone
#include <it's.h>
// #pragma dsl begin
/* #pragma dsl begin
#pragma dsl end */
const char* text = "\
#pragma dsl begin \"";
const char* raw = u8R"x(
#pragma dsl begin
)" )x";
#define COMMENT // spliced \
#pragma dsl begin
const int big = 1'000'000; const char quote = '"'; const wchar_t other = L'\'';
#if 0
don't stop "here
#endif
#pragma dslx begin
#pragma omp dsl begin
void f(double* u, int N) {
  if (N > 1)
  /* here */ # /* and */ pragma dsl be\
gin /* no
  arguments */ stream: \
  j block: 32 , 4 // none
  parameter M, N;
  iterator j, i;
  double u[M,N], out[M,N];
  copyin u, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (u, out);
  copyout out;
#pragma dsl end
}
// ----
#line 1 "good_places.cpp"
// command: --target cpp --no-standalone
#include <it's.h>
// #pragma dsl begin
/* #pragma dsl begin
#pragma dsl end */
const char* text = "\
#pragma dsl begin \"";
const char* raw = u8R"x(
#pragma dsl begin
)" )x";
#define COMMENT // spliced \
#pragma dsl begin
const int big = 1'000'000; const char quote = '"'; const wchar_t other = L'\'';
#if 0
don't stop "here
#endif
#pragma dslx begin
#pragma omp dsl begin
void f(double* u, int N) {
  if (N > 1)
  /* here */ 
#line 21 "good_places.cpp"
  {
#line 27 "good_places.cpp"
    static_assert(decltype(::stencilgen::embedded::BindsArray<const double>(u))::value, "`u` is an array of the stencil program: it needs a pointer to double, or a contiguous array of double, not one of variable length");
#line 27 "good_places.cpp"
    static_assert(decltype(::stencilgen::embedded::BindsArray<double>(out))::value, "`out` is an array of the stencil program: it needs a pointer to double that is not const, or a contiguous array of double that is not const, not one of variable length");
#line 25 "good_places.cpp"
    static_assert(::stencilgen::embedded::kBindsParameter<decltype((M))>, "`M` is a parameter of the stencil program: it needs a variable of an integer type");
#line 25 "good_places.cpp"
    static_assert(::stencilgen::embedded::kBindsParameter<decltype((N))>, "`N` is a parameter of the stencil program: it needs a variable of an integer type");
#line 21 "good_places.cpp"
    ::stencilgen_blocks::good_places_1_block(::stencilgen::embedded::BindArray<const double>(u), ::stencilgen::embedded::BindArray<double>(out), ::stencilgen::embedded::BindParameter(M), ::stencilgen::embedded::BindParameter(N));
  }
#line 33 "good_places.cpp"
}
