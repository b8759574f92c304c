// Pointers into containers, also in functions that are templates and lambdas.
#include <cstddef>
#include <vector>

#include "check.h"

template <typename T>
static T Star(const T* p, std::size_t row) {
  return T(0.25) * (p[-1] + p[1] + *(p - row) + p[row]);
}
static void Row(double* out, const double* in, std::size_t n) {
  for (std::size_t i = 1; i + 1 < n; ++i) out[i] = in[i - 1] - in[i + 1];
}

int main() {
  const std::size_t n = 19, m = 14;
  std::vector<double> u(n * m), v(n * m);
  for (double& x : u) x = next_value();
  for (double& x : v) x = next_value();
  double* raw = u.data();
#pragma scop
  for (int t = 0; t < 4; ++t) {
    for (std::size_t j = 1; j < m - 1; ++j)
      for (std::size_t i = 1; i < n - 1; ++i) v[j * n + i] = Star(&u[j * n + i], n);
    for (std::size_t j = 1; j < m - 1; ++j) Row(u.data() + j * n, &v[j * n], n);
  }
#pragma endscop
  add_bytes(u.data(), n * m * sizeof(double));
  add_bytes(v.data(), n * m * sizeof(double));
#pragma scop
  for (std::size_t j = 1; j < m; ++j) {
    double* const row = raw + j * n;
    const auto* before = &v[(j - 1) * n];
    for (std::size_t i = 0; i < n; ++i) row[i] = 2.0 * before[i] + row[i];
  }
#pragma endscop
  add_bytes(u.data(), n * m * sizeof(double));
  PRINT();
  return 0;
}
