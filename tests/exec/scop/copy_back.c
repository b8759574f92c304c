#include "check.h"

double u[50][71], v[50][71];

int main(void) {
  FILL(u, double);
  FILL(v, double);
#pragma scop
  for (int t = 0; t < 9; ++t) {
    for (int i = 1; i <= 48; ++i)
      for (int j = 1; j <= 69; ++j)
        v[i][j] = u[i][j] + 0.1 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
    for (int i = 1; i <= 48; ++i)
      for (int j = 1; j <= 69; ++j) u[i][j] = v[i][j];
  }
#pragma endscop
  ADD(u);
  ADD(v);
  PRINT();
  return 0;
}
