/* Bounds that have the counter in a sum, and counters without a sign. */
#include "check.h"

#define N 37
#define M 29

double u[N][M], v[N][M], w[N * M], x[N * M];

static void sums(size_t n, size_t m) {
#pragma scop
  for (size_t i = 1; i + 1 < n; ++i)
    for (size_t j = 2; j + 2 < m; ++j)
      v[i][j] = 0.5 * (u[i - 1][j] + u[i + 1][j]) - u[i][j - 2] + 0.25 * u[i][j + 2];
  for (size_t i = 1; i <= n - 2; ++i)
    for (size_t j = 1; 1 + j <= m - 1; j++) u[i][j] += v[i][j];
#pragma endscop
}

static void linear(unsigned n, int m, double *to, const double *from) {
#pragma scop
  for (unsigned i = 1; i < n - 1; i++)
    for (int j = 1; m > j + 1; j++) to[i * m + j] = from[(i - 1) * m + j] + 0.5 * from[i * m + j + 1];
  for (int j = m - 2; j - 1 >= 0; j--) to[j] = from[j] + 1.0;
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(x, double);
  sums(N, M);
  sums(3, 5);
  sums(2, 3);
  linear(N, M, w, x);
  linear(2, 2, x, w);
  ADD(u);
  ADD(v);
  ADD(w);
  ADD(x);
  PRINT();
  return 0;
}
