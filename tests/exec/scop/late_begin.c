/* Loops that begin behind their end, for small numbers. */
#include "check.h"

double a[100], b[100], c[100];

static void sweeps(int T) {
#pragma scop
  for (int t = 3; t <= T; t++) {
    for (int i = 1; i < 99; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < 99; i++) a[i] = b[i];
  }
#pragma endscop
}

static void others(int T) {
#pragma scop
  for (int t = T - 1; t > 3; t--)
    for (int i = 1; i < 99; i++) a[i] = a[i] + 0.5;
  for (int i = 1; i < 99; i++) c[i] = c[i] + a[i];
#pragma endscop
}

int main(void) {
  FILL(a, double);
  for (int T = -2; T < 8; T++) {
    sweeps(T);
    others(T);
    ADD(a);
    ADD(c);
  }
  PRINT();
  return 0;
}
