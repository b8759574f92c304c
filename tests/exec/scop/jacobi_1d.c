#include "check.h"

double A[121], B[121];

static void step(int tsteps, int n) {
  int t, i;
#pragma scop
  for (t = 0; t < tsteps; t++) {
    for (i = 1; i < n - 1; i++) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (i = 1; i < n - 1; i++) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
#pragma endscop
}

int main(void) {
  FILL(A, double);
  FILL(B, double);
  step(37, 121);
  step(1, 3);
  step(0, 50);
  step(5, 2);
  ADD(A);
  ADD(B);
  PRINT();
  return 0;
}
