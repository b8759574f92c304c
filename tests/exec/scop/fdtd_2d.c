#include "check.h"

#define NX 45
#define NY 61
#define TMAX 11
double ex[NX][NY], ey[NX][NY], hz[NX][NY], fict[TMAX];

static void kernel(int tmax, int nx, int ny) {
  int t, i, j;
#pragma scop
  for (t = 0; t < tmax; t++) {
    for (j = 0; j < ny; j++) ey[0][j] = fict[t];
    for (i = 1; i < nx; i++)
      for (j = 0; j < ny; j++) ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (i = 0; i < nx; i++)
      for (j = 1; j < ny; j++) ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (i = 0; i < nx - 1; i++)
      for (j = 0; j < ny - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
#pragma endscop
}

int main(void) {
  FILL(ex, double);
  FILL(ey, double);
  FILL(hz, double);
  FILL(fict, double);
  kernel(TMAX, NX, NY);
  ADD(ex);
  ADD(ey);
  ADD(hz);
  PRINT();
  return 0;
}
