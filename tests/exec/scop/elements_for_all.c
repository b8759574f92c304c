/* Scalars that stand for elements of arrays in loops behind them: coefficients, weights of turns and
   of rows, also in functions that are called. */
#include "check.h"

enum { N = 37, T = 6 };
static double u[N][N], v[N][N], c[N], weights[T], b[3];
static float single[2];
static double line[N], next[N];

static void sweep(double* to, const double* from, const double* k, int n) {
  double middle = k[0], side = 0.5 * k[1] * middle;
  int i;
  for (i = 1; i < n - 1; i++) to[i] = middle * from[i] + side * (from[i - 1] + from[i + 1]);
}

int main(void) {
  int i, j, t;
  FILL(u, double);
  FILL(v, double);
  FILL(c, double);
  FILL(weights, double);
  FILL(b, double);
  FILL(single, float);
  FILL(line, double);
  FILL(next, double);
#pragma scop
  for (t = 0; t < T; t++) {
    sweep(next, line, b, N);
    sweep(line, next, b, N);
  }
#pragma endscop
  ADD(line);
  ADD(next);
#pragma scop
  for (t = 0; t < T; t++) {
    double w = weights[t], twice = 2 * w;
    for (j = 1; j < N - 1; j++)
      for (i = 1; i < N - 1; i++) v[j][i] = u[j][i] + w * (u[j - 1][i] - u[j][i - 1]);
    for (j = 1; j < N - 1; j++)
      for (i = 1; i < N - 1; i++) u[j][i] = v[j][i] - twice * v[j + 1][i];
  }
#pragma endscop
  ADD(u);
  ADD(v);
#pragma scop
  for (j = 1; j < N - 1; j++) {
    double k = c[j] - c[j - 1];
    for (i = 1; i < N - 1; i++) v[j][i] = k * u[j][i] + u[j][i + 1];
  }
#pragma endscop
  ADD(v);
#pragma scop
  {
    float k = single[1];
    double edge = k + b[2];
    for (j = 0; j < N; j++)
      for (i = 0; i < N; i++) {
        double here = u[j][i], x = edge * here;
        v[j][i] = x + k * here;
      }
  }
#pragma endscop
  ADD(v);
  PRINT();
  return 0;
}
