#include <math.h>

#include "check.h"

double u[37][53], v[37][53];
float p[80], q[80];

int main(void) {
  double t, left;
  FILL(u, double);
  FILL(v, double);
  FILL(p, float);
  FILL(q, float);
#pragma scop
  for (int i = 1; i < 36; i++) {
    for (int j = 1; j < 52; j++) {
      const double a = u[i][j - 1], b = u[i][j + 1];
      double s = 0;
      s += a;
      s += b;
      left = s * 0.5;
      t = left - u[i][j];
      if (t < 0) t = -t;
      v[i][j] = t > 0.25 ? sqrt(t) : fmax(a, b);
    }
  }
  for (int i = 1; i < 79; i++) {
    float a = 0.1 * p[i - 1];
    double b = 0.1f * p[i + 1];
    float c = p[i];
    q[i] = a + b * 3 + c / 2;
  }
#pragma endscop
  ADD(v);
  ADD(q);
  PRINT();
  return 0;
}
