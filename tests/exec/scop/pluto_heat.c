/* Pluto's heat-1d, -2d and -3d and their periodic variants. */
#include "check.h"
#define N 61
#define M 29
#define L 15
#define T 9

double A1[2][N + 2], P1[2][N];
double A2[2][M + 2][M + 2], P2[2][M][M];
double A3[2][L + 2][L + 2][L + 2], P3[2][L][L][L];

int main(void) {
  int t, i, j, k;
  FILL(A1, double);
  FILL(P1, double);
  FILL(A2, double);
  FILL(P2, double);
  FILL(A3, double);
  FILL(P3, double);
#pragma scop
  for (t = 0; t < T; t++) {
    for (i = 1; i < N + 1; i++) {
      A1[(t + 1) % 2][i] = 0.125 * (A1[t % 2][i + 1] - 2.0 * A1[t % 2][i] + A1[t % 2][i - 1]);
    }
  }
#pragma endscop
#pragma scop
  for (t = 0; t < T; t++) {
    for (i = 0; i < N; i++) {
      P1[(t + 1) % 2][i] = 0.125 * (P1[t % 2][i == N - 1 ? 0 : i + 1] - 2.0 * P1[t % 2][i] + P1[t % 2][(i == 0) ? (N - 1) : (i - 1)]);
    }
  }
#pragma endscop
#pragma scop
  for (t = 0; t < T; t++) {
    for (i = 1; i < M + 1; i++) {
      for (j = 1; j < M + 1; j++) {
        A2[(t + 1) % 2][i][j] = 0.125 * (A2[t % 2][i + 1][j] - 2.0 * A2[t % 2][i][j] + A2[t % 2][i - 1][j]) +
                                0.125 * (A2[t % 2][i][j + 1] - 2.0 * A2[t % 2][i][j] + A2[t % 2][i][j - 1]) +
                                A2[t % 2][i][j];
      }
    }
  }
#pragma endscop
#pragma scop
  for (t = 0; t < T; t++) {
    for (i = 0; i < M; i++) {
      for (j = 0; j < M; j++) {
        P2[(t + 1) % 2][i][j] = 0.125 * (P2[t % 2][i == M - 1 ? 0 : i + 1][j] - 2.0 * P2[t % 2][i][j] + P2[t % 2][(i == 0) ? (M - 1) : (i - 1)][j]) +
                                0.125 * (P2[t % 2][i][j == M - 1 ? 0 : j + 1] - 2.0 * P2[t % 2][i][j] + P2[t % 2][i][(j == 0) ? (M - 1) : (j - 1)]) +
                                P2[t % 2][i][j];
      }
    }
  }
#pragma endscop
#pragma scop
  for (t = 0; t < T - 1; t++) {
    for (i = 1; i < L + 1; i++) {
      for (j = 1; j < L + 1; j++) {
        for (k = 1; k < L + 1; k++) {
          A3[(t + 1) % 2][i][j][k] =
              0.125 * (A3[t % 2][i + 1][j][k] - 2.0 * A3[t % 2][i][j][k] + A3[t % 2][i - 1][j][k]) +
              0.125 * (A3[t % 2][i][j + 1][k] - 2.0 * A3[t % 2][i][j][k] + A3[t % 2][i][j - 1][k]) +
              0.125 * (A3[t % 2][i][j][k - 1] - 2.0 * A3[t % 2][i][j][k] + A3[t % 2][i][j][k + 1]) + A3[t % 2][i][j][k];
        }
      }
    }
  }
#pragma endscop
#pragma scop
  for (t = 0; t < T - 1; t++) {
    for (i = 0; i < L; i++) {
      for (j = 0; j < L; j++) {
        for (k = 0; k < L; k++) {
          P3[(t + 1) % 2][i][j][k] =
              0.125 * (P3[t % 2][(i + 1) % L][j][k] - 2.0 * P3[t % 2][i][j][k] + P3[t % 2][(i - 1 + L) % L][j][k]) +
              0.125 * (P3[t % 2][i][(j + 1) % L][k] - 2.0 * P3[t % 2][i][j][k] + P3[t % 2][i][(j + L - 1) % L][k]) +
              0.125 * (P3[t % 2][i][j][(k - 1 + L) % L] - 2.0 * P3[t % 2][i][j][k] + P3[t % 2][i][j][(k + 1) % L]) + P3[t % 2][i][j][k];
        }
      }
    }
  }
#pragma endscop
  ADD(A1); ADD(P1); ADD(A2); ADD(P2); ADD(A3); ADD(P3);
  PRINT();
  return 0;
}
