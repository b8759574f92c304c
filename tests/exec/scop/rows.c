/* Pointers into arrays: rows, points and parts of one array, given to functions or kept for a loop. */
#include "check.h"

enum { N = 21, M = 18, T = 3 };
static double u[M][N], v[M][N], a[M * N], b[M * N], cube[5][M][N], two[2 * N];

static void smooth(const double* in, double* out, int n) {
  const double *left = in - 1, *same = in;
  int i;
  for (i = 1; i < n - 1; i++) out[i] = 0.25 * left[i] + 0.5 * same[i] + 0.25 * in[i + 1];
}
static double star(const double* p, int row) {
  const double *above = p - row, *here = p;
  return 0.25 * (p[-1] + p[1] + above[0] + p[row]) - *here;
}
static double along(const double* p) { return p[2] - *(p + 1) + *p; }
static void add_row(double* to, const double* from, double w, int n) {
  int i;
  for (i = 0; i < n; i++) to[i] += w * from[i];
}
static void both(double* to, const double* from, int n) {
  smooth(from + 1, to + 1, n - 2);
  add_row(&to[2], from, 0.5, n - 2);
}
static void plane(double (*to)[N], const double (*from)[N], int m) {
  int j, i;
  for (j = 1; j < m - 1; j++)
    for (i = 0; i < N; i++) to[j][i] = from[j - 1][i] + from[j + 1][i];
}

int main(void) {
  int i, j, k, t;
  FILL(u, double);
  FILL(v, double);
  FILL(a, double);
  FILL(b, double);
  FILL(cube, double);
  FILL(two, double);
#pragma scop
  for (j = 0; j < M; j++) smooth(u[j], v[j], N);
#pragma endscop
  ADD(v);
#pragma scop
  for (t = 0; t < T; t++) {
    for (j = 1; j < M - 1; j++)
      for (i = 1; i < N - 1; i++) b[j * N + i] = a[j * N + i] + star(&a[j * N + i], N);
    for (j = 1; j < M - 1; j++)
      for (i = 1; i < N - 1; i++) a[j * N + i] = b[j * N + i];
  }
#pragma endscop
  ADD(a);
#pragma scop
  for (j = 0; j < M; j++) {
    smooth(a + j * N, b + j * N, N);
    add_row(b + j * N + 3, &a[(j)*N + 1], 0.125, N - 3);
  }
#pragma endscop
  ADD(b);
#pragma scop
  for (j = 1; j < M - 1; j++) both(v[j], u[j], N);
#pragma endscop
  ADD(v);
#pragma scop
  for (k = 1; k < 5; k++) plane(cube[k], cube[0], M);
#pragma endscop
  ADD(cube);
#pragma scop
  for (j = 0; j < M; j++)
    for (i = 0; i < N - 2; i++) v[j][i] = along(&u[j][i]);
#pragma endscop
  ADD(v);
#pragma scop
  add_row(two + N, two, 0.5, N);
#pragma endscop
  ADD(two);
#pragma scop
  for (t = 0; t < T; t++) {
    for (j = 1; j < M - 1; j++) {
      const double *here = &a[j * N], *above = here - N;
      const double* below = a + (j + 1) * N;
      double* out = b + j * N;
      for (i = 1; i < N - 1; i++) {
        const double* p = here + i;
        out[i] = 0.25 * (above[i] + below[i] + p[-1] + p[1]);
      }
    }
    for (j = 1; j < M - 1; j++) {
      double(*plane)[N] = cube[2];
      double* row = plane[j];
      for (i = 1; i < N - 1; i++) {
        int id = j * N + i;
        a[id] = b[id] + 0.125 * star(&b[id], N);
        row[i] = a[id];
      }
    }
  }
#pragma endscop
  ADD(a);
  ADD(cube);
  {
    double *now = a, *next = b;
#pragma scop
    for (t = 0; t < T; t++) {
      smooth(now + N, &next[N], N);
      double* other = now;
      now = next;
      next = other;
    }
#pragma endscop
  }
  ADD(a);
  ADD(b);
  PRINT();
  return 0;
}
