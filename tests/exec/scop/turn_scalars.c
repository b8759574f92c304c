/* Scalars that each turn of a loop sets for all points: norms, steps and largest values, also where
   nothing reads them after the loop. */
#include "check.h"

#define N 100
double a[N], b[N], c[N];
int ia[N], ib[N];

static void unused_norm(int T) {
  double r = 0.0;
#pragma scop
  for (int t = 0; t < T; t++) {
    r = 0;
    for (int i = 1; i < N - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < N - 1; i++) {
      r += (b[i] - a[i]) * (b[i] - a[i]);
      a[i] = b[i];
    }
  }
#pragma endscop
}

static void used_in_turns(int T) {
  double step, most = 0.0;
  int total = 0;
#pragma scop
  for (int t = 0; t < T; t++) {
    step = 0.1 * t;
    most = 0.5;
    total = 0;
    for (int i = 1; i < N - 1; i++) b[i] = c[i - 1] + c[i + 1] * step;
    for (int i = 1; i < N - 1; i++) {
      most = most < b[i] ? b[i] : most;
      total += ia[i];
    }
    for (int i = 1; i < N - 1; i++) {
      c[i] = b[i] / most;
      ib[i] = ib[i] + total % 10;
    }
  }
#pragma endscop
}

int main(void) {
  FILL(a, double);
  FILL(b, double);
  FILL(c, double);
  FILL(ia, int);
  FILL(ib, int);
  unused_norm(4);
  used_in_turns(5);
  ADD(a);
  ADD(b);
  ADD(c);
  ADD(ib);
  PRINT();
  return 0;
}
