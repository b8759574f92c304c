#include "check.h"

#define N 43
#define M 58
double A[2][N + 2][M + 2];
float f[2][101];

static void heat(int T) {
  int t, i, j;
#pragma scop
  for (t = 0; t < T; t++)
    for (i = 1; i < N + 1; i++)
      for (j = 1; j < M + 1; j++)
        A[(t + 1) % 2][i][j] =
            0.125 * (A[t % 2][i + 1][j] - 2.0 * A[t % 2][i][j] + A[t % 2][i - 1][j]) +
            0.125 * (A[t % 2][i][j + 1] - 2.0 * A[t % 2][i][j] + A[t % 2][i][j - 1]) +
            A[t % 2][i][j];
#pragma endscop
}

static void star(int T) {
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < 100; i++)
      f[(t + 1) % 2][i] = (5.1f * f[t % 2][i - 1] + 12.1f * f[t % 2][i] + 15.f * f[t % 2][i + 1]) / 118;
#pragma endscop
}

int main(void) {
  FILL(A, double);
  FILL(f, float);
  heat(6);
  heat(7);
  star(5);
  star(4);
  star(0);
  ADD(A);
  ADD(f);
  PRINT();
  return 0;
}
