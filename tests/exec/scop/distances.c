/* Loops over the neighbours of a point. */
#include "check.h"

#define N 23
#define M 31
#define R 2
double u[N][M], v[N][M], w[2 * R + 1], k3[3][3], b[N - 2][M - 2], a[N + 2 * R], c[N + 2 * R];
int cells[N][M], next[N][M];

int main(void) {
  int t, i, j, p, q;
  double acc;
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(k3, double);
  FILL(a, double);
  FILL(c, double);
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) cells[i][j] = (i * 7 + j * 3) % 5 < 2;
#pragma scop
  for (i = 0; i < N - 2; i++)
    for (j = 0; j < M - 2; j++) {
      acc = 0.0;
      for (p = 0; p < 3; p++)
        for (q = 0; q < 3; q++) acc += u[i + p][j + q] * k3[p][q];
      b[i][j] = acc;
    }
#pragma endscop
#pragma scop
  for (t = 0; t < 5; t++) {
    for (i = R; i < N + R; i++) {
      double sum = 0;
      for (int d = -R; d <= R; d++) sum += w[R + d] * a[i + d];
      c[i] = sum;
    }
    for (i = R; i < N + R; i++) a[i] = c[i];
  }
#pragma endscop
#pragma scop
  for (t = 0; t < 4; t++) {
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < M - 1; j++) {
        int alive = 0;
        for (p = -1; p <= 1; p++)
          for (q = -1; q <= 1; q++) alive += cells[i + p][j + q];
        alive -= cells[i][j];
        next[i][j] = alive == 3 || (alive == 2 && cells[i][j] == 1) ? 1 : 0;
      }
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < M - 1; j++) cells[i][j] = next[i][j];
  }
#pragma endscop
#pragma scop
  for (i = 1; i < N - 1; i++)
    for (j = 1; j < M - 1; j++) {
      v[i][j] = 0;
      for (p = -1; p < 2; p++) v[i][j] += u[i + p][j] - u[i][j - p];
    }
#pragma endscop
  ADD(b);
  ADD(a);
  ADD(c);
  ADD(cells);
  ADD(v);
  PRINT();
  return 0;
}
