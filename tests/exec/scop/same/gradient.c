/* Local scalars, a function and a sum. */
#include <math.h>
void gradient(int m, int n, double u[50][60], double v[50][60], double *sum) {
  double total = 0;
#pragma scop
  for (int i = 1; i < 49; i++)
    for (int j = 1; j < 59; j++) {
      double dx = u[i][j + 1] - u[i][j - 1];
      double dy = u[i + 1][j] - u[i - 1][j];
      v[i][j] = sqrt(dx * dx + dy * dy);
    }
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 60; j++) total += v[i][j];
#pragma endscop
  *sum = total;
}
