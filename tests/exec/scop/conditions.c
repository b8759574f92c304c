#include "check.h"

double a[64][48], b[64][48], edge[48];
int mask[64][48];

static void run(int n, int m) {
  int i, j;
#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) {
      if (i == 0)
        b[i][j] = edge[j];
      else if (i == n - 1)
        b[i][j] = a[i][j];
      else if (mask[i][j] > 50) {
        b[i][j] = 0.5 * (a[i - 1][j] + a[i + 1][j]);
        b[i][j] *= 2;
      } else
        b[i][j] -= a[i][j];
    }
  for (i = 0; i < n; i++)
    for (j = 0; j <= i && j < m; j++) a[i][j] = b[i][j] + 1;
  for (i = 0; i != n; i++)
    for (j = m - 1; j >= 0; j--) b[i][j] += i * 3 + (j > 5 && i < 7 ? 1.5 : i % 3);
#pragma endscop
}

int main(void) {
  FILL(a, double);
  FILL(b, double);
  FILL(edge, double);
  FILL(mask, int);
  run(64, 48);
  run(2, 3);
  ADD(a);
  ADD(b);
  PRINT();
  return 0;
}
