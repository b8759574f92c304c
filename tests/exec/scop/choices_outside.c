// What a choice on counters keeps inside of an array: values beyond its edges are never chosen, and
// arrays behind pointers end where C reads their last elements.
#include "check.h"

#define N 37
#define M 23

static double u[N], v[N], w[N][M], x[N][M];

static void line(int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++) b[i] = i < n - 1 ? a[i + 1] : 0.0;
  for (int i = 0; i < n; i++) b[i] += i > 0 ? a[i - 1] : -1.0;
#pragma endscop
}

static void plane(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double west = j > 0 ? w[i][j - 1] : 1.0, east = j < m - 1 ? w[i][j + 1] : 2.0;
      x[i][j] = west + east + (i > 0 && j > 1 ? w[i - 1][j - 2] : 0.5) +
                (i == n - 1 || j == m - 1 ? 0.25 : w[i + 1][j + 1]);
    }
#pragma endscop
}

static void ends(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    v[i] = i == 0 ? 2 * u[0] : i == N - 1 ? 3 * u[i] : u[i - 1] + u[i + 1];
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(x, double);
  ends();
  ADD(v);
  line(N, u, v);
  ADD(v);
  plane(N, M);
  ADD(x);
  // As long as needed and no longer.
  double *a = (double *)malloc(9 * sizeof *a), *b = (double *)malloc(9 * sizeof *b);
  for (int i = 0; i < 9; i++) a[i] = u[i];
  line(9, a, b);
  memcpy(v, b, 9 * sizeof *b);
  ADD(v);
  line(1, a, b);
  v[0] = b[0];
  ADD(v);
  free(a);
  free(b);
  PRINT();
  return 0;
}
