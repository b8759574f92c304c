/* Arrays of _Float16: read as float, rounded where they are written, and scalars of it. */
#include "check.h"

#define N 60
_Float16 u[N][N], v[N][N], weights[N];
float sums[N];

static void smooth(int steps, _Float16 a[N][N], _Float16 b[N][N]) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) + weights[j];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        const _Float16 mean = a[i][j] * 0.3f + b[i][j] * 0.7f;
        a[i][j] = mean;
        a[i][j] += (_Float16)(0.001f * mean);
      }
  }
  for (int i = 0; i < N; i++) sums[i] = 2 * weights[i] - (float)a[i][i];
#pragma endscop
}

int main(void) {
  for (int i = 0; i < N; i++) {
    weights[i] = (_Float16)(0.01 * next_value());
    for (int j = 0; j < N; j++) {
      u[i][j] = (_Float16)next_value();
      v[i][j] = (_Float16)next_value();
    }
  }
  smooth(5, u, v);
  ADD(u);
  ADD(v);
  ADD(sums);
  PRINT();
  return 0;
}
