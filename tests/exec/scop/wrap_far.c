/* Neighbours further away than one around the edges, beside near ones and other kinds of edges. */
#include "check.h"

double u[900], v[900], p[30][44], q[30][44];

static void both(int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++)
    b[i] = a[(i + n - 2) % n] + a[(i + n - 1) % n] * a[(i + 1) % n] + a[(i + 2) % n];
#pragma endscop
}

static void beyond(int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++) b[i] = a[(i + n - 2) % n] - a[(i + n + 2) % n];
#pragma endscop
}

static void chosen(int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++)
    b[i] = a[i > 1 ? i - 2 : i - 2 + n] + a[i + 2 >= n ? i + 2 - n : i + 2];
#pragma endscop
}

static void steps(int turns, int n, double *a, double *b) {
#pragma scop
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < n; i++) {
      int west = (i + n - 2) % n, east = (i + 2) % n;
      b[i] = a[west] - 2 * a[i] + a[east] * a[(i + 1) % n];
    }
    for (int i = 0; i < n; i++) a[i] = b[i];
  }
#pragma endscop
}

static void plane(int m, int n, const double *a, double *b) {
#pragma scop
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      b[j * n + i] = a[((j + m - 2) % m) * n + (i + n - 2) % n] +
                     a[((j + 2) % m) * n + (i + 1) % n] + a[j * n + (i > 0 ? i - 1 : 0)];
#pragma endscop
}

static void numbers(void) {
#pragma scop
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 44; j++)
      q[i][j] = p[(i + 30 - 2) % 30][j] + p[i][(j + 2) % 44] + p[i > 0 ? i - 1 : 0][j] +
                p[i < 29 ? i + 1 : 29][(j - 1 + 44) % 44] + p[(i - 3 + 30) % 30][(j + 42) % 44];
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(p, double);
  FILL(q, double);
  for (int n = 1; n < 6; n++) {
    both(n, u + 20 * n, v + 20 * n);
    beyond(n, u + 120 + 20 * n, v + 120 + 20 * n);
    if (n > 1) chosen(n, u + 220 + 20 * n, v + 220 + 20 * n);
    steps(3, n, u + 320 + 20 * n, v + 320 + 20 * n);
    plane(n, 2 * n, u + 420 + 50 * n, v + 420 + 50 * n);
  }
  both(37, u, v);
  beyond(37, u + 100, v + 100);
  chosen(37, u + 200, v + 200);
  steps(5, 37, u + 300, v + 300);
  plane(13, 17, u + 420, v + 420);
  numbers();
  ADD(u);
  ADD(v);
  ADD(q);
  PRINT();
  return 0;
}
