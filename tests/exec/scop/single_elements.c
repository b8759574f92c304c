/* Single elements in each turn of a loop beside others that have points, and diagonals. */
#include <math.h>

#include "check.h"

#define N 23
#define M 31

double u[M], v[M], norms[N + 1], largest[N], first[N + 2];
double A[M][N], R[N][N], Q[M][N];
double D[N][N], E[N][N][7], band[N][N];

/* The norm of each time step, kept. */
static void norms_of_steps(int steps) {
  double m;
  int t, i;
#pragma scop
  for (t = 0; t < steps; t++) {
    for (i = 1; i < M - 1; i++) v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
    for (i = 1; i < M - 1; i++) u[i] = v[i];
    m = 0;
    for (i = 0; i < M; i++) m = fmax(m, fabs(u[i]));
    largest[t] = m;
    first[t + 1] = u[1] + first[t];
  }
#pragma endscop
}

/* The same by a scalar of each step, which nobody knows outside. */
static void peaks_of_steps(int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < M - 1; i++) v[i] = u[i - 1] - 0.25 * u[i + 1];
    for (int i = 1; i < M - 1; i++) u[i] = v[i];
    double peak = 0;
    for (int i = 0; i < M; i++)
      if (u[i] > peak) peak = u[i];
    largest[t] = peak;
  }
#pragma endscop
}

/* Columns that are divided by an element each, as in an elimination. */
static void eliminate(int m, int n) {
  int k, i, j;
#pragma scop
  for (k = 0; k < n - 1; k++) {
    R[k][k] = sqrt(A[k][k] * A[k][k] + 1.0);
    for (i = 0; i < m; i++) Q[i][k] = A[i][k] / R[k][k];
    for (j = k + 1; j < n; j++)
      for (i = 0; i < m; i++) A[i][j] = A[i][j] - Q[i][k] * R[k][k];
  }
#pragma endscop
}

static void diagonals(int n) {
  int i, j;
#pragma scop
  for (i = 0; i < n; i++) D[i][i] = 1.0 + D[i][i];
  for (i = 1; i < n - 1; i++) {
    band[i][i] = 2.0;
    band[i][i - 1] = -1.0 * D[i][i];
    band[i][i + 1] = -0.5;
  }
  for (i = 2; i < n; i += 3)
    for (j = 0; j < 7; j++) E[i][n - 1 - i][j] = 0.5 * j;
  for (i = 0; i < n; i++)
    if (i > 4) D[n - 1 - i][i] -= 3.0;
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(A, double);
  FILL(R, double);
  FILL(first, double);
  FILL(D, double);
  FILL(E, double);
  FILL(band, double);
  norms_of_steps(9);
  norms_of_steps(0);
  norms_of_steps(1);
  ADD(largest);
  peaks_of_steps(7);
  eliminate(M, N);
  eliminate(2, 2);
  diagonals(N);
  diagonals(3);
  ADD(u);
  ADD(largest);
  ADD(first);
  ADD(A);
  ADD(Q);
  ADD(R);
  ADD(D);
  ADD(E);
  ADD(band);
  PRINT();
  return 0;
}
