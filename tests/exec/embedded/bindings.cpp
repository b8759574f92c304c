// Every kind of variable that the names of a stencil program bind to, and every kind of place.
// Prints what goes wrong.
#define _GNU_SOURCE 1
#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

static int failures = 0;
static void Expect(double value, double expected, int line) {
  if (value == expected) return;
  ++failures;
  std::printf("line %d: %g, expected %g\n", line, value, expected);
}
#define EXPECT(value, expected) Expect(value, expected, __LINE__)

constexpr const char* kRaw = R"(
#pragma dsl begin
)";

namespace outer {
namespace stencilgen { struct Error {}; }  // in the way of nothing
namespace stencilgen_blocks {}
struct Array {};

void Pointers(const double* __restrict in, double* const __restrict out, long M, std::size_t N) {
  // Arguments about a GPU mean nothing to the C++ target.
#pragma dsl begin block:32,4 stream:j unroll:1,1 shmem:48
  parameter M, N; iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = A[j-1][i] + A[j+1][i]; }
  s (in, out);
  copyout out;
#pragma dsl end
}
}  // namespace outer

// A global that a block below names.
double gain = 3;

template <typename T, int M>
struct Solver {
  std::vector<T> u = std::vector<T>(M * 4, T(2));
  T factor = T(4);
  static constexpr short N = 4;

  Solver() {
    #pragma dsl begin
    parameter M, N; iterator j, i;
    float u[M,N], factor;
    copyin u;
    stencil s (A, c) { A[j][i] = c*A[j][i] + 1.0; }
    s (u, factor);
    copyout u;
    #pragma dsl end
  }
  auto Halve() {
    return [this](bool really) {
      if (really)
        #pragma dsl begin
        parameter M, N; iterator j, i; float u[M,N]; copyin u;
        stencil s (A) { A[j][i] *= 0.5; }
        s (u);
        copyout u;
        #pragma dsl end
      else
        u.clear();
      return u.size();
    };
  }
};

enum Sizes { M = 5, kOther = 7 };

static void Arrays() {
  const unsigned short N = 6;
  double matrix[M][N], (*rows)[N] = matrix, result[M * N] = {};
  std::array<std::array<double, 6>, 5> nested = {};
  auto owned = std::make_unique<double[]>(M * N);
  int counts[6] = {1, 2, 3, 4, 5, 6};
  bool flags[6] = {true, false, true, false, true, false};
  for (std::size_t j = 0; j < M; ++j) {
    for (std::size_t i = 0; i < N; ++i) {
      matrix[j][i] = 10.0 * double(j) + double(i);
      nested[j][i] = 1;
      owned[j * N + i] = 2;
    }
  }
  auto& alias = nested;
#define OWNED owned
#pragma dsl begin name:add_all
  parameter M, N; iterator j, i;
  double rows[M,N], alias[M,N], OWNED[M,N], result[M,N], gain, scratch[M,N];
  int counts[N];
  bool flags[N];
  copyin rows, alias, OWNED, counts, flags, gain;
  stencil sum (t, a, b, c, n, f, g) { t[j][i] = g*(a[j][i] + b[j][i] + c[j][i]) + (f[i] ? n[i] : 0); }
  stencil copy (r, t) { r[j][i] = t[j][i]; }
  sum (scratch, rows, alias, OWNED, counts, flags, gain);
  copy (result, scratch);
  copyout result;
#pragma dsl end
  for (int j = 0; j < M; ++j) {
    for (int i = 0; i < N; ++i) {
      EXPECT(result[j * N + i], 3 * (10 * j + i + 1 + 2) + (flags[i] ? counts[i] : 0));
    }
  }
}

// Complex names bind to complex numbers; a complex scalar to real ones, too.
static void ComplexNumbers() {
  const int N = 8;
  std::vector<std::complex<double>> psi(N);
  std::complex<float> image[2][N] = {};
  const std::complex<double> turn(0, 2);
  const float scale = 0.5f;
  for (int i = 0; i < N; ++i) psi[i] = {1.0 * i, -1.0 * i * i};
  image[1][3] = {1, 2};
  std::complex<double> total = -1;  // a variable, or an array of one
#pragma dsl begin
  parameter N; iterator j, i;
  complex psi[N], turn, scale, total;
  complex float image[2][N];
  copyin psi, image;
  stencil s (z, turn, scale) { z[i] = turn*scale*(z[i-1] + z[i+1]); }
  s (psi, turn, scale);
  total = sum(psi[i]);
  image[j][i] = conj(image[j][i]);
  copyout psi, image, total;
#pragma dsl end
  EXPECT(psi[3].real(), 20);
  EXPECT(psi[3].imag(), 6);
  EXPECT(psi[7].imag(), -49);
  EXPECT(image[1][3].real(), 1);
  EXPECT(image[1][3].imag(), -2);
  std::complex<double> sum = 0;
  for (const auto& z : psi) sum += z;
  EXPECT(total.real(), sum.real());
  EXPECT(total.imag(), sum.imag());
}

// So they do to those of C, which compilers have in C++ as an extension.
static void ComplexNumbersOfC() {
  const int N = 8;
  __extension__ typedef double _Complex Number;
  __extension__ typedef float _Complex Short;
  Number values[N], factor;
  Short pairs[N] = {};
  __real__ factor = 0;
  __imag__ factor = 2;
  for (int i = 0; i < N; ++i) {
    __real__ values[i] = i;
    __imag__ values[i] = -i * i;
  }
  __imag__ pairs[5] = 3;
  const Number* psi = values;
  std::vector<Number> next(N);
#pragma dsl begin
  parameter N; iterator i;
  complex psi[N], next[N], factor;
  complex float pairs[N];
  copyin psi, next, pairs;
  stencil s (next, psi, factor) { next[i] = 0.5*factor*(psi[i-1] + psi[i+1]); }
  s (next, psi, factor);
  pairs[i] = conj(pairs[i]);
  copyout next, pairs;
#pragma dsl end
  EXPECT(__real__ next[3], 20);
  EXPECT(__imag__ next[3], 6);
  EXPECT(__imag__ values[7], -49);
  EXPECT(__imag__ pairs[5], -3);
}

// Numbers of 16 bits as the compiler knows them, read and written in place.
static void Halves() {
  const int N = 8;
  stencilgen_bfloat16 coarse[N];
  for (int i = 0; i < N; ++i) coarse[i] = 3.0f * i;
#if defined(__FLT16_MAX__) && (!defined(__clang__) || __clang_major__ >= 15)
  _Float16 u[N];
  std::vector<_Float16> v(N);
#else
  stencilgen_half u[N];
  std::vector<stencilgen_half> v(N);
#endif
  for (int i = 0; i < N; ++i) {
    u[i] = 0.25f * i;
    v[i] = 100.0f;
  }
  double least = 0;
#pragma dsl begin
  parameter N; iterator i;
  half u[N], v[N];
  bfloat16 coarse[N];
  double least;
  copyin u, v, coarse;
  stencil s (a, b, c) { b[i] = a[i-1] + a[i+1] + c[i]; }
  s (u, v, coarse);
  least = min(v[i]);
  copyout v, least;
#pragma dsl end
  EXPECT(float(v[0]), 100);
  EXPECT(float(v[3]), 10.5);
  EXPECT(least, 3.5);
}

// A block that only newer compilers see.
#if __cplusplus >= 202002L
static void Spans() {
  std::vector<float> values(8, 1.5F);
  const auto sum = [](std::span<float> to, std::span<const float, 8> from, std::int64_t size) {
    #pragma dsl begin
    parameter size; iterator i; float to[size], from[size];
    copyin to, from;
    stencil s (A, B) { A[i] += B[i]; }
    s (to, from);
    copyout to;
    #pragma dsl end
  };
  sum(values, std::span<const float, 8>(values), 8);
  for (const float value : values) EXPECT(value, 3);
}
#else
static void Spans() {}
#endif

template <typename Function>
static void Print(const Function& function) {
  try {
    function();
    std::puts("nothing is thrown");
  } catch (const std::runtime_error& error) {
    const bool ours = dynamic_cast<const stencilgen::Error*>(&error) != nullptr;
    std::printf("%s%s\n", ours ? "" : "another ", error.what());
  }
}

int main() {
  const int rows = 4, columns = 5;
  std::vector<double> in(rows * columns), out(rows * columns, -1);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = double(k);
  outer::Pointers(in.data(), out.data(), rows, columns);
  for (std::size_t i = 0; i < columns; ++i) {
    EXPECT(out[i], -1);
    EXPECT(out[columns + i], 2 * double(columns + i));
  }

  Solver<float, 3> solver;
  for (const float value : solver.u) EXPECT(value, 9);
  EXPECT(double(solver.Halve()(true)), 12);
  for (const float value : solver.u) EXPECT(value, 4.5);
  EXPECT(double(solver.Halve()(false)), 0);

  Arrays();
  ComplexNumbers();
  ComplexNumbersOfC();
  Halves();
  Spans();

  Print([&] { outer::Pointers(in.data(), nullptr, rows, columns); });
  Print([&] { outer::Pointers(in.data(), out.data(), 5000000000, columns); });
  Print([&] { outer::Pointers(in.data(), out.data(), 0, columns); });
  Print([&] { solver.Halve()(true); });
  std::printf("%d failures, line %d of %s\n", failures, __LINE__, __FILE__);
  return kRaw[0] != '\n';
}
