/* Conditions outside of loops over points: scalars that are declared under them, and sweeps that are
   called or not. */
#include "check.h"

#define N 20

static double u[N], v[N], w[N];

static void sweep(double *to, const double *from, double c) {
  const double half = 0.5 * c;
  for (int i = 1; i < N - 1; i++) to[i] = half * (from[i - 1] + from[i + 1]);
}

static void run(int mode, double c) {
#pragma scop
  for (int t = 0; t < 5; t++) {
    if (t > 0) {
      double k = 0.3;
      for (int i = 1; i < N - 1; i++) v[i] = k * u[i - 1];
    }
    for (int i = 1; i < N - 1; i++) u[i] = v[i] + 0.1 * w[i];
    if (t % 2 == 0) sweep(w, u, c);
  }
  if (mode == 1) {
    double k = c;
    for (int i = 0; i < N; i++) w[i] = w[i] * k;
  }
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  run(0, 0.7);
  ADD(w);
  run(1, 0.9);
  ADD(u);
  ADD(v);
  ADD(w);
  PRINT();
  return 0;
}
