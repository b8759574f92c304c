/* Numbers without `f` are double, also in choices and functions beside integers. */
#include <math.h>

#include "check.h"

#define N 57

float f[N], g[N], h[9][N];
double d[N];
int k[N];

int main(void) {
  int i;
  FILL(f, float);
  FILL(g, float);
  FILL(d, double);
  FILL(k, int);
#pragma scop
  for (i = 0; i < N; i++) {
    h[0][i] = f[i] * (g[i] > 0.3 ? 0.1 : 3) + g[i];
    h[1][i] = 0.1 * ((f[i] + 3) + (g[i] >= f[i] ? i : 0.7)) / (1.5 + g[i]);
    h[2][i] = f[i] * fmax(i, 0.1) - g[i];
    h[3][i] = f[i] * pow(2, 0.7) + g[i] * sqrt(3);
    h[4][i] = f[i] * -(i > 20 ? 0.1 : k[i]) * g[i];
    h[5][i] = f[i] * fabs(i - 7) / 3 + 0.1 * i * g[i];
    h[6][i] = f[i] * (g[i] > 0 ? 0.1f : 3) * g[i];
    h[7][i] = g[i] > 0 ? 0.1 : i;
    h[8][i] = f[i] * (float)(g[i] > 0 ? 0.1 : 3) + (int)(d[i] * 10) * 0.1;
  }
#pragma endscop
  ADD(h);
  PRINT();
  return 0;
}
