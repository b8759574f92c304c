/* `continue` in loops over points, over rows and over turns: what follows is done for the others. */
#include "check.h"

enum { N = 23, T = 5 };
static double u[N][N], v[N][N], rows[N], middle[N];
static int mask[N][N];

static void step(const double* in, double* out, int n) {
  int i;
  for (i = 1; i < n - 1; i++) {
    if (i == 7) continue;
    if (i > n - 4) {
      out[i] = in[i];
      continue;
    }
    out[i] = 0.5 * (in[i - 1] + in[i + 1]);
  }
}

int main(void) {
  int i, j, t;
  FILL(u, double);
  FILL(v, double);
  FILL(rows, double);
  FILL(middle, double);
  for (j = 0; j < N; j++)
    for (i = 0; i < N; i++) mask[j][i] = (3 * j + 5 * i) % 4;
#pragma scop
  step(rows, middle, N);
#pragma endscop
  ADD(middle);
#pragma scop
  for (t = 0; t < T; t++) {
    for (j = 1; j < N - 1; j++) {
      if (j == 4) continue;
      for (i = 1; i < N - 1; i++) {
        double sum = u[j - 1][i] + u[j + 1][i];
        if (mask[j][i] == 0) continue;
        v[j][i] = 0.25 * (sum + u[j][i - 1] + u[j][i + 1]);
        if (mask[j][i] == 1) {
          v[j][i] += 0.5;
        } else {
          continue;
        }
        v[j][i] *= 0.9;
      }
    }
    for (j = 1; j < N - 1; j++)
      for (i = 1; i < N - 1; i++) {
        if (mask[j][i] != 2)
          u[j][i] = v[j][i];
        else
          continue;
      }
  }
#pragma endscop
  ADD(u);
  ADD(v);
  PRINT();
  return 0;
}
