#include "check.h"

double u[30][44], v[30][44], w[30][44];

#define N 30
#define M 44

static void run(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      v[i][j] = u[(i + 1) % N][j] + u[(i - 1 + N) % N][j] - u[i][(j + M - 1) % M] * u[i][(j + 2) % M];
#pragma endscop
}

/* In one dimension, and a size that is not known before. */
static void ring(int n, const double* a, double* b) {
#pragma scop
  for (int i = 0; i < n; i++) b[i] = a[(i + 1) % n] - a[(i + n - 1) % n];
#pragma endscop
}

static void wrap(void) {
#pragma scop
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 44; j++)
      w[i][j] = v[i == 0 ? 29 : i - 1][j] + v[i == 29 ? 0 : i + 1][j] + v[i][j > 0 ? j - 1 : 0] +
                v[i][j < 43 ? j + 1 : 43];
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  run();
  wrap();
  ring(44, u[3], w[4]);
  ring(1, u[5], w[5]);
  ring(2, u[6], w[6]);
  ADD(v);
  ADD(w);
  PRINT();
  return 0;
}
