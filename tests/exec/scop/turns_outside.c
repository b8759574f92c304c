/* Scalars of a region in a loop that stands around it: set before the region in each turn, or in it. */
#include "check.h"

#define N 40

static double u[N], v[N];

int main(void) {
  double middle = 0.0;
  int i;
  FILL(u, double);
  FILL(v, double);
  for (int t = 0; t < 5; t++) {
    for (i = 0; i < N; i++) u[i] *= 0.99;
    middle = u[N / 2];
    u[0] = middle;
#pragma scop
    for (i = 1; i < N - 1; i++) {
      middle = u[i - 1] + u[i + 1];
      v[i] = 0.25 * middle * middle;
    }
    for (i = 1; i < N - 1; i++) u[i] = v[i];
#pragma endscop
  }
  ADD(u);
  ADD(v);
  PRINT();
  return 0;
}
