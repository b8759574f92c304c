/* Loops that stay, inside of others that stay: their bounds depend on the turn around them. */
#include "check.h"

double u[12][20], v[12][20], w[12][20], a[14][14], b[14][15];

/* The inner loop comes first, and has nothing to do in the first turn. */
static void first(int n, int m) {
#pragma scop
  for (int i = 1; i < n; i++) {
    for (int k = 1; k < i; k++)
      for (int j = 0; j < m; j++) v[i][j] += u[k][j] * v[i - 1][j];
    for (int j = 0; j < m; j++) v[i][j] = v[i][j] + 0.5 * v[i - 1][j];
  }
#pragma endscop
}

/* A single turn, in the last turn of the loop around it. */
static void once(int n, int m) {
#pragma scop
  for (int i = 1; i < n; i++) {
    for (int j = 0; j < m; j++) w[i][j] = w[i][j] + 0.5 * w[i - 1][j];
    for (int k = n - 2; k < i; k++)
      for (int j = 0; j < m; j++) w[i][j] += u[k][j] * w[i - 1][j];
  }
#pragma endscop
}

static void upwards(int n, int m) {
#pragma scop
  for (int i = 1; i < n; i++)
    for (int k = i; k < n; k++)
      for (int j = 0; j < m; j++) w[i][j] += u[k][j] * w[i - 1][j] + v[k][j] * w[i][j];
#pragma endscop
}

static void downwards(int n, int m) {
#pragma scop
  for (int i = n - 2; i >= 0; i--) {
    for (int k = n - 1; k > i; k -= 1)
      for (int j = 0; j < m; j++) v[i][j] -= 0.1 * u[k][j] * v[i + 1][j];
    for (int j = 0; j < m; j++) v[i][j] = 0.25 * v[i][j];
  }
#pragma endscop
}

static void strided(void) {
#pragma scop
  for (int i = 1; i < 12; i++)
    for (int k = 1; k < i; k += 3)
      for (int j = 0; j < 20; j++) w[i][j] += u[k][j] * w[i - 1][j];
#pragma endscop
}

/* PolyBench's symm, whose sum has an array of its own. */
static void symm(double alpha, double beta, double c[14][15], double sum[14][15]) {
#pragma scop
  for (int i = 0; i < 14; i++)
    for (int j = 0; j < 15; j++) {
      sum[i][j] = 0;
      for (int k = 0; k < i; k++) {
        c[k][j] += alpha * b[i][j] * a[i][k];
        sum[i][j] += b[k][j] * a[i][k];
      }
      c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum[i][j];
    }
#pragma endscop
}

int main(void) {
  static double c[14][15], sum[14][15];
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(a, double);
  FILL(b, double);
  FILL(c, double);
  first(12, 20);
  once(11, 19);
  upwards(10, 9);
  downwards(12, 20);
  strided();
  symm(1.5, 1.2, c, sum);
  ADD(v);
  ADD(w);
  ADD(c);
  ADD(sum);
  PRINT();
  return 0;
}
