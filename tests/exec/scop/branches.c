/* Scalars that branches set, and that several loops set anew. */
#include "check.h"
double u[40], v[40], w[40]; float f[40]; int m[40];
double gg[30][30], hh[30][30];
int main(void) {
  double t; float x, y;
  FILL(u, double); FILL(v,double); FILL(w, double); FILL(f,float); FILL(m,int); FILL(gg,double);
#pragma scop
  for (int i = 1; i < 39; i++) {
    x = y = u[i-1] + u[i+1];
    v[i] = f[i] = x * 0.1;
    w[i] = y;
  }
  for (int i = 1; i < 39; i++) {
    if (m[i] > 10) { t = u[i] * 2; } else { t = u[i-1]; }
    w[i] += t;
  }
  for (int i = 1; i < 39; i++) {
    if (m[i] > 30) t = 1; else if (m[i] > 0) { double k = v[i] * v[i]; t = k * 2; w[i] *= k; } else t = 3;
    v[i] = t * u[i+1];
  }
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 30; j++) {
      double a = 0, b = 0;
      if (i > 0) a = gg[i-1][j];
      if (j < 29) b = gg[i][j+1];
      if (i % 2 == 0) a *= 2;
      hh[i][j] = a - b;
    }
#pragma endscop
  ADD(v); ADD(w); ADD(f); ADD(hh);
  /* From the last element down, each branch reads what is still to be written: not one branch for
     all points after the other. */
#pragma scop
  for (int i = 38; i >= 1; i--) {
    if (i % 2 == 1) u[i] -= 0.5; else u[i] = 0.25 * u[i-1];
  }
  for (int i = 29; i >= 1; i--)
    for (int j = 0; j < 30; j++) {
      if (j > i) gg[i][j] = gg[i-1][j] + 1; else gg[i][j] *= gg[i-1][(j + 1) % 30];
    }
#pragma endscop
  ADD(u); ADD(gg);
  PRINT();
  return 0;
}
