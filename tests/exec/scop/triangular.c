/* Sums whose bounds depend on the point: trmm, syrk, syr2k, and covariance's symmetric result. */
#include "check.h"

#define N 21
#define M 17

static double S[N][N], T[N][N], L[N][N], U[N][M], V[N][M], W[N][M], C[M][M];

static void run(int n, int m, double alpha, double beta) {
#pragma scop
  /* syrk */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) S[i][j] *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++) S[i][j] += alpha * U[i][k] * U[j][k];
  }
#pragma endscop
#pragma scop
  /* syr2k */
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) T[i][j] *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++) T[i][j] += U[j][k] * alpha * V[i][k] + V[j][k] * alpha * U[i][k];
  }
#pragma endscop
#pragma scop
  /* trmm, whose sum reads rows that have not been written yet */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      for (int k = i + 1; k < n; k++) V[i][j] += L[k][i] * V[k][j];
      V[i][j] = alpha * V[i][j];
    }
#pragma endscop
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      W[i][j] = 0;
      for (int k = 0; k <= i; k++) W[i][j] += L[i][k] * U[k][j];
    }
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      C[i][j] = 0.0;
      for (int k = 0; k < n; k++) C[i][j] += U[k][i] * U[k][j];
      C[i][j] /= n - 1.0;
      C[j][i] = C[i][j];
    }
#pragma endscop
}

int main(void) {
  FILL(S, double);
  FILL(T, double);
  FILL(L, double);
  FILL(U, double);
  FILL(V, double);
  run(N, M, 1.5, 0.7);
  run(3, 2, 1.5, 0.7);
  ADD(S);
  ADD(T);
  ADD(V);
  ADD(W);
  ADD(C);
  PRINT();
  return 0;
}
