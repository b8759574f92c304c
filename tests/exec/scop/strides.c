#include "check.h"

double u[65], g[33][40];

static void run(int n, int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 2; i < n - 1; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }
  for (int i = 31; i > 0; i -= 3)
    for (int j = 1; j < 39; j++) g[i][j] = g[i - 1][j] + g[i + 1][j];
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(g, double);
  run(65, 6);
  run(4, 2);
  ADD(u);
  ADD(g);
  PRINT();
  return 0;
}
