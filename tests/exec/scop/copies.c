/* Arrays that are copied by the functions of <string.h>. */
#include "check.h"

#define N 22
#define M 31
double A[N][M], B[N][M], C[2][N][M], D[N * M], E[N * M], sum[N];
float f[40], g[40];
int k3[4 * 18 * 20], m3[4 * 18 * 20];

static void whole(int T) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) B[i][j] = 0.2 * (A[i - 1][j] + A[i][j + 1]);
    memcpy(A, B, sizeof A);
  }
#pragma endscop
}

static void parts(int T) {
#pragma scop
  for (int t = 0; t < T; t++) {
    memset(sum, 0, sizeof(sum));
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) C[1][i][j] = 0.2 * (C[0][i - 1][j] + C[0][i][j + 1]);
    memmove(C[0], &C[1][0][0], sizeof C[0]);
    for (int j = 0; j < M; j++)
      for (int i = 0; i < N; i++) sum[i] += C[0][i][j];
    memcpy(A[0], B[N - 1], sizeof(A[0]));
    memcpy(f, g, 7 * sizeof(float));
  }
#pragma endscop
}

static void linear(int T, int n, int m, double *__restrict u, double *__restrict v) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) v[i * m + j] = 0.2 * (u[(i - 1) * m + j] + u[i * m + j + 1]);
    memcpy((void *)u, v, n * m * sizeof(double));
  }
#pragma endscop
}

static void numbers(int T) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) E[i * M + j] = 0.2 * (D[(i - 1) * M + j] + D[i * M + j + 1]);
    memcpy(&D[0], E, sizeof E);
    for (int i = 1; i < 3; i++)
      for (int j = 0; j < 18; j++)
        for (int l = 1; l < 19; l++) m3[(i * 18 + j) * 20 + l] = k3[(i - 1) * 18 * 20 + j * 20 + l + 1] % 1000 + 1;
    memcpy(k3, m3, sizeof(int) * 4 * 18 * 20);
  }
#pragma endscop
}

static void rows(int T, int n, double (*__restrict a)[M], double (*__restrict b)[M]) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < M - 1; j++) b[i][j] = 0.2 * (a[i - 1][j] + a[i][j + 1]);
    memcpy(a, b, sizeof(double[M]) * (size_t)n);
  }
#pragma endscop
}

int main(void) {
  FILL(A, double);
  FILL(B, double);
  FILL(C, double);
  FILL(D, double);
  FILL(E, double);
  FILL(f, float);
  FILL(g, float);
  FILL(k3, int);
  FILL(m3, int);
  whole(3);
  parts(2);
  linear(3, N, M, (double *)A, (double *)B);
  linear(2, M, N, (double *)B, (double *)A);
  numbers(3);
  rows(2, N - 1, A, B);
  ADD(A);
  ADD(B);
  ADD(C);
  ADD(D);
  ADD(E);
  ADD(sum);
  ADD(f);
  ADD(k3);
  ADD(m3);
  PRINT();
  return 0;
}
